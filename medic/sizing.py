"""Whether a run fits its GPU: the run config, the model's sizes and the card, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from medic.case import Case, NotRead
from medic.contradictions import refuse
from medic.errors import UsageError
from medic.facts import GpuMemory, GpuState, MemoryEstimate
from medic.index import Index
from medic.lint import ROOMS
from medic.memory.estimate import estimate
from medic.memory.inverse import Largest, largest
from medic.memory.named import key, names
from medic.memory.named import with_model as with_model  # noqa: PLC0414 - callers take it from here
from medic.memory.remedies import Advice, advise
from medic.nearest import did_you_mean
from medic.patterns import regex
from medic.records import dataclass
from medic.run_config import Origin, RunConfig, Scalar, Value
from medic.runner import all_probes, observe, with_needs

Verdict = Literal["fits", "tight", "probably-not", "does-not-fit", "at-least", "unknown"]
USUAL: dict[str, Scalar] = {
    "compile": False,
    "fused_loss": False,
    "gradient_accumulation_steps": 1,
}
RANKS = ("world_size", "data_parallel_size", "gpus_per_node", "nodes", "zero_stage", "fsdp")
COUNTS = ("world_size", "data_parallel_size", "gpus_per_node", "nodes")
LIVE = "live"  # --gpu live: the GPU of this machine
UNITS = {"": 1, "b": 1, "mb": 10**6, "mib": 2**20, "g": 2**30, "gb": 10**9, "gib": 2**30}
_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
_CARDS = regex(r"(\d{1,5})\s*[x×*]\s*(\S.*)")  # 4xA100-80G


@dataclass(frozen=True)
class Sizing:
    """The estimate of a run against ``capacity`` bytes of the card called ``gpu``."""

    run_config: RunConfig
    found: MemoryEstimate
    gpu: str
    capacity: int | None
    model: str
    advice: Advice
    largest: tuple[Largest, ...]
    read: Mapping[str, int]
    not_read: tuple[NotRead, ...]
    diff: str = ""  # the advice's plan on the user's files, as far as they can carry it

    @property
    def verdict(self) -> Verdict:
        """``tight``: the estimate fits and the high bound does not. ``at-least``: terms that were
        never measured leave only the lower bound."""
        found, capacity = self.found, self.capacity
        if found.low is None or capacity is None:
            return "unknown"
        if found.low > capacity:
            return "does-not-fit"
        if found.not_measured:
            return "at-least"
        if found.estimate is None or found.high is None:
            return "unknown"
        if found.estimate > capacity:
            return "probably-not"
        return "fits" if found.high <= capacity else "tight"

    @property
    def fits(self) -> bool | None:
        return {"fits": True, "does-not-fit": False, "probably-not": False}.get(self.verdict)


def size_run(
    case: Case,
    index: Index,
    *,
    gpu: str = "",
    model: str = "",
    inverse: tuple[str, ...] = (),
) -> Sizing:
    """Estimates the run of a case. ``gpu``: a short name, a size or ``live``,
    before it perhaps how many (4xA100-80G); ``model``: a short name;
    ``inverse``: fields whose largest value is asked for. Raises UsageError for unknown names."""
    card = None
    several = _CARDS.fullmatch(gpu.strip())
    gpu = several[2] if several is not None else gpu
    if gpu:
        card = live_gpu(index) if gpu.strip().lower() == LIVE else gpu_of(index, gpu)
    plain = {f.kind for f in case.files} <= {"config", "model-config", "script", "python"}
    probes = all_probes(ROOMS if plain else ())
    wanted = [p for p in with_needs(["memory-estimate"], probes) if p.reads == "artefacts"]
    evidence = observe(case, index, wanted)
    config, name = with_model(evidence.fact(RunConfig) or RunConfig(), index, model)
    if several is not None:
        config = _on_cards(config, int(several[1]))
    refuse(config, index)
    config, taken = with_usual(config)
    told = evidence.fact(GpuMemory)
    capacity = card[1] if card else told.total if told else None
    found = estimate(config, capacity)
    found = replace(found, assumed=tuple(sorted((*found.assumed, *taken))))
    if inverse and capacity is None:
        raise UsageError("the largest value needs --gpu", "求最大值需要用 --gpu 指定显卡")
    advice = Advice() if capacity is None else advise(config, capacity)
    return Sizing(
        run_config=config,
        found=found,
        gpu=card[0] if card else "",
        capacity=capacity,
        model=name,
        advice=advice,
        largest=tuple(largest(config, field, capacity) for field in inverse if capacity),
        read=evidence.read,
        not_read=tuple(evidence.not_read),
        diff=as_diff(advice, config, evidence.facts, index),
    )


def _on_cards(config: RunConfig, cards: int) -> RunConfig:
    """The run on so many cards, of a node or in all. Raises UsageError where it has fewer ranks."""
    world = config.integer("world_size")
    if world is not None and world % cards:
        raise UsageError(
            f"--gpu names {cards} cards, world_size is {world}: leave one of them out",
            f"--gpu 写了 {cards} 张卡，而 world_size 为 {world}：请去掉其中一个",
        )
    if any(config.get(name) is not None for name in COUNTS):
        return config
    return replace(config, values={**config.values, "world_size": Value(cards, Origin("given"))})


def as_diff(advice: Advice, config: RunConfig, facts: Mapping[type[Any], Any], index: Index) -> str:
    """The plan on the user's files, as far as they can carry it."""
    changes = [change for one in advice.plan for change in one.changes]
    if not changes or not config.files:
        return ""
    from medic.edits import patch_for

    def read(path: str) -> bytes:
        return Path(path).read_bytes()

    patch, _ = patch_for(changes, config, facts, list(index.frameworks.values()), read)
    return patch.diff if patch is not None else ""


def gpu_of(index: Index, words: str) -> tuple[str, int]:
    """Name and bytes of a card: ``h100-80g``, ``80GiB`` or a number of bytes."""
    wanted = key(words)
    for one in index.gpus.values():
        if wanted in map(key, (one.name, *one.says)):
            return one.name, one.memory
    size = _SIZE.fullmatch(words.strip().lower().replace(",", "").replace("_", ""))
    if size is not None and size[2] in UNITS:
        total = int(float(size[1]) * UNITS[size[2]])
        if total >= 2**20:
            return words, total
    hint = did_you_mean(wanted, names(index.gpus))
    raise UsageError(
        f'--gpu: no card "{words}"{hint.en} (a size such as 80GiB will do)',
        f"--gpu：没有名为 “{words}” 的显卡{hint.zh}（也可写大小，如 80GiB）",
    )


def with_usual(config: RunConfig) -> tuple[RunConfig, tuple[str, ...]]:
    """The config with the usual value of what hardly a run changes without saying so, and the
    list of what was taken. What many runs change, such as recomputation, stays open."""
    usual = dict(USUAL)
    if not any(config.get(name) is not None for name in RANKS):
        usual["world_size"] = 1
    missing = {name: value for name, value in usual.items() if config.get(name) is None}
    origin = Origin("derived", note="assumed")
    values = {**config.values, **{name: Value(v, origin) for name, v in missing.items()}}
    told = (f"{n} = {'off' if v is False else v}" for n, v in missing.items())
    return replace(config, values=values), tuple(told)


def live_gpu(index: Index) -> tuple[str, int]:
    """Name and bytes of the smallest GPU of this machine. Raises UsageError if none is seen."""
    probes = [p for p in all_probes(("gpu",)) if GpuState in p.gives and p.reads != "artefacts"]
    state = observe(Case(), index, probes).fact(GpuState)
    seen = [(g.name or LIVE, g.total) for g in state.gpus if g.total] if state else []
    if not seen:
        raise UsageError("--gpu live: no GPU is seen here", "--gpu live：本机没有可见的 GPU")
    return min(seen, key=lambda one: one[1])
