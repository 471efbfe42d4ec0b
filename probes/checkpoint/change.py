"""Whether the weights change between two checkpoints, and whether they are sound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Checkpoints, Curve, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..curve.reach import is_untrained
from .folder import step_of_name
from .samples import HALF, Sample, broken, equal_share, holds_nan, read_or_none
from .subject import is_resumed, known, without_logs
from .units import Unit, gather

CHANGE, VALUES = "checkpoint-change", "checkpoint-values"
SHARE, RANDOM = "trainable-share", "few-of-random-weights"
LOOKED_AT = 8  # checkpoints
FROZEN = 0.9  # of the parameters: more of them the same is no fine-tuning of the whole
# Of the elements of bf16 or fp16 tensors that move at all: an update below half of the last bit
# is lost. Between copies of fp32 weights that were rounded for saving it takes few steps only.
ROUNDED_AWAY, APART = 0.9, 20
_SECOND = regex(r"\.lora_(?:embedding_)?B(?:\.|$)")
_ZEROS = b"\0\x80"  # bytes of 0.0 and of -0.0
_TWO = Text("two checkpoints of the run, from different steps", "该运行在不同步数的两个检查点")
_RESUMED = Text("the checkpoint that the run resumes from", "运行所恢复的检查点")


def run(look: Look) -> Iterator[Finding | Skip]:
    units = gather(look.files("checkpoint"))
    resumed = next((u for u in units if is_resumed(look, u.path)), None)
    if resumed:
        yield _values(look, resumed)
    else:
        yield _broken(look, units) or Skip(needs=_RESUMED, check=VALUES)
    told = _untouched(look, units) or _change(look, units)
    yield told or Skip(needs=_TWO, check=CHANGE)
    if told is not None and told.outcome == "mostly-unchanged" and _began_random(look):
        value = {"share": told.value["moved"]}
        yield Finding(SHARE, RANDOM, value=value, source=told.source, exact=True)


def _values(look: Look, unit: Unit) -> Finding | Skip:
    samples = read_or_none(look, unit)
    if not samples:
        return Skip(needs=_RESUMED, check=VALUES)
    bad = {name: what for name, sample in samples.items() if (what := broken(name, sample))}
    tensor, what = next(iter(bad.items()), ("", ""))
    value = {"file": unit.name, "tensor": tensor, "count": len(bad), "what": what}
    outcome = "not-finite" if bad else "finite"
    return Finding(VALUES, outcome, value=value, source=Source(file=unit.name))


def _broken(look: Look, units: Sequence[Unit]) -> Finding | None:
    """Of checkpoints that are given for themselves, the newest that holds NaN.

    Beside a log they are the run's own: that the newest holds NaN is the log's to explain, unless
    all losses that it tells are numbers.
    """
    most = LOOKED_AT if without_logs(look) else 1 if _is_finite(look) else 0
    for unit in sorted(units, key=lambda u: step_of_name(u.path) or 0, reverse=True)[:most]:
        found = _values(look, unit)
        if isinstance(found, Finding) and found.outcome == "not-finite":
            return found
    return None


def _is_finite(look: Look) -> bool:
    """Whether losses are known, and all of them are numbers."""
    curve, logs = known(look, Curve), known(look, LogHits)
    told = [
        v
        for n in ("loss", "eval_loss")
        if curve and n in curve.series
        for v in curve.series[n].values
    ]
    told += [s.values["loss"] for s in (logs.steps if logs else ()) if "loss" in s.values]
    return bool(told) and all(map(math.isfinite, told))


def _untouched(look: Look, units: Sequence[Unit]) -> Finding | None:
    """An adapter of a step after the first whose lora_B are all zero, as PEFT makes them: it adds nothing."""
    for unit in sorted(units, key=lambda u: step_of_name(u.path) or 0, reverse=True)[:LOOKED_AT]:
        if step_of_name(unit.path) == 0:
            continue
        factors = read_or_none(look, unit, lambda name: _SECOND.search(name) is not None)
        if factors and not any(one.data.strip(_ZEROS) for one in factors.values()):
            value = {"file": unit.name, "of": len(factors)}
            return Finding(CHANGE, "adapter-at-start", value=value, source=Source(file=unit.name))
        if factors:
            return None
    return None


def _change(look: Look, units: Sequence[Unit]) -> Finding | None:
    """Of the oldest and the newest that name their step, and hold the same tensors."""
    if without_logs(look):
        return None
    stepped = sorted((s, u.path, u) for u in units if (s := step_of_name(u.path)) is not None)
    if len(stepped) < 2 or stepped[0][0] == stepped[-1][0]:
        return None
    (early, _, before), (late, _, after) = stepped[0], stepped[-1]
    old, new = read_or_none(look, before), read_or_none(look, after)
    if not old or _kinds(old) != _kinds(new) or any(map(holds_nan, new.values())):
        return None
    same = [n for n in old if old[n].data == new[n].data]
    share = sum(_count(old[n]) for n in same) / max(1, sum(map(_count, old.values())))
    outcome = "unchanged" if len(same) == len(old) else "changed"
    kept = _kept(old, new) if outcome == "changed" and late - early >= APART else 0.0
    if outcome == "changed" and share >= FROZEN and not _adapts(look):
        outcome = "mostly-unchanged"
    elif kept >= ROUNDED_AWAY:
        outcome, share = "mostly-rounded-away", kept
    value = {
        "first": early,
        "last": late,
        "same": len(same),
        "of": len(old),
        "share": f"{share:.0%}",
        "moved": f"{1 - share:.1%}",
    }
    return Finding(CHANGE, outcome, value=value, source=Source(file=after.name))


def _kept(old: dict[str, Sample], new: dict[str, Sample]) -> float:
    """Share of elements that are the same, of half-precision tensors that moved in some."""
    same = compared = 0
    for name, sample in old.items():
        if sample.dtype in HALF and sample.data != new[name].data:
            equal, of = equal_share(sample, new[name])
            same, compared = same + equal, compared + of
    return same / compared if compared else 0.0


def _kinds(samples: dict[str, Sample]) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {name: (s.dtype, s.shape) for name, s in samples.items()}


def _count(sample: Sample) -> int:
    return math.prod(sample.shape)


def _began_random(look: Look) -> bool:
    """Whether the first loss is that of a guess: what stays as it was is random for ever."""
    curve, config = known(look, Curve), known(look, RunConfig)
    return curve is not None and config is not None and is_untrained(curve, config)


def _adapts(look: Look) -> bool:
    """Whether most weights are meant to stay."""
    config = known(look, RunConfig)
    return config is not None and bool(config.get("lora_rank"))


PROBE = Probe(
    name="checkpoint-change",
    title=Text("whether the weights changed between checkpoints", "检查点之间的权重变化"),
    tells=(CHANGE, VALUES, SHARE),
    wants=(RunConfig, LogHits, Curve, Launches, Checkpoints),
    seconds=0.3,
    run=run,
)
