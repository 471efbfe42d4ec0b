"""What the answers of a policy give to learn from: groups of equal rewards, answers that are cut,
and the learning rate, as the trainers log them step by step."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .plan import source_at
from .policy import Track, track_of
from .stuck import trend

LENGTHS, LENGTH = "completion-length", "response-length-explodes"
SPREAD, GRADIENT, RATE = "rl-group-spread", "rl-gradient", "rl-learning-rate"
CUT, SEEN, FEW_CUT = 0.8, 0.3, 0.1  # of the answers: cut at the end, cut at first, usual
EQUAL, VARIED = 0.9, 0.5  # of the groups
DEAD = 1e-6  # a gradient norm
TREND = 2.0
HIGH_RATE = 1e-5  # full weights; the defaults of verl, TRL and OpenRLHF are 1e-6 and below
_NEEDS = Text("rewards, their spread and the cut share by step", "逐步的奖励、组内差异与截断比例")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    if not curve.series.keys() & {"reward", "kl", "equal_groups", "cut_share"}:
        yield Skip(_NEEDS, check=SPREAD)
        return
    cut = track_of(curve, "cut_share")
    yield from _cut(look, cut, track_of(curve, "response_length"))
    yield from _spread(look, curve, many_cut=cut is not None and cut.last >= CUT)
    yield from _gradient(look, track_of(curve, "grad_norm"))
    yield from _rate(look, track_of(curve, "learning_rate"))


def _told(look: Look, name: str, track: Track, outcome: str = "present") -> Finding:
    at = track.series.steps.index(track.steps[-1])
    source = source_at(look, track.series, at)
    return Finding(name, outcome, value=track.value(), source=source)


def _cut(look: Look, track: Track | None, lengths: Track | None) -> Iterator[Finding]:
    if track is None:
        return
    if track.last >= CUT:
        yield _told(look, LENGTHS, track, "cut-at-limit")
        if lengths and track.first < SEEN and trend(lengths.values) > TREND:
            yield _told(look, LENGTH, lengths)
    elif max(track.first, track.last) <= FEW_CUT:
        yield Finding(LENGTHS, "usual")


def _spread(look: Look, curve: Curve, *, many_cut: bool) -> Iterator[Finding]:
    """Of TRL the share of groups without spread; of others a spread or advantages that are 0.

    Where most answers are cut, those that are not still differ from them.
    """
    equal: bool | None = None
    track = share = track_of(curve, "equal_groups")
    if share is not None:
        equal = True if share.last >= EQUAL else False if share.last <= VARIED else None
    else:
        found = (track_of(curve, name) for name in ("reward_spread", "advantage_max"))
        track = next(filter(None, found), None)
        equal = track.last == 0 if track is not None else None
    if track is not None and equal:
        yield _told(look, SPREAD, track, "all-equal")
    elif equal is False and not many_cut:
        yield Finding(SPREAD, "varied")


def _gradient(look: Look, track: Track | None) -> Iterator[Finding]:
    if track is not None and 0 <= track.last < DEAD:
        yield _told(look, GRADIENT, track, "dead")


def _rate(look: Look, track: Track | None) -> Iterator[Finding]:
    """Adapters take ten times the rate of full weights: it tells only where none is trained."""
    config = look.fact(RunConfig) if look.has(RunConfig) else None
    if (
        track is None
        or config is None
        or config.get("lora_rank")
        or not config.stated("learning_rate")
    ):
        return
    if max(track.values) > HIGH_RATE:
        yield _told(look, RATE, track, "high")


PROBE = Probe(
    name="curve-groups",
    title=Text("spread of rewards and cut answers", "奖励差异与截断"),
    tells=(LENGTHS, LENGTH, SPREAD, GRADIENT, RATE),
    needs=(Curve,),
    wants=(RunConfig,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
