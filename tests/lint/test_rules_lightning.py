"""Rules of the Lightning Trainer: what is fine is silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

BASE = "trainer:\n  accelerator: gpu\n  devices: 8\n"
RUN = BASE + "  max_epochs: 3\n"
VALUE = "flag-value-not-accepted"
EXCLUDE = "options-exclude-each-other"
WITHOUT = "option-without-effect"
RENAMED = "argument-renamed-in-library"
MUTATIONS = [
    (RUN + "  precision: bf16-mixed", RUN + "  precision: mixed", VALUE, "precision"),
    (RUN + "  gradient_clip_algorithm: norm", RUN + "  gradient_clip_algorithm: l2",
     VALUE, "gradient_clip_algorithm"),
    (RUN + "  strategy: ddp", RUN + "  strategy: ddp_sharded", VALUE, "strategy"),
    (RUN, RUN.replace("gpu", "ddp"), VALUE, "accelerator"),
    (RUN + "  strategy: ddp\n  gradient_clip_val: 1.0",
     RUN + "  strategy: fsdp\n  gradient_clip_val: 1.0", EXCLUDE, "gradient_clip_val"),
    (RUN + "  strategy: fsdp\n  gradient_clip_val: 1.0\n  gradient_clip_algorithm: value",
     RUN + "  strategy: fsdp\n  gradient_clip_val: 1.0\n  gradient_clip_algorithm: norm",
     EXCLUDE, "gradient_clip_val"),
    (RUN + "  strategy: deepspeed_stage_2\n  gradient_clip_algorithm: norm",
     RUN + "  strategy: deepspeed_stage_2\n  gradient_clip_algorithm: value",
     EXCLUDE, "gradient_clip_algorithm"),
    (RUN + "  barebones: true\n  enable_checkpointing: false",
     RUN + "  barebones: true\n  enable_checkpointing: true", EXCLUDE, "barebones"),
    (RUN + "  barebones: false\n  log_every_n_steps: 5",
     RUN + "  barebones: true\n  log_every_n_steps: 5", EXCLUDE, "barebones"),
    (RUN + "  fast_dev_run: false", RUN + "  fast_dev_run: true", WITHOUT, "fast_dev_run"),
    (BASE + "  max_steps: 3000\n  fast_dev_run: false",
     BASE + "  max_steps: 3000\n  fast_dev_run: true", WITHOUT, "fast_dev_run"),
    (BASE + "  max_steps: 3000", BASE + "  max_steps: 3000\n  max_epochs: 0", WITHOUT, "max_epochs"),
    *((RUN, f"{RUN}  {key}: 1", RENAMED, key) for key in (
        "gpus", "tpu_cores", "ipus", "auto_select_gpus",
        "resume_from_checkpoint", "progress_bar_refresh_rate", "checkpoint_callback",
        "weights_summary", "replace_sampler_ddp", "amp_backend", "amp_level", "auto_lr_find",
        "auto_scale_batch_size", "track_grad_norm", "multiple_trainloader_mode",
        "move_metrics_to_cpu", "terminate_on_nan", "stochastic_weight_avg",
        "flush_logs_every_n_steps", "process_position", "log_gpu_memory",
        "truncated_bptt_steps", "prepare_data_per_node", "weights_save_path")),
]  # fmt: skip


def told(findings: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in findings]


@pytest.mark.parametrize(("good", "bad", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, good: str, bad: str, cause: str, key: str) -> None:
    assert told(lint_text(good + "\n")) == []
    text = bad + "\n"
    line = 1 + [one.split(":")[0].strip() for one in text.splitlines()].index(key)
    assert told(lint_text(text)) == [(cause, line)]


def test_no_devices(lint_text: Lint) -> None:
    found = told(lint_text(RUN.replace("devices: 8", "devices: 0")))
    assert (VALUE, 3) in found
