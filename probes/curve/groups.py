"""What the answers of a policy give to learn from: groups of equal rewards, answers that are cut,
and the learning rate, as the trainers log them step by step."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .stuck import trend
from .tracks import FEW_POINTS, PARTS, Track, seen, track_of

LENGTHS, LENGTH = "completion-length", "response-length-explodes"
SPREAD, GRADIENT, RATE = "rl-group-spread", "rl-gradient", "rl-learning-rate"
LOSS = "rl-loss-zero"
CUT, SEEN, FEW_CUT = 0.8, 0.3, 0.1  # of the answers: cut at the end, cut at first, usual
FULL = 0.98  # of the longest answer
SEEN_LENGTH = 0.6
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
    cut, lengths = (track_of(curve, n, FEW_POINTS) for n in ("cut_share", "response_length"))
    yield from _cut(look, cut, lengths)
    if cut is None:
        yield from _at_the_longest(look, curve, lengths)
    equal = False
    for found in _spread(look, curve, many_cut=cut is not None and cut.last >= CUT):
        equal = equal or found.outcome == "all-equal"
        yield found
    yield from _gradient(look, curve, equal=equal)
    yield from _rate(look, track_of(curve, "learning_rate"))


def _cut(look: Look, track: Track | None, lengths: Track | None) -> Iterator[Finding]:
    if track is None:
        return
    if track.last >= CUT:
        yield seen(look, LENGTHS, track, "cut-at-limit")
        if lengths and track.first < SEEN and trend(lengths.values) > TREND:
            yield seen(look, LENGTH, lengths)
    elif max(track.first, track.last) <= FEW_CUT:
        yield Finding(LENGTHS, "usual")


def _at_the_longest(look: Look, curve: Curve, lengths: Track | None) -> Iterator[Finding]:
    """Answers that are all as long as the longest one, which does not change: a limit."""
    longest = track_of(curve, "response_longest")
    if lengths is None or longest is None or longest.last <= 0:
        return
    end = longest.values[-max(3, len(longest.values) // PARTS) :]
    if len(set(end)) == 1 and max(longest.values) == end[0] and lengths.last >= FULL * end[0]:
        yield seen(look, LENGTHS, lengths, "cut-at-limit")
        if lengths.first < SEEN_LENGTH * end[0] and trend(lengths.values) > TREND:
            yield seen(look, LENGTH, lengths)


def _spread(look: Look, curve: Curve, *, many_cut: bool) -> Iterator[Finding]:
    """Of TRL the share of groups without spread; of others a spread or advantages that are 0.

    Where most answers are cut, those that are not still differ from them.
    """
    equal: bool | None = None
    track = share = track_of(curve, "equal_groups", FEW_POINTS)
    if share is not None:
        equal = True if share.last >= EQUAL else False if share.last <= VARIED else None
    else:
        names = ("reward_spread", "advantage_max")
        found = (track_of(curve, name, FEW_POINTS) for name in names)
        track = next(filter(None, found), None)
        equal = track.last == 0 if track is not None else None
    if track is not None and equal:
        yield seen(look, SPREAD, track, "all-equal")
    elif equal is False and not many_cut:
        yield Finding(SPREAD, "varied")


def _gradient(look: Look, curve: Curve, *, equal: bool) -> Iterator[Finding]:
    """Without a gradient, groups of equal rewards leave a loss of exactly 0."""
    norm = track_of(curve, "grad_norm", FEW_POINTS)
    dead = norm is not None and 0 <= norm.last < DEAD
    if norm is not None and dead:
        yield seen(look, GRADIENT, norm, "dead")
    for name in ("policy_loss", "loss"):
        loss = track_of(curve, name, FEW_POINTS)
        if loss is not None and equal and (dead or norm is None) and loss.last == 0:
            yield seen(look, LOSS, loss)
            return


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
        yield seen(look, RATE, track, "high")


PROBE = Probe(
    name="curve-groups",
    title=Text("spread of rewards and cut answers", "奖励差异与截断"),
    tells=(LENGTHS, LENGTH, SPREAD, GRADIENT, LOSS, RATE),
    needs=(Curve,),
    wants=(RunConfig,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
