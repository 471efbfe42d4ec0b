"""Short runs made from the user's own: what of the configuration each one changes."""

from __future__ import annotations

from collections.abc import Mapping

from medic.changes.known import Known
from medic.entries import Experiment
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Change, RunConfig, Scalar

# Differences of the peak rate show within 1,000-2,000 steps; longer runs only cost more.
RANGE_STEPS = 1500
FACTORS = (0.5, 1.0, 2.0)
WARMUP_SHARE = 0.1  # of a range test, at most
REPRO_STEPS = 10
REPRO_LENGTH = 512


@dataclass(frozen=True)
class Trial:
    """One short run. A change of ``required`` must be written, or the trial is not the one meant;
    the others are written where the user's files can carry them."""

    name: str
    required: tuple[Change, ...]
    wanted: tuple[Change, ...] = ()


def trials(experiment: Experiment, config: RunConfig) -> tuple[Trial, ...]:
    """The short runs of an experiment. Raises MissingError for what the config does not state."""
    if experiment == "lr-range-test":
        return tuple(_range_trial(config, factor) for factor in FACTORS)
    return (_repro_trial(config),)


def _range_trial(config: RunConfig, factor: float) -> Trial:
    """The peak rate times ``factor``; tokens per step stay, so that only the rate differs."""
    rate = Known(config).number("learning_rate")
    steps = min(RANGE_STEPS, config.integer("total_steps") or RANGE_STEPS)
    name = f"lr-{factor:g}x"
    why = Text(f"{factor:g} x {rate:g}", f"{factor:g} x {rate:g}")
    required = _changes(config, {"learning_rate": float(f"{rate * factor:.6g}")}, why)
    wanted: dict[str, Scalar] = {"total_steps": steps, "decay_steps": steps}
    warmup = config.integer("warmup_steps")
    if warmup is not None:
        wanted["warmup_steps"] = min(warmup, int(steps * WARMUP_SHARE))
    if config.get("min_learning_rate"):
        low = config.number("min_learning_rate") or 0.0
        wanted["min_learning_rate"] = float(f"{low * factor:.6g}")
    folder = config.get("output_dir")
    if isinstance(folder, str):
        wanted["output_dir"] = f"{folder.rstrip('/')}-{name}"
    short = Text("a short run", "短跑")
    return Trial(name, required, _changes(config, _stated(config, wanted), short))


_ONE: Mapping[str, Scalar] = {
    "micro_batch_size": 1,
    "gradient_accumulation_steps": 1,
    "global_batch_size": 1,
    "data_parallel_size": 1,
    "tensor_parallel_size": 1,
    "pipeline_parallel_size": 1,
    "context_parallel_size": 1,
    "expert_parallel_size": 1,
    "world_size": 1,
    "nodes": 1,
    "gpus_per_node": 1,
    "num_workers": 0,
    "compile": False,
    "warmup_steps": 0,
    "log_interval": 1,
}


def _repro_trial(config: RunConfig) -> Trial:
    """One GPU, one short sequence, few steps, eager: the fault is there too, or it is gone."""
    wanted = dict(_ONE)
    length = config.integer("sequence_length")
    if length is not None:
        wanted["sequence_length"] = min(length, REPRO_LENGTH)
    wanted["total_steps"] = REPRO_STEPS
    wanted["save_interval"] = REPRO_STEPS * 100
    folder = config.get("output_dir")
    if isinstance(folder, str):
        wanted["output_dir"] = f"{folder.rstrip('/')}-repro"
    small = Text("the smallest run", "最小运行")
    Known(config).number("micro_batch_size")
    return Trial("repro", (), _changes(config, _stated(config, wanted), small))


def _stated(config: RunConfig, wanted: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Only what the user's own files state: nothing is added that they did not have."""
    return {
        name: value
        for name, value in wanted.items()
        if (origin := config.origin(name)) is not None and origin.source == "file"
    }


def _changes(config: RunConfig, new: Mapping[str, Scalar], why: Text) -> tuple[Change, ...]:
    return tuple(Change(name, config.get(name), value, why) for name, value in new.items())
