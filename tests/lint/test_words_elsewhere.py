"""Words that stand for something else: what YAML reads as false, what another framework calls so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
HF = (
    "model_name_or_path: org/model\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
    "max_steps: 100\noutput_dir: out\n"
)
REFUSED = "flag-value-not-accepted"


@pytest.mark.parametrize("key", ["eval_strategy", "save_strategy", "logging_strategy"])
@pytest.mark.parametrize("word", ["no", "No"])
def test_a_bare_no_is_false(lint_text: Lint, key: str, word: str) -> None:
    found = [f for f in lint_text(f"{HF}{key}: {word}  # off\n") if f.name == REFUSED]
    assert [(f.severity, f.line) for f in found] == [("error", 6)]
    fix = found[0].fix
    assert fix is not None
    assert fix.safe
    assert f'+{key}: "no"  # off\n' in fix.diff


@pytest.mark.parametrize(
    "line", ['eval_strategy: "no"', "eval_strategy: 'no'", "eval_strategy: steps", "do_eval: no"]
)
def test_a_word_in_quotes_and_a_switch_are_taken(lint_text: Lint, line: str) -> None:
    assert REFUSED not in [f.name for f in lint_text(f"{HF}{line}\n")]


def test_a_flag_is_no_yaml(lint_text: Lint) -> None:
    text = "python run_clm.py --model_name_or_path m --per_device_train_batch_size 2 --output_dir o"
    assert REFUSED not in [f.name for f in lint_text(f"{text} --eval_strategy no\n", "run.sh")]


NEOX = (
    "pipe_parallel_size: 1\nmodel_parallel_size: 1\nnum_layers: 12\nhidden_size: 768\n"
    "num_attention_heads: 12\nseq_length: 1024\nmax_position_embeddings: 1024\npos_emb: {word}\n"
)


@pytest.mark.parametrize(
    ("word", "meant"), [("rope", "rotary"), ("absolute", "learned"), ("rotray", "rotary")]
)
def test_the_word_of_another_framework_is_meant(lint_text: Lint, word: str, meant: str) -> None:
    found = [f for f in lint_text(NEOX.format(word=word), "c.yml") if f.name == REFUSED]
    assert [f.message.en for f in found] == [f"pos_emb does not take {word}; {meant} is meant"]


@pytest.mark.parametrize("word", ["rotary", "rpe", "learned", "alibi"])
def test_a_word_of_its_own_is_taken(lint_text: Lint, word: str) -> None:
    assert REFUSED not in [f.name for f in lint_text(NEOX.format(word=word), "c.yml")]
