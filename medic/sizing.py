"""Whether a run fits its GPU: the run config, the model's sizes and the card, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medic.case.collect import Case, NotRead
from medic.errors import UsageError
from medic.facts import GpuMemory, GpuState, Launches, MemoryEstimate, Parsers
from medic.facts.memory import fitting
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.lint.contradictions import odd_batch, refuse
from medic.memory import details, plugins
from medic.memory.batches import whole_steps
from medic.memory.cards import counted, gpu_of, on_cards
from medic.memory.choices import Choice, choices, peak_with_one, widest
from medic.memory.habits import model_files
from medic.memory.hosted import host_of_node
from medic.memory.inverse import STEP, Largest, changed, largest
from medic.memory.named import nearest_model, with_model
from medic.memory.preferences import staged
from medic.memory.remedies import Advice, advise, with_usual_batch
from medic.memory.usual import usual_estimate, with_usual
from medic.memory.verdict import Verdict, verdict_of
from medic.records import dataclass, replace
from medic.run_config import Change, RunConfig
from medic.runner.evidence import Evidence
from medic.runner.registry import ROOMS, all_probes
from medic.runner.run import observe, with_needs

# Frameworks whose arguments a program makes itself, of its own options.
_HANDED_ON = frozenset(("hf-trainer", "trl", "own-loop"))
PLAIN = "plain"  # names that most training scripts share
SCRIPT_TEXT, CUT = "script-text", "command-cut-short"
LIVE = "live"  # --gpu live: the GPU of this machine


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
    choices: tuple[Choice, ...] = ()
    named: str = ""  # an engine's config that a file names and that was not read
    positions: int = 0  # that the model has, where the sequence is longer; else 0
    evaluation: tuple[int, int] = (0, 0)  # see ``choices.peak_with_one``
    batch: Text | None = None  # that the stated batches do not divide
    cuts: tuple[str, ...] = ()  # places where a script's command ends before its last flags
    wide: tuple[str, ...] = ()  # assumed fields that make a wide range wide
    host: tuple[int, int] = (1, 0)  # ranks of a node, and what they hold in host memory, in bytes
    usual: tuple[Mapping[str, int], int] = ({}, 0)  # see ``remedies.with_usual_batch``
    near: str = ""  # the known model that the name of an unknown one is near

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.found, self.capacity)

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
    ``inverse``: fields whose largest value is asked for. Raises UsageError for unknown names and
    for settings that contradict."""
    cards, words = counted(gpu)
    live = words.strip().lower() == LIVE
    card = (live_gpu(index) if live else gpu_of(index, words)) if words else None
    evidence = _evidence(case, index, "config" if card else "memory-estimate")
    config = evidence.fact(RunConfig) or RunConfig()
    config, by_parser = _of_parser(case, config, evidence, index)
    config, name = with_model(config, index, model)
    config = staged(config, evidence.fact(Launches))
    config = on_cards(config, cards) if cards else config
    refuse(config, index)
    batch = odd_batch(config, index)
    config = whole_steps(config) if batch is not None else config
    seen = evidence.fact(GpuMemory)
    capacity = card[1] if card else seen.total if seen else None
    if inverse and capacity is None:
        raise UsageError("the largest value needs --gpu", "求最大值需要用 --gpu 指定显卡")
    usual = with_usual(config, inverse)[0]
    most = tuple(largest(usual, asked, capacity) for asked in inverse if capacity)
    # The estimate is of what is stated, else of the largest that fits or the smallest there is.
    shown = {one.field: one.likely or STEP[one.field] for one in most if one.likely is not None}
    shown = {name: value for name, value in shown.items() if config.integer(name) is None}
    config, found = usual_estimate(changed(config, shown), capacity, inverse)
    found = replace(found, assumed=dict(sorted({**by_parser, **found.assumed}.items())))
    smallest = {one.field: STEP[one.field] for one in most if one.likely == 0}
    advice = Advice() if capacity is None else advise(changed(config, smallest), capacity)
    if capacity and found.not_measured and (found.low or 0) <= capacity:
        advice = Advice(advice.alone)  # it may fit as it is: no change is called needed
    evaluation = peak_with_one(config, found, capacity)
    if capacity and 0 < evaluation[1] <= fitting(capacity):
        advice = Advice()  # a smaller evaluation is enough, and costs nothing
    return Sizing(
        run_config=config,
        found=found,
        gpu=card[0] if card else "",
        capacity=capacity,
        model=name,
        advice=advice,
        largest=most,
        read=evidence.read,
        not_read=tuple(evidence.not_read),
        diff=as_diff(advice, config, evidence.facts, index),
        choices=tuple(choices(config, found, () if smallest or advice.taken else advice.alone)),
        named=details.unread_engine(config),
        positions=_exceeded(config),
        evaluation=evaluation,
        batch=batch,
        cuts=_cuts(case, index),
        wide=widest(config, found),
        host=host_of_node(config),
        usual=with_usual_batch(config, capacity) if states_alone(found) else ({}, 0),
        near="" if name else nearest_model(config, index),
    )


def states_alone(found: MemoryEstimate) -> bool:
    """Whether a batch is all that the peak lacks, or more."""
    return found.estimate is None and found.states_likely is not None


def _evidence(case: Case, index: Index, needed: str) -> Evidence:
    """What the probes see that the estimate needs: the config, and the card where it is not given."""
    plain = {f.kind for f in case.files} <= {"config", "model-config", "script", "python"}
    names = (needed,)
    probes = all_probes(ROOMS if plain else (), names)
    wanted = [p for p in with_needs(names, probes) if p.reads == "artefacts"]
    return observe(case, index, wanted)


def _of_parser(
    case: Case, config: RunConfig, evidence: Evidence, index: Index
) -> tuple[RunConfig, dict[str, str]]:
    """The config with what the one program's own parser tells, and its defaults in words."""
    programs = [f.path for f in case.files if f.kind == "python"]
    if not programs:
        return config, {}
    from medic.memory.parsed import with_defaults, with_options

    if config.framework in ("", PLAIN):
        return with_defaults(config, _parsers(case, index), index.frameworks[PLAIN])
    if len(programs) > 1 or config.framework not in _HANDED_ON:
        return config, {}
    tables = [index.frameworks[name] for name in (config.framework, "hf-trainer")]
    return with_options(config, programs[0], evidence.fact(Launches), tables)


def _parsers(case: Case, index: Index) -> Parsers | None:
    probes = [one for one in all_probes(("flags",)) if Parsers in one.gives]
    found: Parsers | None = observe(case, index, probes).fact(Parsers)
    return found


def _cuts(case: Case, index: Index) -> tuple[str, ...]:
    """Where a line of a script lacks its backslash: no flag behind it is one of the command."""
    if not any(f.kind == "script" for f in case.files):
        return ()
    probes = [one for one in all_probes(("flags",)) if one.name == SCRIPT_TEXT]
    told = [one.finding for one in observe(case, index, probes).observed]
    cut = [f for f in told if f.name == CUT and f.outcome == "fires"]
    return tuple(f"{one.source.file}:{one.source.line}" for one in cut)


def _exceeded(config: RunConfig) -> int:
    """The model's positions, where the sequence is longer."""
    limit = config.integer("max_position_embeddings") or 0
    return limit if 0 < limit < (config.integer("sequence_length") or 0) else 0


def as_diff(advice: Advice, config: RunConfig, facts: Mapping[type[Any], Any], index: Index) -> str:
    """The plan on the user's files, as far as they can carry it; none where it is not enough."""
    by_hand = plugins.BY_HAND if config.framework == plugins.FRAMEWORK else ()
    changes = [c for one in advice.plan for c in one.changes if c.field not in by_hand]
    if not changes or not advice.fits or _denied(changes, config):
        return ""
    commanded = any(one.origin.syntax == "shell" for one in config.settings)
    if not (commanded or set(config.files) - model_files(config)):
        return ""  # no training setting belongs into a model's own config
    from medic.edits.patch import diff_for

    def read(path: str) -> bytes:
        return Path(path).read_bytes()

    return diff_for(changes, config, facts, list(index.frameworks.values()), read)


def _denied(changes: Sequence[Change], config: RunConfig) -> bool:
    """Whether DeepSpeed's file says otherwise: transformers' Trainer refuses two precisions
    (``integrations/deepspeed.py``, ``fill_match``)."""
    off = config.setting("bf16.enabled")
    denies = off is not None and off.value is False
    return denies and any(one.field == "precision" and one.new == "bf16" for one in changes)


def live_gpu(index: Index) -> tuple[str, int]:
    """Name and bytes of the smallest GPU of this machine. Raises UsageError if none is seen."""
    probes = [p for p in all_probes(("gpu",)) if GpuState in p.gives and p.reads != "artefacts"]
    state = observe(Case(), index, probes).fact(GpuState)
    seen = [(g.name or LIVE, g.total) for g in state.gpus if g.total] if state else []
    if not seen:
        raise UsageError("--gpu live: no GPU is seen here", "--gpu live：本机没有可见的 GPU")
    return min(seen, key=lambda one: one[1])
