"""Faults that a config or a program shows by names and defaults: best models, bases, sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
FACTORY = """model_name_or_path: {model}
stage: {stage}
do_train: true
finetuning_type: {kind}
dataset: mine
template: {template}
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: {rate}
num_train_epochs: 1.0
bf16: true
output_dir: out
"""
SET = {"model": "my/model", "stage": "sft", "kind": "full", "template": "qwen", "rate": "1.0e-5"}
BEST, FORM = "save-and-eval-strategy-differ", "prompt-template-differs"
RATE, HIGH = "learning-rate-not-survivable", "learning-rate-too-high"


def factory(**changed: str) -> str:
    return FACTORY.format(**{**SET, **changed})


def named(found: tuple[LintFinding, ...], name: str) -> list[LintFinding]:
    return [f for f in found if f.name == name]


@pytest.mark.parametrize(
    ("more", "fires"),
    [
        ("load_best_model_at_end: true\n", True),
        ("load_best_model_at_end: true\nsave_strategy: epoch\n", True),
        ("load_best_model_at_end: true\neval_strategy: steps\neval_steps: 500\n", False),
        (
            "load_best_model_at_end: true\nevaluation_strategy: steps\neval_steps: 500\neval_dataset: held\n",
            False,
        ),
        ('load_best_model_at_end: true\nsave_strategy: "no"\n', False),
        ("load_best_model_at_end: false\n", False),
    ],
)
def test_the_best_of_models_that_nobody_evaluates(lint_text: Lint, more: str, fires: bool) -> None:
    found = named(lint_text(factory() + more), BEST)
    assert [(f.severity, f.line) for f in found] == ([("error", 13)] if fires else [])


PROGRAM = (
    "from transformers import Trainer, TrainingArguments\n"
    "args = TrainingArguments(output_dir='out', load_best_model_at_end=True, save_steps=200{more})\n"
)


@pytest.mark.parametrize(
    ("more", "fires"),
    [
        ("", True),
        (", eval_strategy='steps'", False),
        (", eval_strategy=chosen()", False),
        (", save_strategy=chosen()", False),
        (", **rest", False),
    ],
)
def test_the_arguments_of_a_program(lint_text: Lint, more: str, fires: bool) -> None:
    found = named(lint_text(PROGRAM.format(more=more), "train.py"), BEST)
    assert bool(found) == fires


def test_a_script_may_default_its_own(lint_text: Lint) -> None:
    text = (
        "python train.py --output_dir out --per_device_train_batch_size 4 --num_train_epochs 1 \\\n"
        "  --load_best_model_at_end true --learning_rate 1e-5\n"
    )
    assert not named(lint_text(text, "run.sh"), BEST)


@pytest.mark.parametrize(
    ("model", "template", "fires"),
    [
        ("Qwen/Qwen2.5-7B", "llama3", True),
        ("meta-llama/Llama-3.1-8B", "gemma", True),
        ("Qwen/Qwen3-8B-Base", "gemma", True),
        ("Qwen/Qwen2.5-7B", "qwen", False),
        ("Qwen/Qwen2.5-7B", "mistral", False),  # plain words
        ("meta-llama/Llama-3.1-8B", "qwen", False),  # ChatML is everybody's
        ("Qwen/Qwen2.5-7B", "my_llama3", False),
        ("somebody/Qwen2.5-7B-tuned", "llama3", False),
    ],
)
def test_marks_that_a_base_model_does_not_have(
    lint_text: Lint, model: str, template: str, fires: bool
) -> None:
    found = named(lint_text(factory(model=model, template=template)), FORM)
    assert [(f.severity, f.line) for f in found] == ([("warning", 6)] if fires else [])


@pytest.mark.parametrize(
    ("model", "kind", "rate", "more", "name"),
    [
        ("meta-llama/Meta-Llama-3-8B-Instruct", "lora", "5.0e-2", "lora_rank: 8\n", RATE),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "lora", "5.0e-2",
         "lora_rank: 8\npissa_init: true\n", HIGH),
        ("my/model", "lora", "5.0e-2", "lora_rank: 8\n", HIGH),
        ("Qwen/Qwen2.5-0.5B", "lora", "5.0e-2", "lora_rank: 8\n", HIGH),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "lora", "3.0e-2", "lora_rank: 8\n", HIGH),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "lora", "1.0e-4", "lora_rank: 8\n", ""),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "full", "0.2", "", RATE),
    ],
)  # fmt: skip
def test_rates_of_adapters(
    lint_text: Lint, model: str, kind: str, rate: str, more: str, name: str
) -> None:
    found = lint_text(factory(model=model, kind=kind, rate=rate, template="llama3") + more)
    assert [f.name for f in found if f.name in (RATE, HIGH)] == [name] * bool(name)


def test_the_size_that_a_name_says(lint_text: Lint) -> None:
    text = factory(model="Qwen/Qwen2.5-0.5B", kind="lora", rate="5.0e-2") + "lora_rank: 8\n"
    (found,) = named(lint_text(text), HIGH)
    assert "500M" in found.message.en


GRPO = """from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, gradient_accumulation_steps={steps},
    num_generations={group}, learning_rate=1e-6, num_train_epochs=1{more})
"""


@pytest.mark.parametrize(
    ("steps", "group", "more", "fires"),
    [
        (4, 7, "", True),
        (4, 10, "", True),
        (4, 7, ", use_vllm=True, vllm_mode='colocate'", True),
        (4, 7, ", use_vllm=True", False),  # seven ranks beside a server
        (4, 6, "", False),  # nodes of six GPUs, or three
        (5, 10, "", False),
        (4, 16, "", False),
        (7, 7, "", False),
        (4, 64, "", False),
    ],
)
def test_groups_that_no_usual_number_of_ranks_fills(
    lint_text: Lint, steps: int, group: int, more: str, fires: bool
) -> None:
    text = GRPO.format(steps=steps, group=group, more=more)
    found = named(lint_text(text, "grpo.py"), "rl-batch-does-not-divide")
    assert [f.severity for f in found] == (["warning"] if fires else [])


@pytest.mark.parametrize(("experts", "more", "fires"), [
    (3, "", True), (4, "", False), (2, "", False), (4, "--expert_tensor_parallel_size 2", True),
])  # fmt: skip
def test_experts_of_megatron_swift(lint_text: Lint, experts: int, more: str, fires: bool) -> None:
    text = (
        "NPROC_PER_NODE=8 megatron sft --load m --dataset d --micro_batch_size 1 \\\n"
        "  --global_batch_size 16 --pipeline_model_parallel_size 2 --lr 1e-5 --max_epochs 1 \\\n"
        f"  --expert_model_parallel_size {experts} {more}\n"
    )
    assert bool(named(lint_text(text, "run.sh"), "parallel-sizes-exceed-world")) == fires


ENGINE = """{{"train_batch_size": {batch}, "train_micro_batch_size_per_gpu": 4, "bf16": {{"enabled": true}},
 {steps} "zero_optimization": {{"stage": 2}}}}
"""


@pytest.mark.parametrize(
    ("batch", "steps", "near"),
    [
        (250, "", "(248 and 252 are)"),
        (250, '"gradient_accumulation_steps": 8,', "(224 and 256 are)"),
        (20, '"gradient_accumulation_steps": 8,', "(32 is)"),
        (256, '"gradient_accumulation_steps": 8,', ""),
    ],
)
def test_batches_near_one_that_is_none(lint_text: Lint, batch: int, steps: str, near: str) -> None:
    text = ENGINE.format(batch=batch, steps=steps)
    found = named(lint_text(text, "ds.json"), "global-batch-not-multiple-of-micro")
    assert [f.message.en.endswith(near) for f in found] == [True] * bool(near)
    assert not [note for f in found for note in f.by_hand]


def test_who_reads_a_switch_in_quotes(lint_text: Lint) -> None:
    text = (
        "base_model: m\nadapter: qlora\nsequence_len: 2048\nmicro_batch_size: 2\n"
        'datasets:\n  - path: d\n    type: alpaca\nsample_packing: "false"\n'
    )
    (found,) = named(lint_text(text), "quoted-value")
    assert "axolotl" in found.consequence.en
    assert "DeepSpeed" not in found.consequence.en


ARRAY = (
    "#!/bin/bash\n#SBATCH --array=0-3\nLRS=(1e-5 2e-5 5e-5 1e-4)\n"
    "LR=${{LRS[${name}]}}\npython train.py --lr $LR --out runs/$SLURM_ARRAY_TASK_ID\n"
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SLURM_ARRAY_TASKID", "$SLURM_ARRAY_TASK_ID"),
        ("SLURM_ARAY_TASK_ID", "$SLURM_ARRAY_TASK_ID"),
        ("SLURM_LOCAL_ID", "$SLURM_LOCALID"),
        ("SLURM_ARRAY_TASK_ID", ""),
        ("SLURM_LOCALID", ""),
        ("SLURM_JOBID", ""),
        ("SLURM_OF_THE_SITE", ""),
    ],
)
def test_slips_of_slurms_variables(lint_text: Lint, name: str, meant: str) -> None:
    found = named(lint_text(ARRAY.format(name=name), "run.sbatch"), "unset-variable-takes-flag")
    assert [(f.line, f.message.en.startswith(meant)) for f in found] == [(4, True)] * bool(meant)
    assert all("element 0" in f.message.en for f in found)


def test_a_variable_that_the_script_sets_is_no_slip(lint_text: Lint) -> None:
    text = "SLURM_LOCAL_ID=$1\n" + ARRAY.format(name="SLURM_LOCAL_ID")
    assert not named(lint_text(text, "run.sh"), "unset-variable-takes-flag")


LOOP = """import torch
def loop(model, opt, loader):
    scaler = torch.amp.GradScaler("cuda"{off})
    for batch in loader:
        opt.zero_grad()
        loss = model(**batch).loss
        scaler.scale(loss).backward()
        {unscale}torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
"""


@pytest.mark.parametrize(
    ("off", "unscale", "fires"),
    [("", "", True), ("", "scaler.unscale_(opt); ", False), (", enabled=False", "", False)],
)
def test_clipping_for_an_optimizer_that_was_handed_over(
    lint_text: Lint, off: str, unscale: str, fires: bool
) -> None:
    found = lint_text(LOOP.format(off=off, unscale=unscale), "train.py")
    assert [f.line for f in named(found, "clip-before-unscale")] == ([8] if fires else [])
