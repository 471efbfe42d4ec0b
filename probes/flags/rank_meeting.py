"""Where the ranks of one job meet: on ports that differ, or on one that only root may open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.run_config import Span

from .launch import text_of
from .layout import ENDPOINT, LOOPBACK, Fault
from .option_words import is_fixed, option_word
from .script_text import ScriptText
from .world import world_of

_RANKS = ("--node-rank", "--machine-rank")
_PORTS = ("--master-port", "--main-process-port")
_ADDRESSES = ("--master-addr", "--main-process-ip")
# ip(7), ip_local_port_range and ip_unprivileged_port_start.
_FIRST_FREE = 1024
_PORT = Text(
    "rank {rank} is sent to port {here}, and rank {first} of line {line} to port {there}: they wait for "
    "each other at different ports",
    "rank {rank} 去端口 {here}，而第 {line} 行的 rank {first} 去端口 {there}：两者在不同端口互相等待",
)
_ADDRESS = Text(
    "rank {rank} meets the others at {here}, rank {first} (line {line}) at {there}",
    "rank {rank} 在 {here} 会合，而 rank {first}（第 {line} 行）在 {there}",
)
_ROOTS = Text(
    "only root may listen on port {port}: the ports below 1024 are not for users",
    "只有 root 能监听端口 {port}：普通用户不能使用 1024 以下的端口",
)
FOR_ROOT = Text(
    "as root the run starts, for any other user it stops with 'permission denied'",
    "以 root 运行可以启动，其他用户会报 permission denied",
)


def ports_apart(launches: Sequence[Launch]) -> Iterator[Fault]:
    """Commands of one job that a script sends to other ports than that of its lowest rank
    (torch ``distributed/rendezvous.py``: ``env://`` reads RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT)."""
    for ranks in _jobs(launches):
        known = {
            r: (one, port) for r, one in ranks.items() if (port := world_of(one).port) is not None
        }
        lead = min(known, default=0)
        for rank, (launch, port) in known.items():
            first, there = known[lead]
            if port != there:
                said = option_word(launch.launcher_words, *_PORTS)
                span = _within(said[0], launch) if said is not None else launch.span
                yield _apart(_PORT, (rank, str(port)), (lead, str(there)), first, span)


def addresses_apart(script: ScriptText, launches: Sequence[Launch]) -> Iterator[Fault]:
    """Commands of one job that each name another address. Where any two agree there may be two jobs;
    a loopback address is that of rank 0."""
    for ranks in _jobs(launches):
        said = [option_word(one.launcher_words, *_ADDRESSES) for one in ranks.values()]
        known = [one for one in said if one is not None and is_fixed(script, one[0])]
        values = [value for _, value in known]
        if len(set(values)) < len(ranks) or any(LOOPBACK.match(value) for value in values):
            continue
        (lead, first), *others = ranks.items()
        for (rank, launch), (word, here) in zip(others, known[1:], strict=True):
            span = _within(word, launch)
            yield _apart(_ADDRESS, (rank, here), (lead, values[0]), first, span)


def _jobs(launches: Sequence[Launch]) -> Iterator[dict[int, Launch]]:
    """The commands of each job of several, by rank or node rank. A rank that comes twice is one of
    several jobs, one after the other."""
    jobs: dict[tuple[str, str, str], list[tuple[int, Launch]]] = {}
    for launch in launches:
        rank = _rank(launch)
        size = launch.environment.get("WORLD_SIZE") or str(world_of(launch).nodes)
        if rank is not None and size not in ("1", "None"):
            job = text_of(launch.script), size, launch.environment.get("MASTER_ADDR", "")
            jobs.setdefault(job, []).append((rank, launch))
    for ranks in jobs.values():
        if len(dict(ranks)) == len(ranks) > 1:
            yield dict(ranks)


def _rank(launch: Launch) -> int | None:
    said = option_word(launch.launcher_words, *_RANKS)
    value = said[1] if said is not None else launch.environment.get("RANK", "")
    return int(value) if value.isdecimal() else None


def _apart(
    what: Text, own: tuple[int, str], other: tuple[int, str], first: Launch, span: Span
) -> Fault:
    words = {"rank": own[0], "here": own[1], "first": other[0], "there": other[1]}
    return Fault(ENDPOINT, what.fill(words, line=first.span.line), span)


def _within(word: Word, launch: Launch) -> Span:
    """The word's place in the command itself, not where its variable is set."""
    return word.span if word.span.file == launch.span.file else launch.span


def of_root(launch: Launch) -> Iterator[tuple[Text, Span]]:
    """A port that is written out and privileged; 0 is any that is free."""
    found = option_word(launch.launcher_words, *_PORTS)
    if found is not None and found[1].isdecimal() and 0 < int(found[1]) < _FIRST_FREE:
        yield _ROOTS.fill(port=found[1]), found[0].literal or found[0].span
