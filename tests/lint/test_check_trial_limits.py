"""Limits of a trial that stayed in the configuration of a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "trial-limit-left-on"
OWN = (
    "data_dir: /data\nblock_size: 128\nbatch_size: 64\ngrad_accum: 1\nlr: 0.001\nmax_steps: {steps}\n"
    "n_layer: 4\n{key}: {limit}\n"
)
FIT = (
    "import lightning as L\n"
    "trainer = L.Trainer(max_steps=600, {argument}, devices=1)\ntrainer.fit(model, train)\n"
)


def told(lint_text: Lint, text: str, name: str) -> list[str]:
    return [f.message.en for f in lint_text(text, name) if f.name == NAME]


def own(key: str, limit: int, steps: int = 600) -> str:
    return OWN.format(key=key, limit=limit, steps=steps)


def test_the_same_data_again_and_again(lint_text: Lint) -> None:
    tokens = told(lint_text, own("limit_tokens", 8192), "config.yaml")
    assert len(tokens) == 1
    assert "each is seen 600 times" in tokens[0]  # 600 x 64 x 128 / 8,192
    samples = told(lint_text, own("max_train_samples", 200), "config.yaml")
    assert "each is seen 192 times" in samples[0]
    batches = told(lint_text, own("limit_train_batches", 10), "config.yaml")
    assert "each is seen 60 times" in batches[0]


@pytest.mark.parametrize("argument", ["overfit_batches=4", "overfit_batches=0.01"])
def test_lightnings_test_of_the_code(lint_text: Lint, argument: str) -> None:
    assert told(lint_text, FIT.format(argument=argument), "fit.py")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (own("limit_tokens", 10_000_000), "config.yaml"),
        (own("max_train_samples", 20_000), "config.yaml"),
        (own("max_train_samples", 2_000), "config.yaml"),  # 19 passes
        (own("lighteval:\n  tasks:\n    max_samples", 100), "config.yaml"),  # of an evaluation
        (own("limit_tokens", 8192), "debug.yaml"),
        (own("limit_tokens", 0), "config.yaml"),
        (own("limit_train_batches", 500), "config.yaml"),
        (FIT.format(argument="overfit_batches=0.0"), "fit.py"),
        (FIT.format(argument="limit_val_batches=4"), "fit.py"),
        (FIT.format(argument="overfit_batches=4"), "smoke_fit.py"),
    ],
)
def test_limits_that_leave_enough(lint_text: Lint, text: str, name: str) -> None:
    assert not told(lint_text, text, name)
