"""Gradient norms against the clip and the loss scale: arithmetic of numbers that are logged."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..programs import FILES, program_bytes
from . import needs
from .clipping import Norms, norms_of
from .numbers import clean, median
from .plan import source_at

RATIO, CARRIES, SCALED = "clip-ratio", "gradient-norm-carries-scale", "logged-norm-scale"
STEP = "clipped-step"
MIN_POINTS = 30
FEW = 5
MIN_SCALE = 256.0
BEYOND = 500.0  # times the clip: no gradient is clipped so hard for a whole run
USUAL = 1e-3, 30.0  # norms of gradients without a scale
CRUSHED = 1e4  # times the clip: what is left of the gradient nears Adam's epsilon
# Times the clip, where the step is the gradient times the rate: as far as the rates lie apart that
# SGD is run with (0.01 to 1; He et al. 2016, arXiv 1512.03385: 0.1).
SHRUNK = 100.0
CRAWLS = 0.9  # of the first losses
_SGD = regex(rb"\bSGD\(")
_SCALES_ITSELF = regex(rb"(?:Adam\w*|Lion|LAMB|Lamb|RMSprop|Adagrad|Adafactor|Muon|LARS)\(")


def run(look: Look) -> Iterator[Finding | Skip]:
    if (zero := _zero(look)) is not None:
        yield zero
        return
    found = norms_of(look)
    if found is None or len(found.values) < FEW:
        yield Skip(needs.NORMS_AND_CLIP, check=RATIO)
        return
    slow = _shrinks(look, found)
    yield slow if slow is not None else _ratio(found)
    if found.scale is not None and len(found.values) >= MIN_POINTS:
        yield from _scaled(found, found.scale)


def _zero(look: Look) -> Finding | None:
    """Of a script that nobody knows: whether 0 is off depends on its code; null is off."""
    config = look.fact(RunConfig)
    origin = config.origin("gradient_clip")
    if config.number("gradient_clip") != 0 or origin is None or not config.nobodys:
        return None
    if any(s.origin.span == origin.span and s.value != 0 for s in config.settings if s.path):
        return None
    return Finding(RATIO, "clip-of-zero", source=source_of(origin))


def _scaled(found: Norms, scale: float) -> Iterator[Finding]:
    """Whether the norms are of gradients that a logged loss scale still multiplies: far beyond the
    clip, and usual without the scale."""
    norm, clip = found.norm, found.clip
    usual = USUAL[0] <= norm / max(scale, 1.0) <= USUAL[1]
    if scale < MIN_SCALE or norm < BEYOND * clip or not usual:
        yield Finding(CARRIES, "absent")
        yield Finding(SCALED, "unscaled")
        return
    value = {"norm": norm, "scale": scale, "ratio": norm / scale, "clip": clip, "step": found.step}
    yield Finding(CARRIES, value=value, source=found.source)
    yield Finding(SCALED, "still-scaled", value=value, source=found.source)


def _shrinks(look: Look, found: Norms) -> Finding | None:
    """Every step clipped far below its norm, with an optimizer whose steps shrink with it, and a
    loss that has hardly fallen. Adam divides by the size of the gradients, and is not slowed."""
    ratio = found.norm / max(found.scale or 1.0, 1.0) / found.clip
    loss = look.fact(Curve).series.get("loss")
    steps, losses, _ = clean(loss) if loss is not None else ([], [], None)
    if ratio < SHRUNK or min(found.values) < found.clip or loss is None or len(losses) < FEW:
        return None
    first, last = median(losses[:3]), median(losses[-max(3, len(losses) // 10) :])
    if last < CRAWLS * first or not _plain_steps(look):
        return None
    value = {"norm": found.norm, "clip": found.clip, "ratio": f"{ratio:,.0f}", "step": found.step}
    value |= {"first": losses[0], "last": losses[-1]}
    at = source_at(look, loss, loss.steps.index(steps[-1]))
    return Finding(STEP, "shrinks-every-step", value=value, source=found.source, more=(at,))


def _plain_steps(look: Look) -> bool:
    """Whether the run is known to train with SGD, by its settings or the only optimizer of its code."""
    name = look.fact(RunConfig).get("optimizer")
    if name is not None:
        return "sgd" in str(name).lower()
    code = b"".join(_code(look, file.path) for file in look.files("python")[:FILES])
    return _SGD.search(code) is not None and _SCALES_ITSELF.search(code) is None


def _code(look: Look, path: str) -> bytes:
    """Of a program that cannot be read, what makes its optimizer unknown."""
    try:
        return program_bytes(look, path)
    except Unreadable:
        return b"Adam("


def _ratio(found: Norms) -> Finding | Skip:
    """How far the norms lie above the clip. Where a loss scale alone might make them so large, it
    is not told."""
    without = found.norm / max(found.scale or 1.0, 1.0)
    crushed = found.norm > CRUSHED * found.clip
    if crushed and without <= CRUSHED * found.clip:
        return Skip(needs.UNSCALED_NORMS, check=RATIO)
    value = {"norm": found.norm, "clip": found.clip, "step": found.step}
    return Finding(RATIO, "far-beyond" if crushed else "usual", value=value, source=found.source)


PROBE = Probe(
    name="curve-clip-numbers",
    title=Text("gradient norms against the clip", "梯度范数与裁剪阈值"),
    tells=(RATIO, STEP, CARRIES, SCALED),
    needs=(Curve, RunConfig),
    seconds=0.05,
    run=run,
)
