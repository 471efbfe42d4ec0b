"""Rank, time and message of a log line, as launchers and loggers write them in front."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from medic.text.patterns import regex

from .clock import Clock
from .digits import whole

HEAD = 160  # characters in which prefixes are looked for

_RANK = regex(r"\[rank[ _]?(\d{1,5})\]|\[Rank (\d{1,5})\]|\bRank (\d{1,5})\]|^rank[ _]?(\d{1,5})\b")
_MPI = regex(r"\[\d+,(\d{1,5})\]<std(?:out|err)>")
_LOCAL = regex(r"\s*\[default(\d{1,4})\]:|(\S+):\d+:\d+ \[(\d{1,3})\] NCCL ")
_BOTH = regex(r"\s*rank\s+: (\d{1,5}) \(local_rank: (\d{1,4})\)")
# What torchrun's agent prints of its node after each rendezvous.
_GLOBALS = regex(r"\bglobal_ranks=\[(\d{1,5})\b")
_NODES = regex(r"\bgroup_world_size=(\d{1,5})\b|\bgroup_world_sizes=\[(\d{1,5})\b")
# Anything that stands before the message; repeated.
_LEAD = regex(
    r"(?:\[\d+,\d+\]<std(?:out|err)>: ?|\[(?:default|rank)\d+\]:? ?|"
    r"\([A-Za-z_]\w*(?:\([^)]*\))? pid=[^)]*\) ?)+"
)
# What launchers put in front of every line: srun --label a task number, pdsh and others a host;
# scripts of one's own the rank, in brackets or behind its name.
_TASK = regex(r"\s{0,6}(\d{1,5}):(?: |$)")
_HOSTS = (
    regex(r"(\S{1,60}?): ?"),
    regex(r"(\S{1,60}?) +\| ?"),
    regex(r"\[pod/([^\]\s]{1,100})\] ?"),
)
_HOST_NAME = regex(r"(?!\d{4}-\d\d-\d\dT)[A-Za-z0-9.-]*(?:[-.]\d|\d$|\.[a-z])")
_NAMED_RANK = regex(
    r"\s{0,4}[\[(<]?(?i:(?:global[ _-]?)?rank[ _:=#-]{0,2}|(?:trainer|worker|process|proc|gpu|task|r)[ _:=#]?)(\d{1,5})"
    r"(?:/\d{1,5})?(?:[\])>]:?|:|\||,| -)?(?:\s|(?<=[\]:])|$)"
)
_BRACKETED = regex(r"\s{0,4}[\[(](\d{1,5})[\])]:?(?: |$)")
_OF_HOST = regex(r"\s{0,4}[\w.-]{1,60}:(\d{1,5}): ?")
LABELLED, MOST_HOSTS = 0.9, 16
TASKS = 0.3
_LOGGER = regex(
    r"(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d{4})[T _]\d\d:\d\d:\d\d[.,\d]*"
    r"(?:Z|[+-]\d\d:?\d\d)?\]?|\[rank ?\d+\]:?|\[Rank \d+\]|\[[\w./-]+:\d+(?::\w+)?\]|"
    r"\[?[EIWF]\d{3,4} \d\d:\d\d:\d\d[.\d]*(?: \d+)? \S+:\d+\]|"
    r"\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\]?:?"
    r"(?:\s+(?!\w*(?:step|iter|loss|epoch|update|lr|norm))[\w.]+:(?=\s))?|[|-])\s*"
)


# Numbers in front of lines that may be those of ranks.
_RANKS = (_NAMED_RANK, _BRACKETED, _OF_HOST)


class Prefixed(NamedTuple):
    """``body`` keeps its own indentation; ``message`` is behind time, level and logger, too.

    ``stream`` tells interleaved writers apart: the launcher's prefix as it is written.
    """

    rank: int | None
    local: int | None
    time: float | None
    body: str
    stream: str


class Prefixes:
    """Reads the prefixes of one file's lines.

    ``label`` is what stands in front of each line (see ``label_of``).
    """

    def __init__(
        self,
        rank: int | None = None,
        clock: Clock | None = None,
        label: re.Pattern[str] | None = None,
    ) -> None:
        self.rank = rank
        self.clock = clock or Clock()
        self.label = label
        self.told: set[int] = set()  # ranks that lines state themselves
        self.first = 0  # the node's first rank, where a line tells it
        self.firsts: set[int] = set()  # of several, the lines are of several nodes
        self.nodes = 1  # as the agent told
        self.local: set[int] = set()  # ranks on their node that torchrun's "[default3]:" tells
        self.devices: dict[str, set[int]] = {}  # by host, as NCCL's lines name them
        self.several = False  # nodes: then a device of a host is no rank of the run
        self._globals: dict[int, int] = {}  # local rank -> global rank, where a line tells both

    def read(self, text: str) -> Prefixed:
        stream, task = "", None
        if self.label is not None and (label := self.label.match(text)):
            task = whole(label.group(1)) if self.label in (_TASK, *_RANKS) else None
            stream, text = label.group(0), text[label.end() :]
        head = text[:HEAD]
        rank, local = self._ranks(head)
        rank = task if rank is None else rank
        if rank is not None:
            self.told.add(rank)
        lead = _LEAD.match(text)
        if lead:
            stream, text = stream + lead.group(0).strip(), text[lead.end() :]
        if rank is None and local is not None:
            rank = self._globals.get(local, self._of_node(local))
        time = self.clock.read(head)
        if time is None and lead:
            time = self.clock.read(text[:HEAD])
        return Prefixed(self.rank if rank is None else rank, local, time, text, stream)

    def _of_node(self, local: int) -> int | None:
        """The global rank of a local one; None where the run has several nodes and no line tells
        with which rank this one begins, or one file has the lines of several nodes."""
        if len(self.firsts) > 1 or (self.several and not self.firsts):
            return None
        return local + self.first

    def _ranks(self, head: str) -> tuple[int | None, int | None]:
        rank = local = None
        at = head.find("ank")
        if at > 0 and (found := _RANK.search(head, max(0, at - 2))):
            rank = whole(next(g for g in found.groups() if g))
        elif "]<std" in head and (found := _MPI.match(head)):
            rank = whole(found.group(1))
        if ("[default" in head or " NCCL " in head) and (found := _LOCAL.match(head)):
            local = int(found[1] or found[3])
            if found[1]:
                self.local.add(local)
            if found[2] and rank is None:
                self.devices.setdefault(found[2], set()).add(local)
        if "local_rank: " in head and (both := _BOTH.match(head)):
            self._begins(int(both[1]) - int(both[2]))
        elif "global_ranks=[" in head and (of_node := _GLOBALS.search(head)):
            self._begins(whole(of_node[1]))
        elif "group_world_size" in head and (of_run := _NODES.search(head)):
            self.nodes = whole(of_run[1] or of_run[2])
        if rank is not None and local is not None:
            self._globals.setdefault(local, rank)
        return rank, local

    def _begins(self, rank: int) -> None:
        """With which rank the node begins."""
        self.first = max(0, rank)
        self.firsts.add(self.first)


_FILE_RANK = regex(
    r"(?:^|[^a-z0-9])(?:local[_-]?|global[_-]?)?rank[_.-]?(\d{1,5})(?![0-9])|"
    r"^log_(\d{1,5})\.txt$|^slurm-\d+[_.](\d{1,5})\.(?:out|err)$",
    re.IGNORECASE,
)
_FOLDER_RANK = regex(r"(?:(?:local[_-]?)?rank[_-]?)?(\d{1,5})", re.IGNORECASE)


def rank_of_file(path: str) -> int | None:
    """The rank whose log a file is, by its name, or by its folder (torchrun's ``0/stdout.log``)."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if found := _FILE_RANK.search(name):
        return whole(next(g for g in found.groups() if g))
    last = _FOLDER_RANK.fullmatch(folder.rpartition("/")[2])
    if last and re.match(r"(?:std(?:out|err)|error|train|log|output)\b", name):
        return whole(last.group(1))
    return None


@lru_cache(maxsize=8)
def message(body: str) -> str:
    """The words of a log line, behind time, level, logger and rank."""
    position = 0
    while found := _LOGGER.match(body, position):
        position = found.end()
    return body[position:]


def label_of(lines: list[str]) -> re.Pattern[str] | None:
    """What a launcher put in front of nearly every line, if it did: a task number or a host."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 5:
        return None
    tasks = [found.group(1) for line in filled if (found := _TASK.match(line))]
    # What a batch script and srun itself print carries no label, so that fewer lines are enough
    # where the numbers come again; a count of lines does not.
    again = len(tasks) >= 5 and len(set(tasks)) <= len(tasks) / 2
    if len(tasks) >= (TASKS if again else LABELLED) * len(filled):
        return _TASK
    for pattern in _RANKS:
        told = [found.group(1) for line in filled if (found := pattern.match(line))]
        if len(told) >= LABELLED * len(filled) and _interleaved(told):
            return pattern
    for pattern in _HOSTS:
        names = [found.group(1) for line in filled if (found := pattern.match(line))]
        hosts = [name for name in names if _HOST_NAME.match(name)]
        if len(hosts) >= LABELLED * len(filled) and len(set(hosts)) <= MOST_HOSTS:
            return pattern
    return None


def _interleaved(numbers: list[str]) -> bool:
    """Whether they are those of writers that take turns: a count of steps or epochs only rises."""
    return (
        len(set(numbers)) >= 2
        and any(int(a) > int(b) for a, b in pairwise(numbers))
        and (len(set(numbers)) <= len(numbers) / 2)
    )
