"""What a run printed at its start, held against the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from medic.probes.config.start_blocks import HEAD, MAX_LINES, printed
from medic.probes.config.start_literals import MAX_TEXT, settings_of

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "printed-value-differs"

ENGINE = (
    "{\n"
    ' "train_batch_size": 64,\n'
    ' "train_micro_batch_size_per_gpu": 4,\n'
    ' "zero_optimization": {"stage": 2},\n'
    ' "bf16": {"enabled": true}\n'
    "}\n"
)
P = "[2026-01-01 00:00:00,000] [INFO] [config.py:958:print] "
ENGINE_LOG = (
    f"{P}DeepSpeedEngine configuration:\n"
    f"{P}  activation_checkpointing_config  {{\n"
    '    "partition_activations": false\n'
    "}\n"
    f"{P}  bfloat16_enabled ............. True\n"
    f"{P}  train_batch_size ............. 64\n"
    f"{P}  train_micro_batch_size_per_gpu  4\n"
    f"{P}  zero_optimization_stage ...... 2\n"
    f"{P}  json = {{\n"
    '    "train_batch_size": 64, \n'
    '    "zero_optimization": {\n'
    '        "stage": 2\n'
    "    }\n"
    "}\n"
)
MEGATRON = (
    "MODEL_ARGS:\n"
    "  --micro-batch-size: 2\n"
    "  --global-batch-size: 64\n"
    "  --train-iters: 1000\n"
    "  --lr: 3.0e-4\n"
    "  --lr-decay-style: cosine\n"
)
MEGATRON_LOG = (
    "[default0]:using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1,"
    " pipeline-model-parallel size: 1\n"
    "[default0]:------------------------ arguments ------------------------\n"
    "[default0]:  global_batch_size ............................... 64\n"
    "[default0]:  lr .............................................. 0.0003\n"
    "[default0]:  lr_decay_iters .................................. None\n"
    "[default0]:  micro_batch_size ................................ 2\n"
    "[default0]:  train_iters ..................................... 1000\n"
    "[default0]:-------------------- end of arguments ---------------------\n"
    "lr ............ 7\n"
)
NEOX = (
    "train_micro_batch_size_per_gpu: 4\ntrain_iters: 100\npipe_parallel_size: 1\n"
    "model_parallel_size: 1\noptimizer: {type: Adam, params: {lr: 0.0006}}\n"
)
NEOX_LOG = (
    "-------------------- arguments --------------------\n"
    "  train_micro_batch_size_per_gpu ... 4...........................updated\n"
    "  train_iters ..................... 100.........................updated\n"
    "---------------- end of arguments ----------------\n"
)
TRAINER = (
    "output_dir: out\n"
    "per_device_train_batch_size: 4\n"
    "gradient_accumulation_steps: 8\n"
    "learning_rate: 0.00002\n"
    "max_steps: 500\n"
)
H = "[INFO|trainer.py:2519] 2026-01-01 00:00:00,000 >> "
TRAINER_LOG = (
    f"{H}***** Running training *****\n"
    f"{H}  Num examples = 52,002\n"
    f"{H}  Num Epochs = 2\n"
    f"{H}  Instantaneous batch size per device = 4\n"
    f"{H}  Total train batch size (w. parallel, distributed & accumulation) = 256\n"
    f"{H}  Gradient Accumulation steps = 8\n"
    f"{H}  Total optimization steps = 500\n"
)
ARGUMENTS_LOG = (
    "01/01/2026 00:00:00 - INFO - __main__ - Training/evaluation parameters TrainingArguments(\n"
    "_n_gpu=1,\n"
    "eval_strategy=IntervalStrategy.NO,\n"
    "learning_rate=2e-05,\n"
    "accelerator_config={'split_batches': False},\n"
    "max_steps=500,\n"
    ")\n"
)
TITAN = (
    '[job]\ndump_folder = "out"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\nsteps = 600\n'
    "[optimizer]\nlr = 8e-4\n"
)
T = "[rank0]:[titan] 2026-01-01 00:00:00,000 - root - INFO - "
TITAN_LOG = (
    f"{T}Running with configs: {{\n"
    '[rank0]:  "training": {\n'
    '[rank0]:    "local_batch_size": 8,\n'
    '[rank0]:    "global_batch_size": -1,\n'
    '[rank0]:    "seq_len": 2048,\n'
    '[rank0]:    "steps": 600\n'
    "[rank0]:  },\n"
    '[rank0]:  "optimizer": {"lr": 0.0008}\n'
    "[rank0]:}\n"
    f"{T}Trainer is initialized with local batch size 8, global batch size 64, gradient"
    " accumulation steps 1, sequence length 2048, total steps 600 (warmup 200)\n"
)
NANOTRON = (
    "tokens:\n"
    "  batch_accumulation_per_replica: 2\n"
    "  micro_batch_size: 4\n"
    "  sequence_length: 512\n"
    "  train_steps: 300\n"
    "parallelism: {dp: 2, tp: 1, pp: 1}\n"
)
NANOTRON_LOG = (
    "01/01/2026 00:00:00 [INFO|DP=0|PP=0|TP=0]: Config:\n"
    "01/01/2026 00:00:00 [INFO|DP=0|PP=0|TP=0]: Config(general=GeneralArgs(project='p',\n"
    "                           run='r'),\n"
    "       parallelism=ParallelismArgs(dp=2,\n"
    "              pp_engine=<a.b.Engine object at 0x7f00aa>,\n"
    "              tp_mode=<Mode.REDUCE_SCATTER: 2>,\n"
    "              tp=1),\n"
    "       model=ModelArgs(dtype=torch.bfloat16),\n"
    "       tokens=TokensArgs(sequence_length=512,\n"
    "                         train_steps=300,\n"
    "                         micro_batch_size=4))\n"
    "01/01/2026 00:00:01 [INFO|DP=0|PP=0|TP=0]: [Start training] Start training | mbs: 4 |"
    " grad_accum: 2 | global_batch_size: 16 | sequence_length: 512 | train_steps: 300 |"
    " start_iteration_step: 0 | consumed_train_samples: 0\n"
)
VERL = (
    "actor_rollout_ref:\n"
    "  actor:\n"
    "    ppo_mini_batch_size: 64\n"
    "    optim:\n"
    "      lr: 0.000001\n"
    "trainer:\n"
    "  total_epochs: 2\n"
    "  save_freq: 20\n"
)
VERL_LOG = (
    "(TaskRunner pid=7) {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,\n"
    "(TaskRunner pid=7)                                  'optim': {'lr': 1e-06,\n"
    "(TaskRunner pid=7)                                            'betas': [0.9, 0.999]}}},\n"
    "(TaskRunner pid=7)  'trainer': {'save_freq': 20, 'total_epochs': 2, 'x': None}}\n"
)
CLEAN = {
    "ds_config.json": (ENGINE, ENGINE_LOG),
    "megatron.yaml": (MEGATRON, MEGATRON_LOG),
    "neox.yml": (NEOX, NEOX_LOG),
    "trainer.yaml": (TRAINER, TRAINER_LOG),
    "arguments.yaml": (TRAINER, ARGUMENTS_LOG),
    "titan.toml": (TITAN, TITAN_LOG),
    "nanotron.yaml": (NANOTRON, NANOTRON_LOG),
    "verl.yaml": (VERL, VERL_LOG),
}
# (file, printed, what is printed instead, line of the file, field, line of the log)
MUTATIONS = [
    ("ds_config.json", "per_gpu  4", "per_gpu  8", 3, "micro_batch_size", 7),
    ("ds_config.json", '"stage": 2', '"stage": 3', 4, "zero_stage", 12),
    ("megatron.yaml", "0.0003", "0.001", 5, "learning_rate", 4),
    ("megatron.yaml", "... 1000", "... 1200", 4, "total_steps", 7),
    ("neox.yml", "4......", "2......", 1, "micro_batch_size", 2),
    ("trainer.yaml", "steps = 8", "steps = 1", 3, "gradient_accumulation_steps", 6),
    ("trainer.yaml", "device = 4", "device = 2", 2, "micro_batch_size", 4),
    ("trainer.yaml", "= 500", "= 1,500", 5, "total_steps", 7),
    ("arguments.yaml", "2e-05", "5e-05", 4, "learning_rate", 4),
    ("titan.toml", '"lr": 0.0008', '"lr": 0.0001', 8, "learning_rate", 8),
    ("titan.toml", "local batch size 8", "local batch size 2", 4, "micro_batch_size", 10),
    ("titan.toml", "total steps 600", "total steps 60", 6, "total_steps", 10),
    ("nanotron.yaml", "sequence_length=512", "sequence_length=256", 4, "sequence_length", 9),
    ("nanotron.yaml", "grad_accum: 2", "grad_accum: 4", 2, "gradient_accumulation_steps", 12),
    ("verl.yaml", "1e-06", "5e-06", 5, "learning_rate", 2),
]


@pytest.mark.parametrize("name", CLEAN)
def test_a_start_that_agrees_is_silent(lint_text: Lint, name: str) -> None:
    text, log = CLEAN[name]
    assert NAME not in [f.name for f in lint_text(text, name, {"run.log": log})]


@pytest.mark.parametrize(("name", "old", "new", "line", "field", "at"), MUTATIONS)
def test_a_printed_value_that_differs_is_told_with_both_lines(
    lint_text: Lint, tmp_path: Path, name: str, old: str, new: str, line: int, field: str, at: int
) -> None:
    text, log = CLEAN[name]
    assert old in log
    findings = lint_text(text, name, {"run.log": log.replace(old, new)})
    found = [f for f in findings if f.name == NAME]
    assert [(Path(f.file).name, f.line) for f in found] == [(name, line)]
    assert found[0].message.en.startswith(field)
    assert f"run.log:{at}" in found[0].message.en


def test_a_value_computed_from_the_files_is_held_against_the_print(lint_text: Lint) -> None:
    text = TRAINER + "deepspeed: ds.json\n"
    launch = "torchrun --nproc_per_node 8 --nnodes 1 train.py config.yaml\n"
    log = TRAINER_LOG.replace("= 256", "= 128")
    found = [
        f
        for f in lint_text(text, "config.yaml", {"run.log": log, "go.sh": launch})
        if f.name == NAME
    ]
    assert [f.line for f in found] == [2]
    assert "256" in found[0].message.en
    assert "128" in found[0].message.en


def test_the_last_start_of_a_log_counts(lint_text: Lint) -> None:
    log = TRAINER_LOG.replace("device = 4", "device = 2") + "step 1\n" + TRAINER_LOG
    assert NAME not in [f.name for f in lint_text(TRAINER, "config.yaml", {"run.log": log})]


@pytest.mark.parametrize(
    "log",
    [
        "Running with configs: {\n" * 3,
        "Config(general=" + "(" * 500 + "\n",
        "json = {'a': __import__('os').system('x')}\n",
        f"{P}  json = {{\n" + '"a": 1,\n' * 6000,
        "------------------------ arguments ------------------------\n . .. \n",
    ],
)
def test_broken_prints_say_nothing(lint_text: Lint, log: str) -> None:
    assert NAME not in [f.name for f in lint_text(TRAINER, "config.yaml", {"run.log": log})]


@pytest.mark.parametrize(
    "log",
    [
        "Running with args: {" + "a" * 60_000 + "\n" + ("x" * 60_000 + "\n") * 200,
        "----------- arguments -----------\n" + ("a b" + " " * 60_000 + "x\n") * 50,
        "Config(general=" + "<" * 60_000 + "\n",
    ],
)
def test_long_lines_say_nothing(lint_text: Lint, log: str) -> None:
    assert NAME not in [f.name for f in lint_text(TRAINER, "config.yaml", {"run.log": log})]


def test_of_a_line_the_head_is_read() -> None:
    said = "Total optimization steps = 100"
    assert [one.value for one in printed([(1, " " * 9 + said)])] == [100]
    assert not list(printed([(1, " " * HEAD + said)]))


def test_of_a_printed_value_so_many_lines_and_characters_are_read() -> None:
    for blanks, read in ((1, True), (MAX_LINES, False)):
        lines = [(1, "Running with args: {'a': 1,"), *[(2, "")] * blanks, (3, "}")]
        assert bool(list(printed(lines))) is read
    for blanks, read in ((1, True), (MAX_TEXT, False)):
        assert bool(settings_of("{'a': 1" + " " * blanks + "}")) is read
