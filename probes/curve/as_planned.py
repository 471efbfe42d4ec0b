"""Whether the run did what its settings say: tokens, held-out samples, the value of a double key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import Curve, Launches, LogHits, Series, Source
from medic.i18n import Text
from medic.probe import Finding, Fires, Look, Probe, Skip, config_of, logs_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from . import needs
from .numbers import clean
from .plan import plan_of, source_at

if TYPE_CHECKING:
    from medic.facts import Problem

TOKENS, HELD_OUT, IN_FORCE = "tokens-not-as-planned", "validation-not-held-out", "value-in-force"
PEAK = "peak-in-force"
RATE = "learning-rate-not-as-set"
MIN_STEPS = 10
SAME = 0.01  # of a rate: within the rounding of a log
ABOVE = 1.1  # of the rate that is set: no rounding of a log gives more
ENGINE, _ENGINES = "training-engine", ("deepspeed", "accelerate", "megatron", "ds_config")
# A peak far below the one that is set; rows up to twice the warmup show it.
LOW, TWICE, NEAR = 0.1, 2, 1
_PARTS = regex(r"layer_decay|lr_mult|lr_scale|llrd|discriminative|(?:^|_)mup(?:_|$)")
_IN_ALL = Text(
    "{steps} steps of {gb_tok} tokens: {trained} trained, {planned} planned",
    "{steps} 步，每步 {gb_tok} token：实际训练 {trained}，计划 {planned}",
)
_A_STEP = Text(
    "{micro} x {accumulation} x {dp} x {seq} = {expected} tokens in each of {steps} steps, "
    "{configured} planned",
    "{steps} 步中每步 {micro} x {accumulation} x {dp} x {seq} = {expected} token，计划 {configured}",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    curve, config = look.fact(Curve), config_of(look)
    loss = curve.series.get("loss")
    if loss is None or not config.settings:
        yield Skip(needs.RATE, check=IN_FORCE)
        return
    last = len(loss.steps) - 1
    told = _in_all(look, curve, config) or _a_step(look, config, loss.steps[last])
    if told is not None:
        yield Finding(TOKENS, value={"told": told}, source=source_at(look, loss, last))
    held = curve.series.get("eval_loss")
    if held is not None and held.steps:
        yield from _held_out(config, held, source_at(look, held, len(held.steps) - 1))
    twice = list(_in_force(look, curve, config))
    apart = twice or [*_above(look, curve, config)] or [*_below(look, curve, config)]
    yield from apart
    if apart and _steps_alone(look, config):
        yield Finding(ENGINE, "none-beside-the-loop", source=apart[0].source)


def _in_all(look: Look, curve: Curve, config: RunConfig) -> Text | None:
    """The tokens of a run that did all its steps, where the settings plan others."""
    from ..config.checks import total_steps_mismatch

    plan = plan_of(look, curve)
    if not plan.complete or plan.steps is None or plan.resumed or curve.resumed_at:
        return None
    found = total_steps_mismatch.check(config)
    if not isinstance(found, Fires) or found.values["configured"] != plan.steps:
        return None
    trained = plan.steps * int(found.values["gb_tok"])
    planned = found.values["total_tokens"]
    return _IN_ALL.fill(
        steps=plan.steps, gb_tok=found.values["gb_tok"], trained=trained, planned=planned
    )


def _a_step(look: Look, config: RunConfig, last: int) -> Text | None:
    """The tokens of a step, where the settings plan others and the log has as many ranks as they."""
    from ..config.checks import global_batch_tokens_mismatch

    world, ranks = config.integer("world_size"), len(logs_of(look).ranks)
    if last < MIN_STEPS or (ranks > 1 and world is not None and ranks > world):
        return None
    found = global_batch_tokens_mismatch.check(config)
    return _A_STEP.fill(steps=last, **found.values) if isinstance(found, Fires) else None


def _held_out(config: RunConfig, held: Series, source: Source) -> Iterator[Finding]:
    from ..config.checks import validation_overlaps_training

    found = validation_overlaps_training.check(config)
    if isinstance(found, Fires):
        steps, values, _ = clean(held)
        if values:
            value = {"loss": values[-1], "step": steps[-1], "path": found.values["path"]}
            yield Finding(HELD_OUT, value=value, source=source)


def _in_force(look: Look, curve: Curve, config: RunConfig) -> Iterator[Finding]:
    """Of a learning rate that stands twice in its file, the one that the run logs as its peak."""
    series, peak = curve.series.get("learning_rate"), config.number("learning_rate")
    twice = _dropped(look, config) if series is not None and peak else None
    if series is None or twice is None or not peak:
        return
    first, line = twice
    steps, values, _ = clean(series)
    top = max(values, default=0.0)
    if abs(top - peak) > SAME * peak or abs(top - first) <= SAME * max(top, abs(first)):
        return
    at = source_at(look, series, series.steps.index(steps[values.index(top)]))
    value = {"first": f"{first:.4g}", "line": line, "logged": f"{top:.4g}"}
    yield Finding(IN_FORCE, "another-than-the-first", value=value, source=at)
    told = {"step": steps[values.index(top)], "logged": f"{top:.4g}", "configured": f"{first:.4g}"}
    yield Finding(RATE, value=told, source=at)


def _above(look: Look, curve: Curve, config: RunConfig) -> Iterator[Finding]:
    """A run that logs a higher rate than its file has; a lower one is that of a warmup or a decay."""
    series, peak = curve.series.get("learning_rate"), config.number("learning_rate")
    origin = config.origin("learning_rate")
    if series is None or not peak or origin is None or origin.span is None:
        return
    if origin.source != "file" or origin.span.file == series.file:
        return
    steps, values, _ = clean(series)
    top = max(values, default=0.0)
    if top > ABOVE * peak:
        step = steps[values.index(top)]
        told = {"step": step, "logged": f"{top:.4g}", "configured": f"{peak:.4g}", "above": True}
        at = source_at(look, series, series.steps.index(step))
        set_at = Source(origin.span.file, origin.span.line)
        yield Finding(RATE, value=told, source=at, more=(set_at,))


def _below(look: Look, curve: Curve, config: RunConfig) -> Iterator[Finding]:
    """A run whose warmup ends where it is set to, at a rate far below the one that is set."""
    series, peak = curve.series.get("learning_rate"), config.number("learning_rate")
    origin, warmup = config.origin("learning_rate"), config.integer("warmup_steps")
    if series is None or not peak or origin is None or origin.span is None or warmup is None:
        return
    if origin.source != "file" or origin.span.file == series.file or _by_layer(config):
        return
    steps, values, _ = clean(series)
    whole = (
        bool(steps) and steps[0] <= max(warmup, 1) and steps[-1] >= TWICE * max(warmup, MIN_STEPS)
    )
    top = max(values, default=0.0)
    if not whole or not 0 < top < LOW * peak or plan_of(look, curve).resumed:
        return
    step = steps[values.index(top)]
    told = {"step": step, "logged": f"{top:.4g}", "configured": f"{peak:.4g}"}
    at = source_at(look, series, series.steps.index(step))
    if abs(step - warmup) <= NEAR:  # a schedule that runs as it is set, of another peak
        more = (Source(origin.span.file, origin.span.line),)
        yield Finding(PEAK, "far-below", value=told, source=at, more=more)


def _by_layer(config: RunConfig) -> bool:
    """Whether the rate of a layer is a part of the one that is set: a log may show the least."""
    keys = (str(part).lower() for one in config.settings for part in one.path)
    return any(_PARTS.search(key) for key in keys)


def _steps_alone(look: Look, config: RunConfig) -> bool:
    """Whether a program's own loop trains: no launcher, file or word of an engine is there."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    words = (str(part) for one in config.settings for part in (*one.path, one.value))
    engines = {*config.frameworks, *(one.launcher for one in launches), *words}
    named = any(engine in word.lower() for word in engines for engine in _ENGINES)
    return config.nobodys and bool(launches) and not named


def _dropped(look: Look, config: RunConfig) -> tuple[float, int] | None:
    """(value, line) of the learning rate that another line of its file sets again."""
    origin = config.origin("learning_rate")
    if origin is None or origin.span is None:
        return None
    try:
        problems: tuple[Problem, ...] = tuple(look.parse(origin.span.file).problems)
    except Unreadable:
        return None
    for problem in problems:
        first = problem.dropped
        same = problem.span.line == origin.span.line and problem.span.end <= origin.span.start
        if problem.kind != "duplicate-key" or not same or first is None:
            continue
        if isinstance(first.value, (int, float)) and not isinstance(first.value, bool):
            return float(first.value), first.span.line
    return None


PROBE = Probe(
    name="curve-as-planned",
    title=Text("the run against its settings", "运行与配置的对照"),
    tells=(TOKENS, HELD_OUT, IN_FORCE, PEAK, RATE, ENGINE),
    needs=(Curve, RunConfig),
    wants=(LogHits, Launches),
    seconds=0.05,
    run=run,
)
