"""Findings that hold only where a variable is not set: ``NNODES=${NNODES:-1}`` asks its caller.

Nodes, ranks, addresses and ports come from the scheduler of a cluster. Where a script has a default
for them, and the shell that lint runs in does not have the variable, the finding says so: an error
then is a warning, and only told where a scheduler usually sets the variable. So does one of a value
that is computed from any default, ``$((GPUS / 32 * 16))``: what comes out is nobody's statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.lint.computed import defaults_under
from medic.probe import Finding
from medic.records import replace
from medic.run_config import FIELDS, Origin, RunConfig, Span
from medic.syntax.shell_environment import OF_THE_WORLD, given
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.lint.found import LintFinding

_RANKS = frozenset(("nodes", "gpus_per_node", "world_size", "data_parallel_size", "node_gpus"))
# Checks that compute with the ranks of the run, but for a finding whose value ``of_ranks`` is False.
_OF_RANKS = frozenset(
    """
    parallel-sizes-exceed-world batch-not-divisible global-batch-not-divisible-by-replicas
    micro-batch-is-global train-batch-mismatch global-batch-tokens-mismatch total-steps-mismatch
    world-size-not-gpus processes-uneven-over-nodes more-ranks-than-gpus launch-not-as-allocated
    rl-batch-does-not-divide rollout-tensor-parallel-wrong rendezvous-endpoint-wrong
    node-rank-missing-or-repeated colocated-sizes-differ
    """.split()  # noqa: SIM905
)
_CONFLICT = "conflicting-values"
# Set for every job by schedulers and operators: Slurm, PyTorchJob, Volcano, DLC, torchrun.
_BY_SCHEDULER = regex(
    r"^(?:SLURM|PBS|LSB|OMPI|PMI|PET|MLP|KUBERNETES)_\w+$|^(?:WORLD_SIZE|N?NODES|NUM_NODES|"
    r"NODE_COUNT|(?:\w+_)?WORKER_NUM|(?:NODE_|LOCAL_|MACHINE_)?RANK|NODE_ID|MASTER_(?:ADDR|PORT))$"
)
_NEAR = 240  # bytes around a value in which its default begins
_OPEN = rb"\$\{(\w{1,64}):?[-=][\"']?"
_BEFORE = regex(rb"(?:\$\{\w{1,64}:?[-=][\"']?)+\Z")
_AT = regex(rb"[\"']?(?:\$\{\w{1,64}:?[-=][\"']?)+")
_IF = Text("if {names} is not set: {what}", "未设置 {names} 时：{what}")
_IF_ALL = Text("if {names} are not set: {what}", "{names} 均未设置时：{what}")


def conditional(told: LintFinding, finding: Finding, config: RunConfig) -> LintFinding:
    """The finding with its condition; as it is, where it has none."""
    summed = tuple(name for span in _spans(finding, config) for name in defaults_under(span))
    names = tuple(dict.fromkeys((*_names(finding, config), *summed)))
    if not names:
        # A check may itself suppose what is usual.
        unsure = bool(finding.value.get("supposed")) and told.severity == "error"
        return replace(told, severity="warning") if unsure else told
    usual = bool(summed) or any(_BY_SCHEDULER.match(name) for name in names)
    listed = Text(" and ".join(names), "、".join(names))
    severity = "info" if usual or told.severity == "info" else "warning"
    what = (_IF if len(names) == 1 else _IF_ALL).fill(names=listed, what=told.message)
    return replace(told, severity=severity, message=what, fix=None, shown=(), by_hand=())


def _spans(finding: Finding, config: RunConfig) -> Iterator[Span]:
    """The values that a finding is about: its own place, and those of its numbers on its lines."""
    if finding.span is not None:
        yield finding.span
    lines = {(one.file, one.line) for one in (finding.source, *finding.more) if one.line}
    numbers = [one for one in finding.value.values() if isinstance(one, int | float)]
    for value in config.values.values() if lines and numbers else ():
        if value.value in numbers:
            spans = (origin.span for origin in value.carriers())
            yield from (s for s in spans if s is not None and (s.file, s.line) in lines)


def _names(finding: Finding, config: RunConfig) -> Iterator[str]:
    """The variables that are not set, whose defaults the finding is made of."""
    if finding.span is not None:
        yield from (name for name in _defaults(finding.span) if OF_THE_WORLD.match(name))
    for origin in _origins(finding, config):
        if origin.span is not None and origin.syntax == "shell":
            yield from _defaults(origin.span)


def _origins(finding: Finding, config: RunConfig) -> Iterator[Origin]:
    if finding.name == _CONFLICT:
        field = str(finding.value.get("field"))
        if field in _RANKS and field in config.values:
            yield from config.values[field].carriers()
    elif finding.name in _OF_RANKS and finding.value.get("of_ranks", True):
        yield from _followed(config, "world_size")
        yield from _followed(config, "data_parallel_size")


def _followed(config: RunConfig, field: str) -> Iterator[Origin]:
    """Where the ranks are written from which a field follows."""
    todo, seen = [field], set[str]()
    while todo:
        name = todo.pop()
        origin = config.origin(name)
        if name in seen or origin is None:
            continue
        seen.add(name)
        if origin.source == "derived":
            todo += [n for n in re.findall(r"\w+", origin.note) if n in FIELDS and n in _RANKS]
        else:
            yield origin


def _defaults(span: Span) -> tuple[str, ...]:
    """The variables for which a value is the default, but those that are set outside."""
    start = max(0, span.start - _NEAR)
    try:
        with Path(span.file).open("rb") as file:
            file.seek(start)
            text = file.read(2 * _NEAR)
    except (OSError, ValueError):  # gone since it was read, or no file
        return ()
    at = span.start - start
    found = _BEFORE.search(text[:at]) or _AT.match(text[at:])
    names = [name.decode() for name in re.findall(_OPEN, found.group())] if found else []
    return () if any(given(name) for name in names) else tuple(names)
