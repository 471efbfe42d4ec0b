"""Schedules, intervals and values: clean files are silent, each mutation fires in place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Changed = Callable[[str, str, str, str], list[tuple[str, int]]]
Lint = Callable[..., tuple[LintFinding, ...]]

MEGATRON = """torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\
  --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 4 --global-batch-size 64 \\
  --train-iters 10000 --lr-decay-iters 10000 --lr-warmup-iters 100 \\
  --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --bf16 \\
  --weight-decay 0.1 --adam-beta2 0.95 --adam-eps 1e-8 --clip-grad 1.0 \\
  --hidden-dropout 0.1 \\
  --save ckpt --save-interval 500 --eval-interval 500 --log-interval 10
"""
SAMPLES = """torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\
  --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 4 --global-batch-size 64 \\
  --train-samples 640000 --lr-decay-samples 640000 \\
  --lr-warmup-samples 6400 \\
  --lr 3e-4 --bf16
"""
HF = """torchrun --nproc_per_node 8 sft.py --model_name_or_path base \\
  --per_device_train_batch_size 4 --gradient_accumulation_steps 2 \\
  --learning_rate 1e-5 --warmup_steps 60 --lr_scheduler_type cosine \\
  --max_steps 2000 --bf16 True \\
  --save_strategy steps --save_steps 400 --eval_strategy steps --eval_steps 200 \\
  --load_best_model_at_end True \\
  --dataloader_num_workers 4 --dataloader_pin_memory True --output_dir out
"""
SLURM = """srun --nodes 1 --cpus-per-task 8 torchrun --nproc_per_node 8 sft.py \\
  --model_name_or_path base --per_device_train_batch_size 4 \\
  --dataloader_num_workers 8 --learning_rate 1e-5 --bf16 True --output_dir out
"""
AXOLOTL = """base_model: some/base
adapter: lora
lora_r: 16
lora_alpha: 32
lora_dropout: 0.05
micro_batch_size: 2
gradient_accumulation_steps: 4
sequence_len: 2048
num_epochs: 3
learning_rate: 0.0001
warmup_ratio: 0.05
lr_scheduler: cosine
optimizer: adamw_torch
bf16: true
"""
ZERO = """{
  "train_micro_batch_size_per_gpu": 4,
  "zero_optimization": {
    "stage": 3,
    "stage3_gather_16bit_weights_on_model_save": true
  },
  "bf16": {"enabled": true}
}
"""
OWN = """model: {hidden_size: 256, num_layers: 4, num_heads: 4, vocab_size: 512}
training:
  precision: bf16
  total_steps: 400
  lr: 0.0006
  warmup_steps: 40
  eps: 1.0e-8
"""
IMPOSSIBLE = "impossible-value"
BEST = "save-and-eval-strategy-differ"
MUTATIONS = [
    (OWN, "config.yaml", "eps: 1.0e-8", "eps: 0.1", "adam-epsilon-large", 7),
    (OWN, "config.yaml", "lr: 0.0006", "lr: 0.03", "learning-rate-too-high", 5),
    (MEGATRON, "a.sh", "min-lr 3e-5", "min-lr 3e-3", "minimum-rate-above-peak", 6),
    (
        MEGATRON,
        "a.sh",
        "--lr-warmup-iters 100",
        "--lr-warmup-fraction 1.5",
        "warmup-longer-than-decay",
        5,
    ),
    (
        MEGATRON,
        "a.sh",
        "--lr-warmup-iters 100",
        "--lr-warmup-iters 4000",
        "warmup-share-unusual",
        5,
    ),
    (MEGATRON, "a.sh", "micro-batch-size 4", "micro-batch-size 0", IMPOSSIBLE, 4),
    (MEGATRON, "a.sh", "lr 3e-4", "lr 0", IMPOSSIBLE, 6),
    (MEGATRON, "a.sh", "beta2 0.95", "beta2 1.5", IMPOSSIBLE, 7),
    (MEGATRON, "a.sh", "beta2 0.95", "beta2 0.999", "second-moment-too-slow", 7),
    (MEGATRON, "a.sh", "weight-decay 0.1", "weight-decay -0.1", IMPOSSIBLE, 7),
    (MEGATRON, "a.sh", "weight-decay 0.1", "weight-decay 1.0", "weight-decay-too-large", 7),
    (MEGATRON, "a.sh", "adam-eps 1e-8", "adam-eps 0", "adam-epsilon-vanishes", 7),
    (MEGATRON, "a.sh", "adam-eps 1e-8", "adam-eps 1e-2", "adam-epsilon-large", 7),
    (MEGATRON, "a.sh", "clip-grad 1.0", "clip-grad 1000", "clip-threshold-unusual", 7),
    (MEGATRON, "a.sh", "dropout 0.1", "dropout 1.1", IMPOSSIBLE, 8),
    (MEGATRON, "a.sh", "save-interval 500", "save-interval 50000", "no-checkpoint-during-run", 9),
    (MEGATRON, "a.sh", "save-interval 500", "save-interval 5", "checkpoints-too-frequent", 9),
    (MEGATRON, "a.sh", "eval-interval 500", "eval-interval 50000", "no-evaluation-during-run", 9),
    (MEGATRON, "a.sh", "log-interval 10", "log-interval 20000", "nothing-logged-during-run", 9),
    (
        SAMPLES,
        "a.sh",
        "warmup-samples 6400",
        "warmup-samples 640000",
        "warmup-longer-than-decay",
        6,
    ),
    (HF, "a.sh", "warmup_steps 60", "warmup_steps 900", "warmup-share-unusual", 3),
    (HF, "a.sh", "save_steps 400", "save_steps 500", BEST, 5),
    (HF, "a.sh", "--save_strategy steps --save_steps 400", "--save_strategy epoch", BEST, 5),
    (SLURM, "a.sh", "num_workers 8", "num_workers 16", "more-workers-than-cpus", 3),
    (AXOLOTL, "a.yaml", "alpha: 32", "alpha: 512", "lora-scale-unusual", 4),
    (AXOLOTL, "a.yaml", "alpha: 32", "alpha: -16", "lora-scale-unusual", 4),
    (AXOLOTL, "a.yaml", "alpha: 32", "alpha: 0", IMPOSSIBLE, 4),
    (AXOLOTL, "a.yaml", "dropout: 0.05", "dropout: 5", IMPOSSIBLE, 5),
    (AXOLOTL, "a.yaml", "steps: 4", "steps: 0", IMPOSSIBLE, 7),
    (AXOLOTL, "a.yaml", "warmup_ratio: 0.05", "warmup_ratio: 5", IMPOSSIBLE, 11),
    (AXOLOTL, "a.yaml", "epochs: 3", "epochs: 3\nmax_steps: 400", "epochs-and-steps-both-set", 9),
    (HF, "a.sh", "2000", "2000 --num_train_epochs 3", "epochs-and-steps-both-set", 4),
    (ZERO, "ds.json", "true\n  }", "false\n  }", "ungathered-shards-saved", 4),
]
WORKERS = [
    ("num_workers 4", "num_workers 0", {"pinned-memory-without-workers", "slow-data-loader"}),
]


@pytest.mark.parametrize(("old", "new", "causes"), WORKERS)
def test_loading_in_the_training_process(
    lint_text: Lint, old: str, new: str, causes: set[str]
) -> None:
    """Two faults of one line: no workers, and pinned memory that needs them."""
    found = lint_text(HF.replace(old, new), "a.sh")
    assert {(f.name, f.line) for f in found} == {(cause, 7) for cause in causes}


@pytest.mark.parametrize(("text", "name"), list(dict.fromkeys((r[0], r[1]) for r in MUTATIONS)))
def test_clean_files_are_silent(lint_text: Lint, text: str, name: str) -> None:
    assert lint_text(text, name) == ()


@pytest.mark.parametrize(("text", "name", "old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_changed: Changed, text: str, name: str, old: str, new: str, cause: str, line: int
) -> None:
    assert lint_changed(text, name, old, new) == [(cause, line)]


def test_a_part_that_is_off_has_no_nodes(lint_text: Callable[..., tuple[LintFinding, ...]]) -> None:
    text = "_target_: mine.Reward\ndefaults:\n  - _self_\nenable: false\nnnodes: 0\n"
    assert "impossible-value" not in [f.name for f in lint_text(text, "reward.yaml")]


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        ("warmup_ratio: 0.05", "warmup_ratio: 0.3", "steps are lost at a low rate"),
        ("warmup_ratio: 0.05", "warmup_ratio: 0.0002", "the first updates may be too large"),
        ("alpha: 32", "alpha: 512", "the update is much larger than in known recipes"),
        ("alpha: 32", "alpha: 1", "the update is much smaller than in known recipes"),
        ("alpha: 32", "alpha: -16", "the update is subtracted"),
    ],
)
def test_what_follows_is_that_of_the_side_it_is_on(
    lint_text: Callable[..., tuple[LintFinding, ...]], old: str, new: str, effect: str
) -> None:
    (found,) = lint_text(AXOLOTL.replace(old, new), "a.yaml")
    assert found.consequence.en.startswith(effect)
    assert "{" not in found.consequence.zh


def test_an_alpha_of_0_is_the_default_of_llama_factory(
    lint_text: Callable[..., tuple[LintFinding, ...]],
) -> None:
    text = (
        "model_name_or_path: some/base\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
        "lora_rank: 8\nlora_alpha: 0\ndataset: mine\ntemplate: default\noutput_dir: out\n"
    )
    assert "lora_alpha" not in " ".join(f.message.en for f in lint_text(text, "a.yaml"))
    other = AXOLOTL.replace("alpha: 32", "alpha: 0")
    assert "lora_alpha" in " ".join(f.message.en for f in lint_text(other, "a.yaml"))


COUNTS = (
    "model_name_or_path: some/base\noutput_dir: out\nper_device_train_batch_size: {batch}\n"
    "max_steps: {steps}\nsave_steps: {saves}\nlearning_rate: 1.0e-5\n"
)


@pytest.mark.parametrize(
    ("batch", "steps", "saves", "found"),
    [
        ("4", "1000", "500.0", []),  # made whole by TrainingArguments
        ("4", "1.0e+3", "500", [("option-reads-otherwise", 4)]),
        ("4.0", "1000", "500", [("option-reads-otherwise", 3)]),
        ("4", "1e3", "500", [("number-read-as-text", 4)]),
    ],
)
def test_a_whole_number_with_a_dot_stays_a_float(
    lint_text: Callable[..., tuple[LintFinding, ...]],
    batch: str,
    steps: str,
    saves: str,
    found: list[tuple[str, int]],
) -> None:
    told = lint_text(COUNTS.format(batch=batch, steps=steps, saves=saves), "a.yaml")
    assert [(f.name, f.line) for f in told if f.severity != "info"] == found
    for one in told:
        if one.name == "number-read-as-text":
            assert one.fix is not None
            assert one.fix.patch is not None
            assert [edit.text for edit in one.fix.patch.edits] == ["1000"]


def test_a_number_of_too_many_digits_is_one(
    lint_text: Callable[..., tuple[LintFinding, ...]],
) -> None:
    found = lint_text(COUNTS.format(batch="9" * 5000, steps="1000", saves="500"), "a.yaml")
    (one,) = [f for f in found if f.name == "impossible-value"]
    assert "this has 5000 digits" in one.message.en
