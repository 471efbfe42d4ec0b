"""Rules of torchtitan: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from medic.lint.found import LintFinding

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
NO_EFFECT = "option-without-effect"
UNKNOWN = "misspelt-config-key"
VALUE = "flag-value-not-accepted"
CLEAN: Keys = {
    "job.dump_folder": '"outputs"',
    "model.name": '"llama3"',
    "model.flavor": '"8B"',
    "optimizer.name": '"AdamW"',
    "optimizer.lr": "3e-4",
    "lr_scheduler.warmup_steps": "20",
    "training.local_batch_size": "1",
    "training.seq_len": "8192",
    "training.steps": "1000",
    "parallelism.tensor_parallel_degree": "2",
    "activation_checkpoint.mode": '"selective"',
}
MUTATIONS: Rows = [
    ({"activation_checkpoint.mode": '"memory_budget"'}, NEEDS, "activation_checkpoint.mode"),
    (
        {"activation_checkpoint.mode": '"memory_budget"', "compile.enable": "false"},
        NEEDS,
        "activation_checkpoint.mode",
    ),
    (
        {"parallelism.enable_async_tensor_parallel": "true"},
        NEEDS,
        "parallelism.enable_async_tensor_parallel",
    ),
    (
        {"parallelism.enable_async_tensor_parallel": "true", "compile.enable": "false"},
        NEEDS,
        "parallelism.enable_async_tensor_parallel",
    ),
    (
        {
            "parallelism.enable_async_tensor_parallel": "true",
            "compile.enable": "true",
            "parallelism.tensor_parallel_degree": "1",
        },
        NO_EFFECT,
        "parallelism.enable_async_tensor_parallel",
    ),
    (
        {
            "optimizer.early_step_in_backward": "true",
            "parallelism.pipeline_parallel_degree": "2",
            "training.global_batch_size": "64",
            "training.local_batch_size": "4",
        },
        EXCLUDE,
        "optimizer.early_step_in_backward",
    ),
    (
        {"optimizer.early_step_in_backward": "true", "parallelism.expert_parallel_degree": "2"},
        EXCLUDE,
        "optimizer.early_step_in_backward",
    ),
    (
        {"parallelism.data_parallel_shard_degree": "0"},
        VALUE,
        "parallelism.data_parallel_shard_degree",
    ),
    (
        {"parallelism.data_parallel_replicate_degree": "0"},
        VALUE,
        "parallelism.data_parallel_replicate_degree",
    ),
    (
        {
            "training.batch_size": "1",
            "training.local_batch_size": None,
            "model.hf_assets_path": '"a"',
            "checkpoint.enable": "true",
        },
        UNKNOWN,
        "training.batch_size",
    ),
    ({"checkpoint.keep_latest_k": "1"}, VALUE, "checkpoint.keep_latest_k"),
    ({"training.mixed_precision_param": '"float8"'}, VALUE, "training.mixed_precision_param"),
    ({"training.dtype": '"bf16"'}, VALUE, "training.dtype"),
    ({"activation_checkpoint.mode": '"on"'}, VALUE, "activation_checkpoint.mode"),
    ({"lr_scheduler.decay_type": '"constant"'}, VALUE, "lr_scheduler.decay_type"),
    ({"optimizer.implementation": '"apex"'}, VALUE, "optimizer.implementation"),
    ({"checkpoint.async_mode": '"pinned"'}, VALUE, "checkpoint.async_mode"),
    (
        {"parallelism.fsdp_reshard_after_forward": '"sometimes"'},
        VALUE,
        "parallelism.fsdp_reshard_after_forward",
    ),
]
SILENT: list[tuple[Keys, str]] = [
    ({"activation_checkpoint.mode": '"memory_budget"', "compile.enable": "true"}, "compiled"),
    ({"parallelism.enable_async_tensor_parallel": "true", "compile.enable": "true"}, "compiled"),
    ({"checkpoint.keep_latest_k": "0"}, "all are kept"),
    ({"parallelism.data_parallel_shard_degree": "-1"}, "the rest of the GPUs"),
    (
        {
            "training.batch_size": "1",
            "training.local_batch_size": None,
            "model.tokenizer_path": '"a"',
        },
        "an older release",
    ),
]


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN, "config.toml") == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}, "config.toml") == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}, "config.toml") == [], why


@pytest.mark.parametrize(
    ("shard", "batch", "fires"),
    [(8, 64, False), (8, 48, True), (8, 16, True), (-1, 16, False), (-1, 14, True), (8, -1, False)],
)
def test_the_global_batch_is_made_of_local_ones(
    lint_text: Callable[..., tuple[LintFinding, ...]], shard: int, batch: int, fires: bool
) -> None:
    text = (
        f'[job]\ndump_folder = "out"\n[training]\nlocal_batch_size = 4\nglobal_batch_size = {batch}\n'
        f"seq_len = 2048\nsteps = 100\n[parallelism]\ndata_parallel_shard_degree = {shard}\n"
    )
    told = [(f.name, f.line) for f in lint_text(text, "run.toml")]
    assert (("batch-not-divisible", 5) in told) is fires
