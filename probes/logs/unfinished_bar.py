"""A rank that still prepares data by its own progress bar, while the others give up waiting for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Collectives, LogHits, Preparing, Ranks, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig
from medic.text.patterns import regex

from . import quiet_ranks
from .collective_ranks import BUSY, FIRST_SEQUENCES, silent_ranks
from .digits import whole

MAX_LINES, MAX_LOGS = 200_000, 8
MOVED = 0.5  # of the timeout: a bar that was last drawn before stands still
# Bars of datasets (map, filter, from_generator), and what trainers call theirs; tqdm's own layout.
_BAR = regex(
    r"(?:^|[\r\s])(?P<name>(?:Running tokenizer|Tokeni[sz]|Convert|Map|Filter|Generating|Pack|Group|"
    r"Preprocess|Process|Build|Creat|Applying|Truncat|Download)[^|%\r]{0,80}?):\s+\d{1,3}%\|[^|]{0,300}\|\s*"
    r"(?P<at>\d{1,15})/(?P<all>\d{1,15}) \[(?P<took>[\d:]{4,12})<(?P<left>[\d:?]{1,12})"
)
_TOLD = Text(
    "the bar “{name}” stands at {at} of {all} after {took}, with {left} to go, when the others give up "
    "after {limit} s",
    "进度条 “{name}” 用时 {took} 走到 {at}/{all}，还需 {left}，而其余 rank 等了 {limit} 秒后放弃",
)
_RANK = Text("rank {rank}: {told}", "rank {rank}：{told}")


def run(look: Look) -> Iterator[Finding | Preparing]:
    logs, timeouts = look.fact(LogHits), look.fact(Collectives).timeouts
    if not timeouts or max(t.sequence for t in timeouts) > FIRST_SEQUENCES:
        return
    end = quiet_ranks.first_timeout(timeouts)
    silent = silent_ranks(look, logs, timeouts)
    if not silent or any(not quiet_ranks.later(s.source, end) for s in logs.steps):
        return
    limit = max(t.timeout_ms or 0 for t in timeouts) // 1000
    for log in look.files("log")[:MAX_LOGS]:
        until = min((t.source.line for t in timeouts if t.source.file == log.name), default=None)
        last = None
        with suppress(Unreadable):  # told by the probe that reads the log
            last = _last_bar(islice(look.lines(log.path), MAX_LINES), log.name, until)
        if last is not None and _seconds(last[1]["took"]) >= MOVED * limit:
            yield _found(last, timeouts[0].source, limit, silent)
            if set(last[1]["left"]) - set("?:"):
                yield Preparing(_seconds(last[1]["took"]) + _seconds(last[1]["left"]), last[0])
            return


def _last_bar(
    lines: Iterator[tuple[int, str]], file: str, until: int | None
) -> tuple[Source, dict[str, str]] | None:
    """The last bar above the line, where it is not at its end."""
    found: tuple[Source, dict[str, str]] | None = None
    for number, text in lines:
        if until is not None and number >= until:
            break
        if "%|" not in text:
            continue
        for bar in _BAR.finditer(text):
            done = whole(bar["at"]) >= whole(bar["all"])
            source = Source(file, number, text=text.strip()[-400:])
            found = None if done else (source, bar.groupdict())
    return found


def _found(
    last: tuple[Source, dict[str, str]], waits: Source, limit: int, silent: list[int]
) -> Finding:
    source, bar = last
    numbers = {n: f"{whole(bar[n]):,}" for n in ("at", "all")}
    told = _TOLD.fill({**bar, **numbers, "name": bar["name"].strip(), "limit": f"{limit:,}"})
    if len(silent) == 1:
        told = _RANK.fill(rank=silent[0], told=told)
    return Finding(BUSY, "prepares-data", value={"told": told}, source=source, more=(waits,))


def _seconds(clock: str) -> int:
    """Of 12:34, or of 1:12:34."""
    total = 0
    for part in clock.split(":"):
        total = 60 * total + whole(part or "0")
    return total


PROBE = Probe(
    name="unfinished-bar",
    title=Text("progress bars of data preparation", "数据预处理的进度条"),
    tells=(BUSY,),
    run=run,
    needs=(LogHits, Collectives, Ranks),
    wants=(RunConfig,),
    gives=(Preparing,),
    seconds=0.02,
    limit_seconds=10.0,
)
