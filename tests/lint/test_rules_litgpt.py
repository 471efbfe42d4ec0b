"""Rules of LitGPT: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
VALUE = "flag-value-not-accepted"
CLEAN: Keys = {
    "precision": "bf16-true",
    "devices": "1",
    "train.global_batch_size": "8",
    "train.micro_batch_size": "4",
    "train.lr_warmup_steps": "10",
    "train.max_seq_length": "512",
}
MUTATIONS: Rows = [
    ({"eval.max_iters": "0"}, VALUE, "eval.max_iters"),
    ({"eval.max_iters": "-100"}, VALUE, "eval.max_iters"),
    (
        {"model_name": "pythia-14m", "train.max_norm": "1.0", "train.max_tokens": "null"},
        NEEDS,
        "train.max_tokens",
    ),
    (
        {"model_name": "pythia-14m", "train.max_norm": "null", "train.max_tokens": "1000000"},
        NEEDS,
        "train.max_norm",
    ),
    ({"model_name": "pythia-14m", "train.epochs": "2"}, EXCLUDE, "train.epochs"),
    ({"model_name": "pythia-14m", "eval.max_new_tokens": "100"}, EXCLUDE, "eval.max_new_tokens"),
    (
        {"model_name": "pythia-14m", "initial_checkpoint_dir": "out/a", "resume": "auto"},
        EXCLUDE,
        "initial_checkpoint_dir",
    ),
    (
        {"checkpoint_dir": "checkpoints/a", "train.max_tokens": "1000000"},
        EXCLUDE,
        "train.max_tokens",
    ),
    ({"checkpoint_dir": "checkpoints/a", "train.max_norm": "1.0"}, EXCLUDE, "train.max_norm"),
    (
        {
            "checkpoint_dir": "checkpoints/a",
            "train.lr_warmup_fraction": "0.1",
            "train.lr_warmup_steps": "null",
        },
        EXCLUDE,
        "train.lr_warmup_fraction",
    ),
    (
        {"checkpoint_dir": "checkpoints/a", "train.tie_embeddings": "true"},
        EXCLUDE,
        "train.tie_embeddings",
    ),
    ({"train.lr_warmup_fraction": "0.1"}, EXCLUDE, "train.lr_warmup_steps"),
    (
        {"train.lr_warmup_fraction": "0.1", "train.lr_warmup_steps": None},
        EXCLUDE,
        "train.lr_warmup_fraction",
    ),
    (
        {"train.lr_warmup_fraction": "5", "train.lr_warmup_steps": "null"},
        VALUE,
        "train.lr_warmup_fraction",
    ),
    ({"bf16": "true"}, "misspelt-config-key", "bf16"),
    ({"fp16": "true"}, "misspelt-config-key", "fp16"),
    ({"quantize": "bnb.nf4", "devices": "2"}, EXCLUDE, "quantize"),
    ({"quantize": "bnb.nf4", "precision": "bf16-mixed"}, EXCLUDE, "precision"),
]
SILENT: list[tuple[Keys, str]] = [
    (
        {
            "model_name": "pythia-14m",
            "train.max_norm": "1.0",
            "train.max_tokens": "1000000",
            "train.epochs": "null",
        },
        "a null key says nothing",
    ),
    (
        {"train.lr_warmup_fraction": "0.1", "train.lr_warmup_steps": "null"},
        "the default is taken back",
    ),
    ({"quantize": "bnb.nf4"}, "one GPU"),
]


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN) == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [], why
