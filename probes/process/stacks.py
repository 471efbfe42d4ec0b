"""Reads saved stacks of a case: ``medic attach`` documents and py-spy dumps of several ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import GivenFile, Stacks
from medic.i18n import Text
from medic.probe import Look, Probe, Skip, Unread
from medic.records import replace
from medic.text.patterns import regex

from .document import of_dumps, stacks_of
from .dumps import MAX_BYTES, Dump, parse, role

MAX_FILES = 512
SCHEMA = "medic.attach/1"
_ROW = regex(rb'\{"pid": (\d{1,10}),')
_RANK_FLAG = regex(r"--(?:local[-_]rank|rank|node_rank)[= ](\d{1,5})(?:\s|$)")


def run(look: Look) -> Iterator[Stacks | Skip | Unread]:
    documents: list[Stacks] = []
    dumps: list[tuple[Dump, int | None, str]] = []
    for file in sorted(look.files("stacks"), key=lambda f: f.modified)[:MAX_FILES]:
        try:
            found = _read(look, file)
        except Unreadable as problem:
            yield Unread(file.name, Text(problem.en, problem.zh))
            continue
        if isinstance(found, Stacks):
            documents = [d for d in documents if not _same_job(d, found)]
            documents.append(found)
        else:
            dumps += found
    ranks = [item for item in dumps if role(item[0]) == "rank"]
    if ranks:
        documents.append(of_dumps(ranks))
    if documents:
        yield _joined(documents)


def _read(look: Look, file: GivenFile) -> Stacks | list[tuple[Dump, int | None, str]]:
    with look.open(file.path, MAX_BYTES) as opened:
        data = opened.read(MAX_BYTES)
    if data.lstrip()[:1] == b"{":
        try:
            root = json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise Unreadable("no valid JSON: cut off?", "不是有效的 JSON：文件不完整？") from None
        if isinstance(root, dict) and root.get("schema") == SCHEMA:
            return stacks_of(root, file.name, _lines(data))
    found = parse(data)
    alone = sum(role(d) == "rank" for d in found) == 1
    return [(d, (file.rank if alone else None) or _told(d, file, alone), file.name) for d in found]


def _lines(data: bytes) -> dict[int, int]:
    """Process id -> its line: medic attach writes one rank a line."""
    found: dict[int, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if head := _ROW.match(line):
            found.setdefault(int(head[1]), number)
    return found


def _told(dump: Dump, file: GivenFile, alone: bool) -> int | None:
    """The rank by the file's name if it holds one rank, else by a flag of the command."""
    if alone and file.rank is not None:
        return file.rank
    flag = _RANK_FLAG.search(dump.command)
    return int(flag[1]) if flag else None


def _same_job(before: Stacks, after: Stacks) -> bool:
    """Whether a later look is at the same processes, or at ranks of their numbers on their host."""
    if before.host != after.host:
        return False
    pids = {r.pid for r in before.ranks} & {r.pid for r in after.ranks}
    ranks = {r.rank for r in before.ranks} & {r.rank for r in after.ranks} - {None}
    return bool(pids or ranks)


def _joined(documents: list[Stacks]) -> Stacks:
    """Looks at several nodes as one: the ranks of all, each missing where it is of its node."""
    if len(documents) == 1:
        return documents[0]
    first = documents[0]
    tables = {label: rows for d in documents for label, rows in d.tables.items()}
    return replace(
        first,
        ranks=tuple(r for d in documents for r in d.ranks),
        missing=(),
        seconds=min(d.seconds for d in documents),
        gpus=tuple(g for d in documents for g in d.gpus),
        tables=tables,
    )


PROBE = Probe(
    name="stacks",
    title=Text("stack dumps", "调用栈转储"),
    tells=(),
    run=run,
    gives=(Stacks,),
    seconds=0.05,
    limit_seconds=20.0,
)
