"""Where the ranks of one job meet: on ports that differ, or on one that only root may open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.run_config import Span

from .launch import text_of
from .layout import LOOPBACK
from .option_words import is_fixed, option_word
from .script_text import ScriptText
from .world import world_of

_RANKS = ("--node-rank", "--machine-rank")
_PORTS = ("--master-port", "--main-process-port")
_ADDRESSES = ("--master-addr", "--main-process-ip")
# ip(7), ip_local_port_range and ip_unprivileged_port_start.
_FIRST_FREE = 1024
_PORT = Text(
    "node rank {rank} meets the others on port {here}, node rank {first} (line {line}) on port {there}",
    "节点 rank {rank} 用端口 {here} 会合，而节点 rank {first}（第 {line} 行）用端口 {there}",
)
_ADDRESS = Text(
    "node rank {rank} meets the others at {here}, node rank {first} (line {line}) at {there}",
    "节点 rank {rank} 在 {here} 会合，而节点 rank {first}（第 {line} 行）在 {there}",
)
_ROOTS = Text(
    "only root may listen on port {port}: the ports below 1024 are not for users",
    "只有 root 能监听端口 {port}：普通用户不能使用 1024 以下的端口",
)
FOR_ROOT = Text(
    "as root the run starts, for any other user it stops with 'permission denied'",
    "以 root 运行可以启动，其他用户会报 permission denied",
)


def apart(script: ScriptText, launches: Sequence[Launch]) -> Iterator[tuple[Text, Span]]:
    """Launches of one program on several nodes, each of another rank, that name another port or
    address. Where any two agree there may be two jobs; a loopback address is that of rank 0."""
    jobs: dict[tuple[str, int], list[tuple[str, Launch]]] = {}
    for one in launches:
        nodes, rank = world_of(one).nodes, option_word(one.launcher_words, *_RANKS)
        if nodes is not None and nodes > 1 and rank is not None and rank[1].isdecimal():
            jobs.setdefault((text_of(one.script), nodes), []).append((rank[1], one))
    for (_, nodes), ranks in jobs.items():
        numbers = [rank for rank, _ in ranks]
        if not 1 < len(ranks) <= nodes or len(set(numbers)) < len(ranks):
            continue
        for names, what in ((_PORTS, _PORT), (_ADDRESSES, _ADDRESS)):
            yield from _differ(script, ranks, names, what)


def _differ(
    script: ScriptText, ranks: Sequence[tuple[str, Launch]], names: Sequence[str], what: Text
) -> Iterator[tuple[Text, Span]]:
    said = [option_word(one.launcher_words, *names) for _, one in ranks]
    known = [one for one in said if one is not None and is_fixed(script, one[0])]
    values = [value for _, value in known]
    if len(known) < len(ranks) or len(set(values)) < len(ranks):
        return
    if any(LOOPBACK.match(value) for value in values):
        return
    first, there = ranks[0], values[0]
    for (rank, launch), (word, here) in zip(ranks[1:], known[1:], strict=True):
        line = first[1].span.line
        words = {"rank": rank, "here": here, "first": first[0], "line": line, "there": there}
        yield what.fill(words), _within(word, launch)


def _within(word: Word, launch: Launch) -> Span:
    """The word's place in the command itself, not where its variable is set."""
    return word.span if word.span.file == launch.span.file else launch.span


def of_root(launch: Launch) -> Iterator[tuple[Text, Span]]:
    """A port that is written out and privileged; 0 is any that is free."""
    found = option_word(launch.launcher_words, *_PORTS)
    if found is not None and found[1].isdecimal() and 0 < int(found[1]) < _FIRST_FREE:
        yield _ROOTS.fill(port=found[1]), found[0].literal or found[0].span
