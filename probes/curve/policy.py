"""The curves of a policy that learns from rewards: entropy, reward, KL and the answers' length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import dataclass, replace

from .numbers import clean, median, spread, windows
from .plan import source_at
from .stuck import trend

ENTROPY, REWARD_FLAT, REWARD_FALLS = "entropy-collapses", "reward-flat", "reward-collapses"
KL, LENGTH = "kl-explodes", "response-length-explodes"
KL_LEVEL, REWARD_LEVEL, LENGTHS = "kl-level", "reward-level", "completion-length"
BEFORE = "before-the-collapse"
MIN_POINTS = 20
PARTS = 10  # of a run: its first and last are compared
LITTLE = 0.1  # of the first entropy: samples hardly differ any more
AWAY, AWAY_NATS = 4.0, 1.5  # times the first entropy, and nats a token: near-random text
FAR_KL, FAR_TIMES = 1.0, 20.0  # nats, and times the first half's
FLAT_POINTS, TREND = 100, 2.0
NOISE = 4.0  # deviations of the reward's medians
FALLS = 0.6  # of what was gained
LOST = 0.3  # of a first reward above zero
LONGER, SHORTER = 3.0, 0.15
_NEEDS = Text("entropy, reward, KL and length by step", "逐步的熵、奖励、KL 与长度")


@dataclass(frozen=True)
class Track:
    """A series with the medians of its first and last tenth."""

    series: Series
    steps: list[int]
    values: list[float]

    @property
    def first(self) -> float:
        return median(self.values[: max(3, len(self.values) // PARTS)])

    @property
    def last(self) -> float:
        return median(self.values[-max(3, len(self.values) // PARTS) :])

    def value(self) -> dict[str, Any]:
        return {"first": self.first, "last": self.last, "step": self.steps[-1]}


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    tracks = {n: track_of(curve, n) for n in ("entropy", "reward", "kl", "response_length")}
    if not any(tracks.values()):
        yield Skip(_NEEDS, check=BEFORE)
        return
    told: dict[str, Finding] = {}
    for judge, name in _JUDGES:
        track = tracks[name]
        if track is not None:
            for found in judge(look, track):
                told[found.name] = found
    yield from told.values()
    yield from _before(tracks, told)


def track_of(curve: Curve, name: str) -> Track | None:
    """The series of a metric, if it has enough points."""
    series = curve.series.get(name)
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    return Track(series, steps, values) if series and len(values) >= MIN_POINTS else None


def _seen(look: Look, name: str, track: Track, outcome: str = "present") -> Finding:
    at = track.series.steps.index(track.steps[-1])
    source = source_at(look, track.series, at)
    return Finding(name, outcome, value=track.value(), source=source)


def _entropy(look: Look, track: Track) -> Iterator[Finding]:
    if track.first > 0 and (_fell(track) or _ran_away(track)):
        yield _seen(look, ENTROPY, track)
    else:
        yield Finding(ENTROPY, "absent")


def _fell(track: Track) -> bool:
    return track.last < LITTLE * track.first and trend(track.values) < -TREND


def _ran_away(track: Track) -> bool:
    return track.last > max(AWAY * track.first, AWAY_NATS) and trend(track.values) > TREND


def _kl(look: Look, track: Track) -> Iterator[Finding]:
    broken = any(not math.isfinite(v) for v in track.series.values)
    half = median([abs(v) for v in track.values[: len(track.values) // 2]])
    far = abs(track.last) > max(FAR_KL, FAR_TIMES * half)
    outcome = "is-nan" if broken else "explodes" if far else "moves"
    if outcome == "moves":
        yield Finding(KL, "absent")
        return
    yield _seen(look, KL, track)
    yield _seen(look, KL_LEVEL, track, outcome)


def _reward(look: Look, track: Track) -> Iterator[Finding]:
    constant = max(track.values) == min(track.values)
    even = len(track.values) >= FLAT_POINTS and abs(trend(track.values)) < TREND
    # Of answers that are nearly always right there is nothing to gain.
    room = track.first < 0.8 and abs(track.last - track.first) < 2 * spread(track.values)
    solved = constant and track.first == 1
    flat = (constant and not solved) or (even and room)
    yield _seen(look, REWARD_FLAT, track) if flat else Finding(REWARD_FLAT, "absent")
    if constant and not solved:
        level = "always-zero" if track.values[0] == 0 else "flat-above-zero"
        yield _seen(look, REWARD_LEVEL, track, level)
    fell = not flat and _gone(track)
    yield _fallen(look, track) if fell else Finding(REWARD_FALLS, "absent")


def _fallen(look: Look, track: Track) -> Finding:
    found = _seen(look, REWARD_FALLS, track)
    top = max(track.first, *windows(track.values, 2 * PARTS))
    return replace(found, value={**track.value(), "top": top})


def _gone(track: Track) -> bool:
    """It rose far above its noise, and most of the gain is lost at the end; or it fell from the
    first step on."""
    levels = windows(track.values, 2 * PARTS)
    top = max(levels)
    if levels[0] > 0 and track.last < LOST * track.first and trend(track.values) < -TREND:
        return True
    steps = [abs(b - a) for a, b in zip(track.values, track.values[1:], strict=False)]
    noise = median(steps) / math.sqrt(max(1, len(track.values) // len(levels)))
    gain = top - levels[0]
    return gain > NOISE * noise and top - levels[-1] > FALLS * gain


def _length(look: Look, track: Track) -> Iterator[Finding]:
    grows = track.last > LONGER * track.first and trend(track.values) > TREND
    shrinks = track.last < SHORTER * track.first and trend(track.values) < -TREND
    if not (grows or shrinks):
        yield Finding(LENGTH, "absent")
        return
    yield _seen(look, LENGTHS, track, "grows" if grows else "shrinks")
    if shrinks:  # longer answers are what reasoning learns
        yield _seen(look, LENGTH, track)


def _before(tracks: dict[str, Track | None], told: dict[str, Finding]) -> Iterator[Finding]:
    """What moved with the entropy or the reward that broke."""
    broken = [n for n in (ENTROPY, REWARD_FALLS) if n in told and told[n].outcome == "present"]
    if not broken:
        return
    entropy, shown = tracks["entropy"], told[broken[0]]
    if entropy is not None and (_fell(entropy) or _ran_away(entropy)):
        outcome = "entropy-fell" if _fell(entropy) else "entropy-rose"
        if outcome == "entropy-fell" and _held(tracks["kl"], told):
            outcome = "entropy-fell-alone"
        yield Finding(BEFORE, outcome, value=entropy.value(), source=shown.source)
    elif told.get(KL_LEVEL) is not None:
        yield Finding(BEFORE, "kl-rose", value=shown.value, source=told[KL_LEVEL].source)


def _held(kl: Track | None, told: dict[str, Finding]) -> bool:
    """Whether the policy is known to stay near its reference, and to keep its reward."""
    moved = kl is None or KL_LEVEL in told or abs(kl.last) > FAR_KL
    return not moved and REWARD_FALLS in told and told[REWARD_FALLS].outcome == "absent"


_JUDGES = ((_entropy, "entropy"), (_kl, "kl"), (_reward, "reward"), (_length, "response_length"))

PROBE = Probe(
    name="curve-policy",
    title=Text("entropy, reward and KL", "熵、奖励与 KL"),
    tells=(ENTROPY, KL, REWARD_FLAT, REWARD_FALLS, LENGTH, KL_LEVEL, REWARD_LEVEL, LENGTHS, BEFORE),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
