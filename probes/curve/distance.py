"""How far a policy moves: from its reference, and from the weights that wrote the samples."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.probe import Finding, Look
from medic.text.patterns import regex

from .numbers import median
from .plan import source_at
from .tracks import FEW_POINTS, Track, seen, track_of

KL, LEVEL, CLIPPED = "kl-explodes", "kl-level", "clip-share"
MISMATCH = "policy-rollout-mismatch"
TELLS = (KL, LEVEL, CLIPPED, MISMATCH)
FAR, TIMES = 1.0, 10.0  # nats a token, and times the first half's
LOST = 5.0  # nats a token, whatever they were before
LEFT = 0.3  # nats a token: away from the reference, where the reward falls, too
BELOW = -1.0  # TRL's own limit: below it the estimate is of other samples (ppo_trainer.py)
# "objective/kl" of TRL is a sum over an answer; the KL of an update stays below 0.1, else PPO stops early.
_SCALES = {"kl": 1.0, "sequence_kl": 50.0, "update_kl": 0.5}
# PPO clips some percent of the tokens, GSPO (arXiv 2507.18071) about 15.
MOSTLY = 0.5
_LATENTS = regex(r"(?i)\brecon|\belbo\b|\bvae\b")


def judged(look: Look, curve: Curve) -> Iterator[Finding]:
    """What the KL and the share of clipped tokens tell; nothing of those that are not logged."""
    for name, scale in _SCALES.items():
        track = track_of(curve, name, FEW_POINTS)
        if track is None or _of_latents(look, track):
            continue
        outcome = _outcome(track, scale, negative=name == "sequence_kl")
        if outcome is not None:
            yield seen(look, KL, track)
            yield seen(look, LEVEL, track, outcome)
            break
        yield Finding(KL, "absent")
    yield from _clipped(look, curve)


def _of_latents(look: Look, track: Track) -> bool:
    """Whether a row tells of an autoencoder: its KL is that of a latent to its prior, some nats."""
    return bool(_LATENTS.search(source_at(look, track.series, len(track.series.steps) - 1).text))


def _outcome(track: Track, scale: float, *, negative: bool) -> str | None:
    if any(not math.isfinite(v) for v in track.series.values):
        return "is-nan"
    half = median([abs(v) for v in track.values[: len(track.values) // 2]])
    last = abs(track.last)
    if negative and track.last < BELOW:
        return "negative"
    far = last > max(FAR * scale, TIMES * half) or last > LOST * scale
    return "explodes" if far else None


def left(track: Track) -> bool:
    """Whether the policy is many times further from its reference than at first."""
    half = median([abs(v) for v in track.values[: len(track.values) // 2]])
    return track.last > max(LEFT * _SCALES[track.series.name], TIMES * half)


def _clipped(look: Look, curve: Curve) -> Iterator[Finding]:
    track = track_of(curve, "clip_share", FEW_POINTS)
    # A share; and what never moves is the setting of the same name.
    if track is None or not 0 <= max(track.values) <= 1 or len(set(track.values)) < 3:
        return
    if track.last < MOSTLY:
        yield Finding(CLIPPED, "usual")
        return
    at_once = track.first >= MOSTLY
    yield seen(look, CLIPPED, track, "most-from-the-start" if at_once else "rises-to-most")
    yield seen(look, MISMATCH if at_once else KL, track)
