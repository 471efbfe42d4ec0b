"""A learning rate in the configuration that no program reads, and that the run does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Curve, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..programs import FILES, program_bytes
from .numbers import clean
from .plan import plan_of, source_at

CHECK, RATE = "value-in-force", "learning-rate-not-as-set"
ROWS, PAST = 8, 2  # logged rates; times the warmup
FAR = 0.1  # of what is set: groups and layers with a share of their own lie nearer
# Loops that people write themselves: what libraries read stands in no file of the run.
_LOOPS = frozenset(("", "plain", "own-loop"))
# A configuration that is read, and what reads keys which it does not name.
_LOADS = regex(rb"\b(?:safe_load|yaml\.load|json\.loads?|tomllib|tomli|OmegaConf\.load)\b")
_UNNAMED = regex(
    rb"\bsetattr\(|__dict__|\bgetattr\([^)]*, ?[a-z]\w*[,)]|\bglobals\(\)|Arguments\(|\bTrainer\("
)


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), config_of(look)
    series, origin = curve.series.get("learning_rate"), config.origin("learning_rate")
    peak, plan = config.number("learning_rate"), plan_of(look, curve)
    if series is None or origin is None or not peak or config.framework not in _LOOPS:
        return
    if origin.source != "file" or origin.span is None or origin.syntax == "shell":
        return
    steps, values, _ = clean(series)
    if len(values) < ROWS or plan.resumed or steps[-1] < PAST * (plan.warmup or 0):
        return
    top = max(values)
    at = values.index(top)
    if not 0 < top < FAR * peak or at > len(values) // 2:
        return
    key = origin.path[-1] if origin.path else origin.key
    program = _that_lacks(look, key)
    if program is None:
        return
    told = {"step": steps[at], "logged": f"{top:.4g}", "configured": f"{peak:.4g}"}
    value = told | {"key": key, "program": program}
    row = source_at(look, series, series.steps.index(steps[at]))
    more: tuple[Source, ...] = (source_of(origin, f"{key}: {peak:.4g}"),)
    yield Finding(CHECK, "key-not-read", value, row, more, exact=True)
    yield Finding(RATE, value=told, source=row, more=more)


def _that_lacks(look: Look, key: str) -> str | None:
    """The program that loads a configuration, if none of the run's has the key anywhere."""
    found, word = None, key.encode()
    for file in look.files("python")[:FILES]:
        try:
            text = program_bytes(look, file.path)
        except Unreadable:
            return None
        if word in text or _UNNAMED.search(text) or _spreads(text):
            return None
        if found is None and _LOADS.search(text):
            found = file.name
    return found


def _spreads(text: bytes) -> bool:
    """Whether a call takes all keys of a mapping, or the program cannot be taken apart."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return True
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(keyword.arg is None for call in calls for keyword in call.keywords)


PROBE = Probe(
    name="unread-rate",
    title=Text("a learning rate that nothing reads", "没有程序读取的学习率"),
    tells=(CHECK, RATE),
    needs=(Curve, RunConfig),
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
