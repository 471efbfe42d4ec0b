"""Text where a number, a switch or a block is asked, in JSON and TOML."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

ENGINE = """{{
  "train_micro_batch_size_per_gpu": {micro},
  "gradient_clipping": {clip},
  "bf16": {bf16},
  "zero_optimization": {{"stage": {stage}, "overlap_comm": {overlap}, "reduce_bucket_size": {bucket}}},
  "optimizer": {{"type": "AdamW", "params": {{"lr": {lr}, "weight_decay": 0.1}}}},
  "wall_clock_breakdown": {clock}
}}
"""
RIGHT = {
    "micro": "4",
    "clip": "1.0",
    "bf16": '{"enabled": true}',
    "stage": "2",
    "overlap": "true",
    "bucket": "5e8",
    "lr": "1e-4",
    "clock": "false",
}
TITAN = """[optimizer]
name = "AdamW"
lr = {lr}
[training]
local_batch_size = {micro}
seq_len = 2048
steps = 1000
[compile]
enable = {compile}
"""
SET = {"lr": "3e-4", "micro": "8", "compile": "false"}


@pytest.mark.parametrize(
    ("name", "written", "cause", "line"),
    [
        ("micro", '"4"', "impossible-value", 2),
        ("micro", "true", "impossible-value", 2),
        ("clip", '"1.0"', "impossible-value", 3),
        ("bf16", "true", "impossible-value", 4),
        ("bf16", '{"enabled": "true"}', "quoted-value", 4),
        ("bf16", '{"enabled": 2}', "impossible-value", 4),
        ("stage", '"2"', "quoted-value", 5),
        ("stage", "true", "impossible-value", 5),
        ("bucket", '"5e8"', "impossible-value", 5),
        ("lr", '"1e-4"', "impossible-value", 6),
        ("clock", '"false"', "option-reads-otherwise", 7),
        ("clock", '"true"', "quoted-value", 7),
    ],
)
def test_deepspeed(lint_text: Lint, name: str, written: str, cause: str, line: int) -> None:
    assert not lint_text(ENGINE.format(**RIGHT), "ds_config.json")
    found = lint_text(ENGINE.format(**{**RIGHT, name: written}), "ds_config.json")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


def test_a_stage_as_text_is_none_to_who_fills_the_file_in(lint_text: Lint) -> None:
    text = ENGINE.format(**{**RIGHT, "micro": '"auto"', "stage": '"3"'})
    found = [(f.name, f.line) for f in lint_text(text, "ds.json") if f.severity != "info"]
    assert found == [("option-reads-otherwise", 5)]


MODEL = """{
  "architectures": ["T5ForConditionalGeneration"],
  "model_type": "t5",
  "num_layers": 24,
  "num_heads": 16,
  "dropout_rate": 0.1,
  "vocab_size": 32128
}
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("24", "-24", 4),
        ("16", "0", 5),
        ("0.1", "-0.1", 6),
        ("0.1", "5", 6),
        ("32128", '"32,128"', 7),
        ("32128", '"32128"', 7),
    ],
)
def test_a_model_under_a_name_of_its_own(lint_text: Lint, old: str, new: str, line: int) -> None:
    assert lint_text(MODEL, "t5-large.json") == ()
    found = lint_text(MODEL.replace(old, new, 1), "t5-large.json")
    assert [(f.name, f.line) for f in found] == [("impossible-value", line)]


@pytest.mark.parametrize("written", ['"auto"', "5e8", "500000000.0"])
def test_what_is_filled_in_or_whole_is_quiet(lint_text: Lint, written: str) -> None:
    assert not lint_text(ENGINE.format(**{**RIGHT, "bucket": written}), "ds_config.json")


@pytest.mark.parametrize(
    ("name", "written", "cause", "line"),
    [
        ("lr", '"3e-4"', "impossible-value", 3),
        ("micro", '"8"', "impossible-value", 5),
        ("compile", '"false"', "option-reads-otherwise", 9),
    ],
)
def test_torchtitan(lint_text: Lint, name: str, written: str, cause: str, line: int) -> None:
    assert not lint_text(TITAN.format(**SET), "train.toml")
    found = lint_text(TITAN.format(**{**SET, name: written}), "train.toml")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


def test_a_number_of_many_digits_is_told_by_its_beginning(lint_text: Lint) -> None:
    text = f"max_steps: {'9' * 5000}\nlearning_rate: 1.0e-5\nper_device_train_batch_size: 1\n"
    (found,) = lint_text(text)
    assert found.line == 1
    assert "5,000" in found.message.en or "5000" in found.message.en
    assert len(found.message.en) < 300


def test_another_program_with_names_of_its_own(lint_text: Lint) -> None:
    text = '{"train_batch_size": "4", "gradient_accumulation_steps": 2, "optimizer": "lion"}\n'
    assert not lint_text(text, "config.json")


ACCELERATE = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmachine_rank: 0\n"
    "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\nuse_cpu: false\n"
)
NEOX = (
    '{\n  "num_layers": 12,\n  "hidden_size": 768,\n  "pipe_parallel_size": 1, "model_parallel_size": 1, "num_attention_heads": 12,\n'
    '  "train_iters": 1000,\n  "eval_iters": 10,\n  "hidden_dropout": 0.0,\n'
    '  "layernorm_fusion": false\n}\n'
)
QUIET = [
    ("num_processes: 8", "num_processes: ${N}"),
    ("num_processes: 8", "num_processes: auto"),
    ("num_processes: 8", "num_processes: null"),
    ("machine_rank: 0", "machine_rank: 0.0"),
]
FACTORY = (
    "model_name_or_path: some/model\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
    "dataset: some\ntemplate: qwen\ncutoff_len: 2048\noutput_dir: out\nlearning_rate: 1.0e-4\n"
    "num_train_epochs: 2.5\nlength_penalty: 1.2\nseed: 42\n"
)
TITAN_ALONE = (
    '[model]\nname = "llama3"\n[training]\nlocal_batch_size = 2\nseq_len = 4096\nsteps = 1000\n'
    "[lr_scheduler]\nwarmup_steps = 10\n[parallelism]\ntensor_parallel_degree = 2\n"
)


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "line"),
    [
        (ACCELERATE, "a.yaml", "machine_rank: 0", "machine_rank: 0.5", 3),
        (ACCELERATE, "a.yaml", "machine_rank: 0", "machine_rank: [0]", 3),
        (ACCELERATE, "a.yaml", "use_cpu: false", "use_cpu: 2", 7),
        (ACCELERATE, "a.yaml", "use_cpu: false", "use_cpu: enabled", 7),
        (NEOX, "a.yml", '"eval_iters": 10', '"eval_iters": [10]', 6),
        (NEOX, "a.yml", '"hidden_dropout": 0.0', '"hidden_dropout": 10%', 7),
        (ACCELERATE, "a.yaml", "num_processes: 8", "num_processes: eight", 6),
        (ACCELERATE, "a.yaml", "num_machines: 1", "num_machines: 1.5", 5),
        (NEOX, "a.yml", '"num_layers": 12', '"num_layers": many', 2),
        (NEOX, "a.yml", '"layernorm_fusion": false\n', '"seed": 12.5\n', 8),
        (NEOX, "a.yml", '"layernorm_fusion": false', '"layernorm_fusion": 2', 8),
        (TITAN_ALONE, "a.toml", "steps = 1000", 'steps = "1,000"', 6),
    ],
)
def test_what_a_framework_declares(
    lint_text: Lint, text: str, name: str, old: str, new: str, line: int
) -> None:
    assert [f for f in lint_text(text, name) if f.severity != "info"] == []
    found = lint_text(text.replace(old, new), name)
    told = [(f.name, f.line) for f in found if f.severity != "info"]
    assert told == [("impossible-value", line)]


@pytest.mark.parametrize(("old", "new"), QUIET)
def test_a_word_that_stands_for_a_number(lint_text: Lint, old: str, new: str) -> None:
    found = lint_text(ACCELERATE.replace(old, new), "a.yaml")
    assert not [f for f in found if f.name == "impossible-value"]


HF = (
    "python run_clm.py --model_name_or_path some/model --output_dir out --save_total_limit 2 "
    "--evaluation_strategy no --save_strategy steps --logging_steps 1 --report_to none "
    "--per_device_train_batch_size 1 --learning_rate 1e-5 --bf16 {word} --tf32 True\n"
)


@pytest.mark.parametrize(
    ("word", "fires"), [("2", 1), ("half", 1), ("True", 0), ("1", 0), ("$BF16", 0), ("", 0)]
)
def test_a_word_behind_a_switch(lint_text: Lint, word: str, fires: int) -> None:
    found = lint_text(HF.format(word=word), "run.sh")
    assert sum(f.name == "impossible-value" for f in found) == fires


def test_a_part_of_what_is_not_counted(lint_text: Lint) -> None:
    assert not [f for f in lint_text(FACTORY) if f.name == "impossible-value"]
    (found,) = (f for f in lint_text(FACTORY.replace("42", "4.5")) if f.name == "impossible-value")
    assert found.line == 12
