"""Whether the configured model and batch fit the GPU, by arithmetic.

Claims only what lies beyond the estimate's own margin: too much when its low bound is above the
card's memory, enough when its high bound is below 95% of it. In between the checks stay open, but
for activations that, unless an unstated setting saves them, would need far more than the card, or more
than it where the run's own message tells that its tensors fill it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from medic.facts import (
    GpuMemory,
    GpuSeries,
    GpuState,
    LogHits,
    MemoryEstimate,
    Source,
)
from medic.facts.memory import fitting, gib, numbers_of, others_of, room_of
from medic.i18n import Text, plain
from medic.probe import Finding, Look, Probe, Skip, config_of, logs_of, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

# Of the card's memory; the unstated setting would have to be full recompute, which saves most.
FAR_BEYOND = 2.0
# Outcomes of oom-shortfall where neither other processes nor unused pieces are in the way.
_OWN = ("genuine-need", "one-large-tensor")
_WHOLE = {"free", "allocated", "unallocated", "request"}
CHECK = "memory-estimate"
ACTIVATIONS = "micro-batch-too-large"
STATES = "model-states-do-not-fit"
_WORD = regex(r"[a-z0-9][a-z0-9-]*[0-9][a-z0-9-]*")
_SPACES, _BYTES = regex(r"[\s_]+"), regex(r"(?<=\d)-?gi?b$")
_GPU = Text("the memory of the run's GPU", "该训练所用 GPU 的显存大小")


def run(look: Look) -> Iterator[Finding | Skip | GpuMemory | MemoryEstimate]:
    config = look.fact(RunConfig)
    capacity = gpu_memory(look)
    if capacity is None:
        yield from _open(_GPU)
        return
    yield GpuMemory(capacity, _room(look, capacity))
    from .one_process import as_one_process

    stated, config = config, as_one_process(config, logs_of(look), look.frameworks)
    estimate = look.estimate_memory(config, capacity)
    shown = look.estimate_memory(config, capacity, usual=True)
    yield shown  # judged is the other
    if estimate.states_low is None:
        yield from _open(_narrower(estimate))
        return
    # What is left open could have saved it, and it was not saved.
    explained = (shown.low or 0) > capacity and _needs_all(look, capacity)
    beyond = explained or (estimate.estimate or 0) > FAR_BEYOND * capacity
    if explained and config is not stated:
        estimate = shown
    yield from _judge(config, estimate, capacity, look.checks, beyond=beyond)


def _open(needs: Text) -> Iterator[Skip]:
    for check in (CHECK, ACTIVATIONS, STATES):
        yield Skip(needs=needs, check=check)


def _judge(
    config: RunConfig,
    estimate: MemoryEstimate,
    capacity: int,
    lints: frozenset[str],
    *,
    beyond: bool,
) -> Iterator[Finding | Skip]:
    """``beyond``: as usual, activations would need more than the card."""
    source = _place(config)
    states = _states(estimate, capacity)
    batch = (
        None if states == "fires" else {False: "fires", True: "passes", None: None}[estimate.fits]
    )
    outcome = _outcome(states, batch, beyond=beyond)
    if outcome == "activations-do-not-fit" and config.integer("micro_batch_size") == 1:
        outcome = "one-sequence-does-not-fit"
    values = {
        "estimate": size(estimate.estimate or estimate.low),
        "low": size(estimate.low),
        "high": size(estimate.high),
        "states": size(estimate.states_likely),
        "capacity": size(capacity),
        "assumed": ", ".join(f"{name} = {value}" for name, value in estimate.assumed.items()),
    }
    if outcome is None:
        yield Skip(needs=_narrower(estimate), check=CHECK)
    else:
        yield Finding(CHECK, outcome, values, source)
    for name, told, need in (
        (ACTIVATIONS, batch, values["estimate"]),
        (STATES, states, values["states"]),
    ):
        if told is None:
            yield Skip(needs=_narrower(estimate), check=name)
        elif name in lints:
            yield Finding(name, told, {**values, "estimate": need}, source)


def _needs_all(look: Look, capacity: int) -> bool:
    """Whether an out-of-memory message of the run tells that its own tensors fill the card."""
    from .logs.oom_numbers import outcome_of

    for hit in logs_of(look).hits:
        numbers = numbers_of(hit.captures)
        if numbers.get("total") == capacity and numbers.keys() >= _WHOLE:
            return outcome_of(look, hit) in _OWN
    return False


def _states(estimate: MemoryEstimate, capacity: int) -> str | None:
    if estimate.states_low is not None and estimate.states_low > capacity:
        return "fires"
    high = estimate.states_high
    return "passes" if high is not None and high <= fitting(capacity) else None


def _outcome(states: str | None, batch: str | None, *, beyond: bool) -> str | None:
    if states == "fires":
        return "states-do-not-fit"
    if batch == "fires":
        # With the states open as well, it is not known which of the two is too large.
        return "activations-do-not-fit" if states == "passes" else None
    if batch is None and states == "passes" and beyond:
        return "activations-as-usual-do-not-fit"
    return "fits" if batch == "passes" else None


def _narrower(estimate: MemoryEstimate) -> Text:
    """What would make the estimate closer: missing fields, else those that were assumed."""
    return plain(", ".join(estimate.unknown or estimate.assumed))


def _place(config: RunConfig) -> Source:
    for name in ("micro_batch_size", "sequence_length", "hidden_size", "parameters"):
        origin = config.origin(name)
        if origin is not None and origin.span is not None:
            return source_of(origin)
    return Source()


# --- the GPU --------------------------------------------------------------------------------


def gpu_memory(look: Look) -> int | None:
    """Memory in bytes of the smallest GPU of the run; None if nothing of the run tells it.

    The run's own out-of-memory message comes first, then the card that was given, what Slurm was
    asked for, a saved report or series. This machine's GPUs count only if this machine ran the job.
    """
    logs = logs_of(look)
    told = [hit.captures.get("total") for hit in logs.hits]
    sizes = [int(t) for t in told if isinstance(t, (int, float)) and t > 0]
    if not sizes:
        sizes = _given(look) or _asked_for(look)
    state = look.fact(GpuState) if look.has(GpuState) else None
    if not sizes and state is not None and state.origin != "this-host":
        sizes = [gpu.total for gpu in state.gpus if gpu.total]
    if not sizes and look.has(GpuSeries):
        series = look.fact(GpuSeries).samples.values()
        sizes = [sample[3] for samples in series for sample in samples if sample[3]]
    if not sizes and state is not None and look.host_is_the_runs:
        sizes = [gpu.total for gpu in state.gpus if gpu.total]
    return min(sizes, default=None)


def _given(look: Look) -> list[int]:
    """Bytes of the card that the user named."""
    name = config_of(look).get("gpu")
    words = _SPACES.sub("-", name.strip().lower()) if isinstance(name, str) else ""
    if not words:
        return []
    words = _BYTES.sub("g", words)
    return [gpu.memory for gpu in look.gpus if words in (gpu.name, *gpu.says)]


def _room(look: Look, capacity: int) -> int | None:
    """What other processes left of that card, by the run's own out-of-memory message."""
    for hit in logs_of(look).hits:
        numbers = numbers_of(hit.captures)
        if numbers.get("total") == capacity and others_of(numbers) is not None:
            return room_of(numbers)
    return None


# What Slurm is asked for, in the head of a batch script.
_REQUEST = regex(r"(?m)^#SBATCH\s+(?:--(?:gres|gpus(?:-per-\w+)?|constraint)|-C)[= ]\s*(\S+)")
_HEAD = 1 << 16  # bytes of a script


def _asked_for(look: Look) -> list[int]:
    """Bytes of the GPU model that the job asks Slurm for (``--gres=gpu:h200:8``); none for a name
    that several sizes of card have, as a100."""
    words: set[str] = set()
    for file in look.files("script"):
        with look.open(file.path) as script:
            head = script.read(_HEAD).decode("utf-8", "replace")
        for asked in _REQUEST.findall(head):
            words.update(_WORD.findall(asked.lower()))
    return [gpu.memory for gpu in look.gpus if words & _names_of(gpu, look.gpus)] if words else []


def _names_of(gpu: Any, gpus: Sequence[Any]) -> set[str]:
    """The names that only this card has: of the a100's 40 and 80 GB, the ones with the size."""
    others = [one.name for one in gpus if one is not gpu]
    names = {name.lower().replace("_", "-") for name in (gpu.name, *gpu.says)}
    return {name for name in names if not any(one.startswith(f"{name}-") for one in others)}


def size(value: int | None) -> str:
    """Bytes as GiB in words."""
    return "?" if value is None else gib(value)


PROBE = Probe(
    name="memory-estimate",
    title=Text("GPU memory by arithmetic", "显存估算"),
    tells=(CHECK, ACTIVATIONS, STATES),
    needs=(RunConfig,),
    wants=(LogHits, GpuState, GpuSeries),
    gives=(GpuMemory, MemoryEstimate),
    reads="artefacts",
    reliability="heuristic",
    seconds=0.02,
    limit_seconds=5,
    run=run,
)
