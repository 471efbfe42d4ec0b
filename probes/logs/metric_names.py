"""Names of metrics as loggers write them -> canonical names and units."""

from __future__ import annotations

import re
from functools import lru_cache

from medic.text.patterns import regex

from .chinese import in_english
from .policy_names import HELD, POLICY
from .preference_names import PREFERENCE
from .time_names import TIMES

# Written in lower case with underscores; a leading "train/" and the like is taken off first.
_NAMES: dict[str, str] = {
    **dict.fromkeys(
        [
            "loss",
            "lm_loss",
            "training_loss",
            "loss_train",
            "reduced_train_loss",
            "avg_loss",
            "avr_loss",
            "mean_loss",
            "running_loss",
            "global_avg_loss",
            "crossentropyloss",
            "ce_loss",
            "nll_loss",
            "loss_step",
            "train_loss",
            "loss_mean",
            "sft_loss",
            "cross_entropy",
            "train_loss_step",
            "total_loss",
            "loss_train_total",
        ],
        "loss",
    ),
    **dict.fromkeys(
        [
            "eval_loss",
            "val_loss",
            "valid_loss",
            "validation_loss",
            "test_loss",
            "dev_loss",
            "loss_val",
            "loss_valid",
            "loss_eval",
            "lm_loss_value",
            "val_loss_epoch",
        ],
        "eval_loss",
    ),
    **dict.fromkeys(
        [
            "lr",
            "learning_rate",
            "current_lr",
            "lr_adamw",
            "lr_adam",
            "learningrate",
            "lr_0",
            "actor_lr",
        ],
        "learning_rate",
    ),
    **dict.fromkeys(
        [
            "grad_norm",
            "gradient_norm",
            "gnorm",
            "total_norm",
            "total_grad_norm",
            "global_grad_norm",
            "gradnorm",
            "grad_norm_total",
            "l2_norm_grad_global",
            "actor_grad_norm",
            "act_grad_norm",
            "policy_grad_norm",
            "norm",
        ],
        "grad_norm",
    ),
    **dict.fromkeys(
        ["weight_norm", "wnorm", "weights_norm", "param_norm", "params_norm", "parameter_norm"],
        "weight_norm",
    ),
    **TIMES,
    **dict.fromkeys(
        [
            "rss",
            "rss_total",
            "total_rss",
            "host_rss",
            "process_rss",
            "host_mem",
            "host_memory",
            "cpu_mem",
            "cpu_memory",
            "ram",
            "ram_used",
            "used_ram",
            "process_memory",
        ],
        "host_memory",
    ),
    **dict.fromkeys(
        [
            "mem",
            "memory",
            "gpu_mem",
            "gpu_memory",
            "max_mem",
            "peak_mem",
            "memory_allocated",
            "mem_allocated",
            "max_memory_allocated",
            "cuda_mem",
            "vram",
            "peak_memory",
            "max_memory",
            "max_active",
            "mem_reserved",
            "memory_reserved",
            "cuda_max_mem",
            "ma",
        ],
        "memory",
    ),
    **dict.fromkeys(["loss_scale", "grad_scale", "fp16_scale", "scale", "lossscale"], "loss_scale"),
    # DeepSpeed counts from the begin of the run, Megatron from its last line.
    **dict.fromkeys(["skipped", "skipped_steps"], "skipped"),
    **dict.fromkeys(["number_of_skipped_iterations", "skipped_iterations"], "skipped_iterations"),
    **dict.fromkeys(
        ["seq_len", "seqlen", "sequence_length", "seq_length", "curriculum_seqlen"],
        "sequence_length",
    ),
    **dict.fromkeys(["number_of_nan_iterations", "nan_iterations"], "nan_iterations"),
    **dict.fromkeys(
        [
            "aux_loss",
            "moe_aux_loss",
            "router_aux_loss",
            "balance_loss",
            "load_balancing_loss",
            "load_balance_loss",
            "lb_loss",
            "moe_loss",
        ],
        "aux_loss",
    ),
    "epoch_at": "epoch_at",  # a row's place within its epoch, as a layout states it
    # Megatron's rows, whose --rampup-batch-size lets it grow.
    **dict.fromkeys(["global_batch_size"], "batch_size"),
    # DeepSeek's MaxVio: load of the busiest expert over the mean, less 1.
    **dict.fromkeys(["max_violation", "maxvio", "max_vio", "maxvio_global"], "expert_violation"),
    **dict.fromkeys(
        ["expert_load_imbalance", "load_imbalance", "expert_imbalance", "max_over_mean_load"],
        "expert_ratio",
    ),
    **POLICY,
    **PREFERENCE,
    **dict.fromkeys(["mfu", "model_flops_utilization", "model_flops_utilisation"], "mfu"),
    **dict.fromkeys(
        ["tflops", "tflops_per_gpu", "tflop_s_gpu", "model_tflops", "tflops_per_device"], "tflops"
    ),
    **dict.fromkeys(
        [
            "step",
            "global_step",
            "iter",
            "iteration",
            "train_step",
            "it",
            "optimizer_step",
            "_step",
            "trainer_global_step",
            "num_updates",
            "update",
            "training_step",
            "iter_num",
        ],
        "step",
    ),
}
# "time_data" and "time_step" are torchtitan's, "ma" (allocated) is DeepSpeed's.
_SCOPE = regex(
    r"^(?:train(?:ing|er)?|optim(?:izer)?|loss_metrics|time_metrics|perf|timing|"
    r"throughput(?:/device)?|system|memory|actor|metrics|charts|model)(?:/|\.|::)"
)
_UNIT_END = regex(r"[_ ]?[(\[]?(ms|msec|s|sec|secs|seconds|gib|gb|mib|mb|bytes|b)[)\]]?$")
_FACTORS: dict[str, float] = {
    "ms": 1e-3,
    "msec": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "us": 1e-6,
    "gib": 2.0**30,
    "gb": 2.0**30,
    "g": 2.0**30,
    "mib": 2.0**20,
    "mb": 2.0**20,
    "m": 2.0**20,
    "bytes": 1.0,
    "b": 1.0,
    "k": 1e3,
}
_BYTES = frozenset({"gib", "gb", "g", "mib", "mb", "m", "bytes", "b"})
_RATES = ("/s", "/sec")  # "step/s" is a speed, "step_s" a time
_SECONDS = frozenset({"ms", "msec", "s", "sec", "secs", "seconds", "us"})
# Frameworks that write memory without a unit mean GiB; more than a million is bytes.
_PLAIN_MEMORY = 1e6
# No card has a TiB: mmengine and detectron2 mean MiB.
_PLAIN_MIB = 1024.0
_COUNTS = {"k": 1e3, "m": 1e6}


@lru_cache(maxsize=4096)
def canonical(name: str) -> tuple[str, float] | None:
    """(canonical name, factor to its unit), or None. Memory is in bytes, times in seconds."""
    plain = (name if name.isascii() else in_english(name)).strip().strip("\"'").lower()
    scoped = _SCOPE.sub("", plain)
    for form in (plain, scoped):
        word = _underscored(form)
        if word in _NAMES and not (form.endswith(_RATES) and _NAMES[word].endswith("_time")):
            return _NAMES[word], 1.0
        unit = _UNIT_END.search(form)
        if unit:
            stem = _NAMES.get(_underscored(form[: unit.start()]))
            if stem is not None and fits(stem, unit.group(1)):
                return stem, _FACTORS[unit.group(1)]
    if scoped.startswith(("val/", "valid/", "eval/", "validation/", "test/")):
        word = _underscored(scoped.partition("/")[2])
        if _NAMES.get(word) == "loss":
            return "eval_loss", 1.0
    return ("held_score", 1.0) if HELD.search(scoped) else None


def _underscored(name: str) -> str:
    return re.sub(r"[ /.-]+", "_", name.strip())


def fits(metric: str, unit: str) -> bool:
    if metric in ("memory", "host_memory"):
        return unit in _BYTES
    if metric in ("step_time", "data_time", "compute_time"):
        return unit in _SECONDS
    return metric == "tokens_per_s" and unit in ("k", "m")


def in_unit(metric: str, value: float, unit: str) -> float:
    """The value in the canonical unit, ``unit`` being what stands behind the number."""
    unit = unit.lower()
    if unit in _COUNTS and metric in ("tokens_per_s", "step_time"):
        return value * _COUNTS[unit]
    if fits(metric, unit):
        return value * _FACTORS[unit]
    if metric == "memory" and not unit and abs(value) < _PLAIN_MEMORY:
        return value * (2.0**20 if abs(value) >= _PLAIN_MIB else 2.0**30)
    return value
