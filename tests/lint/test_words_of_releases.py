"""Words that no known release takes, and words where a switch or the engine's auto is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
VALUE, IMPOSSIBLE = "flag-value-not-accepted", "impossible-value"
FACTORY = (
    "model_name_or_path: my/model\nstage: sft\ndo_train: true\nfinetuning_type: full\n"
    "dataset: mine\ntemplate: qwen\ncutoff_len: 2048\nper_device_train_batch_size: 1\n"
    "gradient_accumulation_steps: 8\nlearning_rate: 1.0e-5\nnum_train_epochs: 1.0\nbf16: true\n"
    "output_dir: out\n"
)
AXOLOTL = (
    "base_model: my/model\ndatasets:\n  - path: a/b\n    type: alpaca\nsequence_len: 2048\n"
    "micro_batch_size: 1\ngradient_accumulation_steps: 8\nnum_epochs: 1\nlearning_rate: 1e-5\n"
)
TITAN = (
    '[model]\nname = "llama3"\nflavor = "8B"\n'
    "[training]\nlocal_batch_size = 2\nseq_len = 4096\nsteps = 1000\n"
    "[optimizer]\nlr = 3e-4\n"
)
ENGINE = (
    '{"train_micro_batch_size_per_gpu": "auto", "gradient_clipping": "auto",\n'
    ' "zero_optimization": {"stage": 2, "overlap_comm": true},\n'
    ' "wall_clock_breakdown": false}\n'
)


def told(found: tuple[LintFinding, ...]) -> list[tuple[str, str]]:
    return [(f.name, f.severity) for f in found if f.name in (VALUE, IMPOSSIBLE)]


@pytest.mark.parametrize(
    ("text", "more", "severity"),
    [
        (FACTORY, "flash_attn: fa2\n", ""),
        (FACTORY, "flash_attn: auto\n", ""),
        (FACTORY, "flash_attn: fa4x\n", "warning"),
        (FACTORY, "report_to: comet_ml\n", ""),
        (FACTORY, "report_to: [wandb, papers]\n", "warning"),
        (FACTORY, "template: my_own\n", ""),  # forks register theirs
        (AXOLOTL, "optimizer: flash_adamw\n", ""),
        (AXOLOTL, "optimizer: turbo\n", "warning"),
        (AXOLOTL, "gradient_checkpointing: offload\n", ""),
        (AXOLOTL, "gradient_checkpointing: yes\n", ""),
        (AXOLOTL, "gradient_checkpointing: maybe\n", "warning"),
        (AXOLOTL, "attn_implementation: kernels-community/flash-attn3\n", ""),
        (AXOLOTL, "lr_scheduler: ${schedule}\n", ""),
    ],
)
def test_a_word_that_no_known_release_takes(
    lint_text: Lint, text: str, more: str, severity: str
) -> None:
    key = more.partition(":")[0]
    base = "".join(line for line in text.splitlines(True) if not line.startswith(f"{key}:"))
    assert told(lint_text(base + more)) == ([(VALUE, severity)] if severity else [])


def test_it_is_said_that_a_later_release_may(lint_text: Lint) -> None:
    (found,) = (f for f in lint_text(FACTORY + "flash_attn: fa4x\n") if f.name == VALUE)
    assert found.message.en.startswith(
        "flash_attn does not take fa4x in the releases that medic knows; it takes auto, disabled,"
    )
    assert "已知的版本" in found.message.zh
    assert found.fix is None


@pytest.mark.parametrize(
    ("flavor", "fires"), [("8B", False), ("70b", True), ("3B_mine", False), ("405B", False)]
)
def test_a_flavor_in_other_letters(lint_text: Lint, flavor: str, fires: bool) -> None:
    found = told(lint_text(TITAN.replace("8B", flavor), "a.toml"))
    assert found == ([(VALUE, "error")] if fires else [])


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("bf16: true", "bf16: yes please", True),
        ("bf16: true", "bf16: enabled", True),
        ("bf16: true", "bf16: yes", False),
        ("bf16: true", "bf16: ${bf16}", False),
    ],
)
def test_words_for_a_switch(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    found = told(lint_text(FACTORY.replace(old, new)))
    assert found == ([(IMPOSSIBLE, "error")] if fires else [])


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("false}", '"maybe"}', True),
        ("false}", '"<fill me in>"}', False),
        ('"overlap_comm": true', '"overlap_comm": "enabled"', True),
        ('"overlap_comm": true', '"overlap_comm": "auto"', False),
        ('"overlap_comm": true', '"zero_quantized_weights": "sure"', True),
        ('"overlap_comm": true', '"zero_quantized_weights": true', False),
        ('"gradient_clipping": "auto"', '"gradient_clipping": "Auto"', True),
    ],
)
def test_words_in_an_engine_file(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    found = told(lint_text(ENGINE.replace(old, new), "ds.json"))
    assert found == ([(IMPOSSIBLE, "error")] if fires else [])


@pytest.mark.parametrize(("name", "fires"), [("NAdam", False), ("Ranger", True)])
def test_an_optimizer_that_neither_deepspeed_nor_torch_has(
    lint_text: Lint, name: str, fires: bool
) -> None:
    text = ENGINE.replace("{", f'{{"optimizer": {{"type": "{name}"}}, ', 1)
    assert told(lint_text(text, "ds.json")) == ([(VALUE, "warning")] if fires else [])


@pytest.mark.parametrize(("metric", "fires"), [
    ("eval_loss", False), ("loss", False), ("eval_los", True), ("eval_rouge1", False), ("eval_acc", False),
])  # fmt: skip
def test_a_slip_of_the_loss_of_the_evaluation(lint_text: Lint, metric: str, fires: bool) -> None:
    more = "val_size: 0.1\neval_strategy: steps\neval_steps: 100\nsave_steps: 100\nload_best_model_at_end: true\n"
    found = told(lint_text(FACTORY + more + f"metric_for_best_model: {metric}\n"))
    assert found == ([(VALUE, "error")] if fires else [])
