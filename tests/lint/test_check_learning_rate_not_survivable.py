"""A peak learning rate of Adam that overwrites the weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

TEXT = """learning_rate: {rate}
optim: {optimizer}
per_device_train_batch_size: 2
num_train_epochs: 2
output_dir: out
"""


@pytest.mark.parametrize(
    ("rate", "optimizer", "fires"),
    [
        ("3", "adamw_torch", True),
        ("0.2", "adamw_torch", True),
        ("0.08", "adamw_torch", True),
        ("0.05", "adamw_torch", False),
        ("0.08", "sgd", False),
        ("2.0e-5", "adamw_torch", False),
        ("0.1", "sgd", False),
        ("1.0", "adafactor", False),
        ("1.0", "prodigy", False),
    ],
)
def test_rates_of_adam(lint_text: Lint, rate: str, optimizer: str, fires: bool) -> None:
    found = lint_text(TEXT.format(rate=rate, optimizer=optimizer))
    told = [f for f in found if f.name == "learning-rate-not-survivable"]
    assert bool(told) == fires
    if told:
        assert (told[0].severity, told[0].line) == ("warning", 1)
        assert "learning-rate-too-high" not in {f.name for f in found}


SCALED = ["use_mup: true\n", "width_mult: 8\n", "layer_decay: 0.75\n"]


@pytest.mark.parametrize("more", SCALED)
def test_a_rate_that_is_scaled_layer_by_layer_may_be_large(lint_text: Lint, more: str) -> None:
    found = lint_text(more + TEXT.format(rate="0.08", optimizer="adamw_torch"))
    assert "learning-rate-not-survivable" not in {f.name for f in found}


PUBLISHED = [
    ("model_name_or_path: some/model\n", "0.01", True),
    ("model_name_or_path: some/model\n", "0.005", False),
    ("model_name_or_path: some/model\nlora_rank: 8\n", "0.02", False),
    ("model_name_or_path: some/model\nlora_rank: 8\n", "0.08", True),
    ("model_name_or_path: some/model\nlora_rank: 8\nuse_dora: true\n", "0.08", False),
]


@pytest.mark.parametrize(("more", "rate", "fires"), PUBLISHED)
def test_ten_times_what_is_published_for_the_kind(
    lint_text: Lint, more: str, rate: str, fires: bool
) -> None:
    found = lint_text(more + TEXT.format(rate=rate, optimizer="adamw_torch"))
    assert ("learning-rate-not-survivable" in {f.name for f in found}) == fires


MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers {layers} --hidden-size {hidden} \\
  --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr {rate}
"""
SIZES = [(32, 4096, "0.02", True), (32, 4096, "0.005", False), (8, 512, "0.02", False)]


@pytest.mark.parametrize(("layers", "hidden", "rate", "fires"), SIZES)
def test_ten_times_what_is_published_for_the_size(
    lint_text: Lint, layers: int, hidden: int, rate: str, fires: bool
) -> None:
    found = lint_text(MEGATRON.format(layers=layers, hidden=hidden, rate=rate), "run.sh")
    assert ("learning-rate-not-survivable" in {f.name for f in found}) == fires


WHOLE = [
    ("model_name_or_path: some/Model-8B\n", "0.005", True),
    ("model_name_or_path: some/Model-8B\n", "0.001", False),
    ("model_name_or_path: some/Model-0.5B\n", "0.005", False),
    ("model_name_or_path: some/Model-8B\nfinetuning_type: freeze\n", "0.005", False),
    ("model_name_or_path: some/Model-8B\npre_seq_len: 128\n", "0.02", False),
    ("model_name_or_path: some/Model-8B\nuse_galore: true\n", "0.01", False),
    ("model_name_or_path: some/Model-8B\nuse_peft: true\n", "0.01", False),
]


@pytest.mark.parametrize(("more", "rate", "fires"), WHOLE)
def test_all_weights_of_a_large_model(lint_text: Lint, more: str, rate: str, fires: bool) -> None:
    found = lint_text(more + TEXT.format(rate=rate, optimizer="adamw_torch"))
    assert ("learning-rate-not-survivable" in {f.name for f in found}) == fires


PREFERENCES = """model_name_or_path: my/model
stage: {stage}
do_train: true
finetuning_type: {kind}
dataset: mine
template: qwen
learning_rate: {rate}
per_device_train_batch_size: 1
num_train_epochs: 1.0
output_dir: out
"""


@pytest.mark.parametrize(
    ("stage", "kind", "rate", "new"),
    [
        ("dpo", "lora", "5.0e6", "5.0e-6"),
        ("dpo", "full", "5.0e7", "5.0e-7"),
        ("sft", "full", "2.0e5", "2.0e-5"),
        ("sft", "lora", "5.0e6", "5.0e-6"),
        ("dpo", "full", "3.0e4", "by hand"),  # no rate for preferences, with either sign
        ("dpo", "lora", "2.0", "by hand"),
        ("dpo", "full", "5.0e-6", ""),
        ("sft", "full", "2.0e-5", ""),
    ],
)
def test_a_lost_minus_and_the_rates_of_the_kind(
    lint_text: Lint, stage: str, kind: str, rate: str, new: str
) -> None:
    found = lint_text(PREFERENCES.format(stage=stage, kind=kind, rate=rate))
    told = [f for f in found if f.name == "learning-rate-not-survivable"]
    assert bool(told) == bool(new)
    assert not [f for f in found if f.name in ("learning-rate-too-high", "learning-rate-too-low")]
    for one in told:
        if new == "by hand":
            assert one.fix is None
            assert "write the rate that was meant" in str(one.by_hand[0].en)
            continue
        assert one.fix is not None
        assert one.fix.patch is not None
        assert f"+learning_rate: {new}" in one.fix.patch.diff


@pytest.mark.parametrize(
    ("stage", "rate", "fires"),
    [("dpo", "2.0e-4", True), ("sft", "2.0e-4", False), ("dpo", "1.0e-5", False)],
)
def test_what_is_high_for_preferences(lint_text: Lint, stage: str, rate: str, fires: bool) -> None:
    found = lint_text(PREFERENCES.format(stage=stage, kind="full", rate=rate))
    assert ("learning-rate-too-high" in {f.name for f in found}) == fires


def test_an_optimizer_that_is_not_known(lint_text: Lint) -> None:
    found = lint_text("lr: 0.5\nbatch_size: 8\nsteps: 1000\n")
    assert "learning-rate-not-survivable" not in {f.name for f in found}


@pytest.mark.parametrize(
    ("written", "fires"),
    [
        ("flash_attn2", True),
        ("flash-attention-2", True),
        ("flash_attention2", True),
        ("flash_attention_2", False),
        ("sdpa", False),
        ("kernels-community/flash-attn2", False),
        ("my_own_attention", False),
    ],
)
def test_the_name_of_an_attention(lint_text: Lint, written: str, fires: bool) -> None:
    text = f"model_name_or_path: a/b\nattn_implementation: {written}\nlearning_rate: 1.0e-5\n"
    found = lint_text(text + "per_device_train_batch_size: 2\noutput_dir: out\n")
    told = [f for f in found if f.name == "flag-value-not-accepted"]
    assert [f.line for f in told] == ([2] if fires else [])


OWN = """model: {{hidden_size: 256, num_layers: 4, vocab_size: 512}}
training: {{lr: {rate}, total_steps: 300, micro_batch_size: 16, seq_len: 128{more}}}
"""


@pytest.mark.parametrize(
    ("rate", "more", "severity"),
    [
        ("0.08", "", "warning"),
        ("0.06", "", "warning"),
        ("0.04", "", "info"),
        ("0.02", "", None),
        ("0.003", "", None),
        ("0.08", ", optimizer: sgd", None),
        ("0.08", ", resume_from: out/step10.pt", "info"),
    ],
)
def test_a_rate_of_an_unstated_optimizer_ten_times_above_all_published_is_a_warning(
    lint_text: Lint, rate: str, more: str, severity: str | None
) -> None:
    found = lint_text(OWN.format(rate=rate, more=more))
    told = [f.severity for f in found if f.name == "learning-rate-too-high"]
    assert told == ([severity] if severity else [])
