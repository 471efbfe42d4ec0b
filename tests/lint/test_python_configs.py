"""Configurations that are Python: nanoGPT's, NeMo 2 recipes, arguments of transformers and TRL."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.errors import Unreadable
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding
from medic.run_config import RunConfig
from medic.syntax import parse
from medic.syntax.python_reader import Reader
from medic.syntax.python_values import MAX_STEPS
from medic.syntax.source import MAX_NODES

Lint = Callable[..., tuple[LintFinding, ...]]
INDEX = load()
NANO = (
    "# how long\n"
    "out_dir = 'out'\n"
    "eval_iters = 20\n"
    "batch_size = 12\n"
    "block_size = 1024\n"
    "gradient_accumulation_steps = 5 * 8\n"
    "max_iters = 6_000\n"
    "lr_decay_iters = max_iters\n"
    "warmup_iters = 200\n"
    "learning_rate = 6e-4\n"
    "dtype = 'bfloat16'\n"
)
RECIPE = (
    "import nemo_run as run\n"
    "def trainer(tp=2, nodes=1, max_steps=1000, callbacks=None):\n"
    "    strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=tp,\n"
    "        pipeline_model_parallel_size=1, context_parallel_size=1)\n"
    "    return run.Config(\n"
    "        nl.Trainer, devices=8, num_nodes=nodes, max_steps=max_steps, strategy=strategy,\n"
    "        val_check_interval=100,\n"
    "        plugins=bf16_mixed())\n"
    "def pretrain_recipe(name='mine', num_nodes=2, fn=pretrain):\n"
    "    return run.Partial(\n"
    "        fn,\n"
    "        trainer=trainer(nodes=num_nodes),\n"
    "        data=run.Config(Mock, seq_length=4096, global_batch_size=64, micro_batch_size=2),\n"
    "        optim=fused_adam(max_lr=3e-4),\n"
    "    )\n"
    "def finetune_recipe():\n"
    "    recipe = pretrain_recipe()\n"
    "    recipe.data.global_batch_size = 7\n"
    "    return recipe\n"
)
SCRIPT = (
    "from nemo.collections import llm\n"
    "def recipe_of(nodes: int, gpus: int = 4):\n"
    "    recipe = llm.some_model.pretrain_recipe(num_nodes=nodes, num_gpus_per_node=gpus)\n"
    "    recipe.trainer.max_steps = 300\n"
    "    recipe.data.global_batch_size = 32\n"
    "    recipe.data.micro_batch_size = 2\n"
    "    return recipe\n"
    "def launch():\n"
    "    recipe = recipe_of(nodes=2)\n"
    "    recipe.optim.lr_scheduler.warmup_steps = 30\n"
    "    run.run(recipe)\n"
    'if __name__ == "__main__":\n'
    "    launch()\n"
)
ARGUMENTS = (
    "from transformers import Trainer, TrainingArguments\n"
    "def main(cli):\n"
    "    size = 4\n"
    "    args = TrainingArguments(\n"
    "        output_dir='out',\n"
    "        per_device_train_batch_size=size,\n"
    "        gradient_accumulation_steps=cli.accumulation,\n"
    "        learning_rate=2e-5,\n"
    "        max_steps=100,\n"
    "        warmup_steps=10,\n"
    "        bf16=True,\n"
    "    )\n"
    "    Trainer(model=model, args=args).train()\n"
)
ENGINE = (
    "import deepspeed\n"
    "MICRO = 4\n"
    "ds_config = {\n"
    '    "train_batch_size": 64,\n'
    '    "train_micro_batch_size_per_gpu": MICRO,\n'
    '    "gradient_accumulation_steps": 2,\n'
    '    "zero_optimization": {"stage": 2, "overlap_comm": True},\n'
    '    "bf16": {"enabled": True},\n'
    "}\n"
    "engine, *_ = deepspeed.initialize(model=model, config=ds_config)\n"
)
LIGHTNING = (
    "import lightning as L\n"
    "steps = 1000\n"
    "trainer = L.Trainer(\n"
    '    accelerator="gpu", devices=8, num_nodes=1, max_steps=steps,\n'
    '    precision="bf16-mixed",\n'
    "    accumulate_grad_batches=4,\n"
    "    gradient_clip_val=1.0, log_every_n_steps=10,\n"
    ")\n"
    "trainer.fit(model, data)\n"
)
CLEAN = {
    "engine.py": ENGINE,
    "lightning.py": LIGHTNING,
    "nano.py": NANO,
    "recipe.py": RECIPE,
    "script.py": SCRIPT,
    "arguments.py": ARGUMENTS,
}
MUTATIONS = [
    ("nano.py", "warmup_iters = 200", "warmup_iters = 7000", "warmup-longer-than-run", 9),
    ("nano.py", "learning_rate", "learing_rate", "misspelt-config-key", 10),
    ("nano.py", "'bfloat16'", "'bf16'", "flag-value-not-accepted", 11),
    ("recipe.py", "global_batch_size=64", "global_batch_size=62", "batch-not-divisible", 13),
    ("recipe.py", "val_check_interval=", "val_check_intervall=", "misspelt-config-key", 7),
    ("recipe.py", "context_parallel_size=", "context_paralel_size=", "misspelt-config-key", 4),
    ("script.py", "global_batch_size", "global_batchsize", "misspelt-config-key", 5),
    ("recipe.py", "tp=2", "tp=3", "parallel-sizes-exceed-world", 2),
    ("script.py", "warmup_steps = 30", "warmup_steps = 400", "warmup-longer-than-run", 10),
    ("script.py", "batch_size = 32", "batch_size = 31", "global-batch-not-multiple-of-micro", 5),
    ("engine.py", "overlap_comm", "overlap_com", "misspelt-config-key", 7),
    ("engine.py", "accumulation_steps", "accumulation_step", "misspelt-config-key", 6),
    ("lightning.py", '"bf16-mixed"', '"bf16_mixed"', "flag-value-not-accepted", 5),
    ("lightning.py", "num_nodes=1, ", "num_nodes=1, gpus=8, ", "argument-renamed-in-library", 4),
    ("arguments.py", "learning_rate=", "learning_rat=", "misspelt-config-key", 8),
    ("arguments.py", "warmup_steps=10", "warmup_steps=200", "warmup-longer-than-run", 10),
    ("arguments.py", "bf16=True,\n", "bf16=True, fp16=True,\n", "conflicting-values", 11),
]


def config_of(tmp_path: Path, text: str, name: str = "config.py") -> RunConfig:
    (tmp_path / name).write_text(text, "utf-8")
    return lint(collect([str(tmp_path / name)]), INDEX).run_config


@pytest.mark.parametrize("name", CLEAN)
def test_the_clean_files_are_clean(lint_text: Lint, name: str) -> None:
    assert not lint_text(CLEAN[name], name)


@pytest.mark.parametrize(("name", "old", "new", "check", "line"), MUTATIONS)
def test_one_thing_wrong_is_told(
    lint_text: Lint, name: str, old: str, new: str, check: str, line: int
) -> None:
    assert old in CLEAN[name]
    found = lint_text(CLEAN[name].replace(old, new, 1), name)
    assert [(f.name, f.line) for f in found] == [(check, line)]


def test_nanogpt_counts_the_micro_batches_of_all_processes(tmp_path: Path) -> None:
    config = config_of(tmp_path, NANO)
    assert config.framework == "nanogpt"
    assert config.get("global_batch_tokens") == 12 * 40 * 1024
    assert config.get("decay_steps") == 6000


@pytest.mark.parametrize(("accumulation", "fires"), [("5 * 8", False), ("12", True)])
def test_its_accumulation_is_a_multiple_of_the_processes(
    lint_text: Lint, accumulation: str, fires: bool
) -> None:
    text = NANO.replace("5 * 8", accumulation)
    launch = "torchrun --standalone --nproc_per_node=8 train.py nano.py --compile=False\n"
    found = [(f.name, f.line) for f in lint_text(text, "nano.py", {"go.sh": launch})]
    assert found == ([("batch-not-divisible", 6)] if fires else [])


def test_a_configuration_replaces_the_globals_of_the_program(
    tmp_path: Path, lint_text: Lint
) -> None:
    program = (
        "import torch\nbatch_size = 4\nmax_iters = 100\nwarmup_iters = 9000\nweight_decay = 0.1\n"
        "block_size = 64\neval_iters = 5\nout_dir = 'x'\ndecay_lr = True\n"
        "exec(open('configurator.py').read())\ndevice = torch.device('cuda')\nloss = step()\n"
    )
    assert not lint_text(NANO, "nano.py", {"train.py": program})
    files = [str(tmp_path / "nano.py"), str(tmp_path / "train.py")]
    config = lint(collect(files), INDEX).run_config
    assert [config.get(n) for n in ("micro_batch_size", "weight_decay")] == [12, 0.1]


def test_a_recipe_is_read_through_the_functions_of_its_file(tmp_path: Path) -> None:
    config = config_of(tmp_path, RECIPE)
    assert config.framework == "nemo2"
    wanted = {
        "tensor_parallel_size": 2,
        "nodes": 2,
        "gpus_per_node": 8,
        "total_steps": 1000,
        "global_batch_size": 64,
        "precision": "bf16",
        "learning_rate": 3e-4,
    }
    assert {name: config.get(name) for name in wanted} == wanted


def test_what_cannot_be_known_stays_unknown(tmp_path: Path) -> None:
    assert config_of(tmp_path, ARGUMENTS).get("gradient_accumulation_steps") is None
    changed = ARGUMENTS.replace("size = 4", "size = 4\n    if cli.small:\n        size = 2")
    assert config_of(tmp_path, changed).get("micro_batch_size") is None
    free = NANO + "import os\nmax_iters = int(os.environ['ITERS'])\n"
    assert config_of(tmp_path, free).get("total_steps") is None


def test_a_keyword_dictionary_hides_what_is_not_written(lint_text: Lint) -> None:
    text = (
        "args = TrainingArguments(output_dir='o', per_device_train_batch_size=1,\n"
        "    load_best_model_at_end=True, **more)\n"
    )
    assert not lint_text(text, "train.py")


@pytest.mark.parametrize(
    "text",
    ["batch_size = 3\nlearning_rate = 7\n", "def f(:\n", "x = 9 ** 9 ** 9 ** 9\n", "", "a" * 70000],
)
def test_a_program_is_no_configuration(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.py").write_text(text, "utf-8")
    report = lint(collect([str(tmp_path / "train.py")]), INDEX)
    assert not report.findings
    assert not report.failed
    assert not report.run_config.values


def test_arguments_count_more_than_the_globals_of_a_script(tmp_path: Path) -> None:
    names = "".join(f"name_{i} = {i}\n" for i in range(30))
    config = config_of(tmp_path, names + ARGUMENTS.replace("def main(cli):", "if True:"))
    assert config.get("micro_batch_size") == 4


def test_nothing_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w').write('x')\n" + NANO
    assert config_of(tmp_path, text).get("total_steps") == 6000
    assert not mark.exists()


GROUPS = "g0 = dict(a=1, b=2)\n" + "".join(
    f"g{i} = dict(a=g{i - 1}, b=g{i - 1})\n" for i in range(1, 60)
)
LISTS = "g0 = [1, 2]\n" + "".join(f"g{i} = [g{i - 1}, g{i - 1}]\n" for i in range(1, 60))
CALLS = "def f(a=1):\n" + "  if q:\n    b = 1\n" * 2000 + "  return a\n" + "f()\n" * 3000


@pytest.mark.parametrize(
    "text",
    [
        GROUPS,
        LISTS,
        "g = dict(a=1)\ng.me = g\ng.me.me.b = 2\n",
        "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n",
        "x = " + "-" * 20000 + "1\n",
        CALLS,
    ],
)
def test_hostile_programs_end(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.py").write_text(text, "utf-8")
    assert not lint(collect([str(tmp_path / "train.py")]), INDEX).failed


def test_a_program_is_read_for_so_many_steps() -> None:
    assert MAX_STEPS < Reader(ast.parse(CALLS)).steps < 2 * MAX_STEPS


def test_a_program_has_so_many_values() -> None:
    root = parse(GROUPS.encode(), "a.py").root
    assert root is not None
    assert sum(1 for _ in root.leaves()) < MAX_NODES
    with pytest.raises(Unreadable, match=f"more than {MAX_NODES:,} values"):
        parse(LISTS.encode(), "a.py")


def test_a_function_that_calls_itself_ends(tmp_path: Path) -> None:
    text = (
        "def f(n=1):\n    return f(n + 1)\ndef g():\n    return [g(), g(), f()]\nx = g()\n" + NANO
    )
    assert config_of(tmp_path, text).get("total_steps") == 6000
