"""Reads every log of the case once: hits, steps, tracebacks, ranks, and how the run ended."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import (
    Attempts,
    Collectives,
    LogHits,
    Ranks,
    SkippedKeys,
    StateDictError,
    Tracebacks,
)
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread
from medic.records import replace

from . import counted, elastic, log_fact, merge, needs, nodes, python_waits, verdict
from .array import tasks
from .collectives import Watchdogs
from .evidence import hangs
from .launcher import Failures
from .left_out import left_out
from .silence import silent
from .state_dict import StateDicts
from .view import Reader, View
from .years import Years


def run(look: Look) -> Iterator[Finding | Skip | object]:
    files = look.files("log")
    if not files:
        yield Skip(needs.LOG)
        return
    watchdogs, state_dicts, failures = Watchdogs(), StateDicts(), Failures()
    views: list[View] = []
    years = Years(look, files)
    alone = tasks(look, files)
    for index, given in enumerate(files):
        if look.cancelled():
            return
        try:
            report = elastic.read(look, given) if elastic.is_report(given) else None
            scan = look.scan_text(report.text, given.name) if report else look.scan(given.path)
            view = View(given, index, scan, is_task=given.path in alone)
            for note in view.scan.notes:
                yield Unread(given.name, note, partly=True, aside=note in view.scan.aside)
            reader = Reader(view, watchdogs, state_dicts, failures, years)
            views.append(elastic.view_of(reader, report) if report else reader.read(look))
        except Unreadable as problem:
            yield Unread(given.name, Text(problem.en, problem.zh))
    if not views:
        return
    nodes.settle(views)
    counted.settle(look, views)
    merged = merge.merge(views)
    hosts = {v.host for v in views if v.host} | failures.hosts
    logs = log_fact.log_hits(merged, views, hosts)
    ranks = verdict.ranks(logs, merged.tracebacks, failures.found)
    logs = replace(logs, hits=python_waits.excused(logs.hits, merged.tracebacks, ranks))
    yield logs
    yield from left_out(merged, views, logs)
    yield Attempts(merged.endings)
    yield Tracebacks(tuple(merged.tracebacks))
    yield ranks
    if timeouts := watchdogs.collectives():
        yield Collectives(timeouts)
    if error := state_dicts.error():
        yield error
    if state_dicts.skipped is not None:
        yield state_dicts.skipped
    yield from _findings(logs, merged)


def _findings(logs: LogHits, merged: merge.Merged) -> Iterator[Finding]:
    own = verdict.unexplained(logs, merged.tracebacks)
    if own is not None:
        value = {"exception": own.exception.rpartition(".")[2], "message": own.message[:200]}
        yield Finding("python-exception", value=value, source=own.source)
    if logs.ended == "well":
        return
    if stuck := hangs(logs):
        yield Finding("training-hangs", source=stuck)
    elif quiet := silent(logs, merged.progressed):
        yield quiet


PROBE = Probe(
    name="logs",
    title=Text("the logs", "日志"),
    tells=("python-exception", "training-hangs"),
    run=run,
    gives=(LogHits, Attempts, Ranks, Tracebacks, Collectives, StateDictError, SkippedKeys),
    seconds=0.3,
    limit_seconds=60.0,
)
