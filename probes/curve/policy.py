"""The curves of a policy that learns from rewards: entropy, reward, KL and the answers' length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import replace
from medic.run_config import RunConfig

from . import distance, exploited, limits
from .numbers import clean, median, spread, typical, windows
from .plan import source_at
from .stuck import SIGMAS, trend
from .tracks import PARTS, Track, seen, track_of

ENTROPY, REWARD_FLAT, REWARD_FALLS = "entropy-collapses", "reward-flat", "reward-collapses"
LENGTH = "response-length-explodes"
REWARD_LEVEL, LENGTHS = "reward-level", "completion-length"
BEFORE = "before-the-collapse"
SOLVED = 0.97  # of a reward that is a share of right answers
LITTLE = 0.1  # of the first entropy: samples hardly differ any more
AWAY, AWAY_NATS = 4.0, 1.5  # times the first entropy, and nats a token: near-random text
FLAT_POINTS, TREND = 100, 2.0
NOISE = 4.0  # deviations of the reward's medians
COIN = 0.15  # nats from ln(2): what the scores of a new head add
BACK = 0.4  # of what was lost
FALLS = 0.6  # of what was gained
LOST = 0.3  # of a first reward above zero
LONGER, SHORTER = 3.0, 0.15
SIDE, LATE = 5, 1.5  # answers that grow so much in the second half, with no more reward
_NAMES = ("entropy", "reward", "kl", "sequence_kl", "response_length")
_NEEDS = Text("entropy, reward, KL and length by step", "逐步的熵、奖励、KL 与长度")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    tracks = {n: track_of(curve, n) for n in _NAMES}
    told = {found.name: found for found in distance.judged(look, curve)}
    if found := exploited.paid_for(look, told, tracks["reward"]):
        told[found.name] = found
    if not any(tracks.values()) and not told:
        yield Skip(_NEEDS, check=BEFORE)
        return
    for judge, name in _JUDGES:
        track = tracks[name]
        if track is not None:
            for found in judge(look, track):
                told[found.name] = found
    for found in exploited.held_back(look, curve, tracks["reward"]):
        told[found.name] = found
    if ENTROPY in told and _solved(tracks["reward"]):
        told[ENTROPY] = Finding(ENTROPY, "absent")
    if _is_scored(curve):
        told.pop(REWARD_FLAT, None)
        told.pop(REWARD_FALLS, None)
    _longer(look, tracks, told)
    yield from told.values()
    yield from _before(look, tracks, told)


def _is_scored(curve: Curve) -> bool:
    """Whether the reward is what a reward model gives its own pairs: only their margin means
    something, and the mean is held at zero. A policy logs its distance, entropy or lengths, and its
    loss does not fall from ln(2), that of a coin."""
    own = {"kl", "sequence_kl", "update_kl", "entropy", "response_length"} & curve.series.keys()
    series = curve.series.get("loss")
    losses = clean(series)[1] if series is not None else []
    if own or len(losses) < FLAT_POINTS or min(losses) <= 0:
        return False
    coin = abs(median(losses[:10]) - math.log(2)) < COIN
    return coin and trend(losses) < -SIGMAS


def _entropy(look: Look, track: Track) -> Iterator[Finding]:
    if track.first > 0 and (_fell(track) or _ran_away(track)):
        yield seen(look, ENTROPY, track)
    else:
        yield Finding(ENTROPY, "absent")


def _solved(reward: Track | None) -> bool:
    """Whether a reward between 0 and 1 has reached its top: nothing is left to explore for."""
    if reward is None or not 0 <= min(reward.values) <= max(reward.values) <= 1:
        return False
    return reward.last >= SOLVED and reward.first < reward.last


def _fell(track: Track) -> bool:
    return track.last < LITTLE * track.first and trend(track.values) < -TREND


def _ran_away(track: Track) -> bool:
    return track.last > max(AWAY * track.first, AWAY_NATS) and trend(track.values) > TREND


def _reward(look: Look, track: Track) -> Iterator[Finding]:
    constant = max(track.values) == min(track.values)
    even = len(track.values) >= FLAT_POINTS and abs(trend(track.values)) < TREND
    # Of answers that are nearly always right there is nothing to gain.
    room = track.first < 0.8 and abs(track.last - track.first) < 2 * spread(track.values)
    solved = constant and track.first == 1
    flat = (constant and not solved) or (even and room and not _moves(track))
    yield seen(look, REWARD_FLAT, track) if flat else Finding(REWARD_FLAT, "absent")
    if constant and not solved:
        level = "always-zero" if track.values[0] == 0 else "flat-above-zero"
        yield seen(look, REWARD_LEVEL, track, level)
    fell = not flat and _gone(track)
    yield _fallen(look, track) if fell else Finding(REWARD_FALLS, "absent")


def _noise(track: Track, count: int) -> float:
    """About the deviation of the medians of ``count`` windows."""
    steps = [abs(b - a) for a, b in pairwise(track.values)]
    return median(steps) / math.sqrt(max(1, len(track.values) // count))


def _moves(track: Track) -> bool:
    """Whether the level goes up and down in between, as with tasks that get harder by stages: of
    noise alone twenty medians lie within five of its deviations."""
    levels = windows(track.values, 2 * PARTS)
    return max(levels) - min(levels) > 3 * NOISE * _noise(track, len(levels))


def _fallen(look: Look, track: Track) -> Finding:
    found = seen(look, REWARD_FALLS, track)
    size = max(1, len(track.values) // (2 * PARTS))
    levels = windows(track.values, 2 * PARTS)
    begin = size * levels.index(max(levels))
    top = begin + typical(track.values[begin : begin + size])
    value = {"top": track.values[top], "top_step": int(track.steps[top])}
    at = source_at(look, track.series, track.series.steps.index(track.steps[top]))
    return replace(found, value={**found.value, **value}, more=(*found.more, at))


def _gone(track: Track) -> bool:
    """It rose far above its noise, and most of the gain is lost at the end; or it fell from the
    first step on."""
    levels = windows(track.values, 2 * PARTS)
    top = max(levels)
    if levels[0] > 0 and track.last < LOST * track.first and trend(track.values) < -TREND:
        return True
    noise = _noise(track, len(levels))
    gain = top - levels[0]
    rest = levels[levels.index(top) :]
    low = min(rest)
    if rest[-1] - low > BACK * (top - low) and rest[-1] > rest[-2] > levels[0]:
        return False  # it is on its way back: a harder stage, which is learned as well
    return gain > NOISE * noise and top - levels[-1] > FALLS * gain


def _length(look: Look, track: Track) -> Iterator[Finding]:
    grows = track.last > LONGER * track.first and trend(track.values) > TREND
    shrinks = track.last < SHORTER * track.first and trend(track.values) < -TREND
    if not (grows or shrinks):
        yield Finding(LENGTH, "absent")
        return
    yield seen(look, LENGTHS, track, "grows" if grows else "shrinks")
    if shrinks:  # longer answers are what reasoning learns
        yield seen(look, LENGTH, track)


def _longer(look: Look, tracks: dict[str, Track | None], told: dict[str, Finding]) -> None:
    """Answers that get longer are a fault only where nothing is gained by it."""
    lengths = tracks["response_length"]
    if lengths is not None and limits.filled(look, lengths):
        paid = limits.earns(lengths, tracks["reward"])
        outcome = "paid-to-the-limit" if paid else "cut-at-limit"
        for name, what in ((LENGTH, "present"), (LENGTHS, outcome)):
            told[name] = limits.from_the_first(look, seen(look, name, lengths, what), lengths)
        return
    if lengths is None or LENGTHS not in told or told[LENGTHS].outcome != "grows":
        return
    worse = exploited.WORSE in told and told[exploited.WORSE].outcome == "present"
    learns = _learns(lengths, tracks["reward"])
    if worse or learns is False:
        told[LENGTH] = seen(look, LENGTH, lengths)
    elif learns:
        del told[LENGTHS]


def _learns(lengths: Track, reward: Track | None) -> bool | None:
    """Whether longer answers earn more, as those of reasoning do: not where they go on getting
    longer in the second half of the run and the reward is level there; None where it is not logged."""
    if reward is None:
        return None
    middle = len(lengths.values) // 2
    half = median(lengths.values[max(0, middle - SIDE) : middle + SIDE])
    return lengths.last < LATE * half or exploited.climbs(reward, lengths.steps[middle])


def _before(
    look: Look, tracks: dict[str, Track | None], told: dict[str, Finding]
) -> Iterator[Finding]:
    """What moved with the entropy or the reward that broke."""
    signs = (exploited.WORSE, ENTROPY, REWARD_FALLS)
    broken = [n for n in signs if n in told and told[n].outcome == "present"]
    if not broken:
        return
    entropy = tracks["entropy"]
    kl = tracks["kl"] or tracks["sequence_kl"]
    if broken[0] == exploited.WORSE:
        if kl is not None and distance.left(kl):
            yield seen(look, BEFORE, kl, "kl-rose")
        return
    if entropy is not None and (_fell(entropy) or _ran_away(entropy)):
        outcome = "entropy-fell" if _fell(entropy) else "entropy-rose"
        found = seen(look, BEFORE, entropy, outcome)
        if outcome == "entropy-fell" and _held(tracks["kl"], told):
            found = _alone(look, found, tracks)
        yield found
    elif (level := told.get(distance.LEVEL)) is not None and level.outcome == "explodes":
        yield replace(level, name=BEFORE, outcome="kl-rose")
    elif kl is not None and distance.left(kl):
        yield seen(look, BEFORE, kl, "kl-rose")


def _held(kl: Track | None, told: dict[str, Finding]) -> bool:
    """Whether the policy is known to stay near its reference, and to keep its reward."""
    moved = kl is None or distance.LEVEL in told or abs(kl.last) > distance.LEFT
    return not moved and REWARD_FALLS in told and told[REWARD_FALLS].outcome == "absent"


def _alone(look: Look, found: Finding, tracks: dict[str, Track | None]) -> Finding:
    """Where the distance and the reward ended, beside an entropy that fell."""
    kl, reward = tracks["kl"], tracks["reward"]
    assert kl is not None
    assert reward is not None
    numbers = kl.beside("kl") | reward.beside("reward")
    more = tuple(dict.fromkeys((*found.more, kl.sources(look)[1], *reward.sources(look))))
    return replace(found, outcome="entropy-fell-alone", value={**found.value, **numbers}, more=more)


_JUDGES = ((_entropy, "entropy"), (_reward, "reward"), (_length, "response_length"))

PROBE = Probe(
    name="curve-policy",
    title=Text("entropy, reward and KL", "熵、奖励与 KL"),
    tells=(
        ENTROPY,
        *distance.TELLS,
        *exploited.TELLS,
        REWARD_FLAT,
        REWARD_FALLS,
        LENGTH,
        REWARD_LEVEL,
        LENGTHS,
        BEFORE,
    ),
    needs=(Curve,),
    wants=(LogHits, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
