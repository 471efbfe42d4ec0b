"""Reads the checkpoints of a case and tells whether the one that matters is whole."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import CheckpointIndex, Checkpoints, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread
from medic.records import dataclass
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .ranks import dangling
from .reader import Reader, refuse_empty
from .source import Damaged, PointerFile, UnknownFormat
from .subject import is_resumed, known, without_logs
from .units import Unit, are_parts_of_one, gather

MAX_READ = 4  # checkpoints of one case; older ones tell nothing more
# A save of tens of GB to a network disk takes a minute or two.
WRITING_SECONDS = 120.0
UNREADABLE = "checkpoint-unreadable"
MOST_NAMES = 3
# What saved states are made of: an allowlist, everything else is named.
_PLAIN = regex(
    r"(?:torch|numpy|collections|transformers|accelerate|megatron|deepspeed|omegaconf|lightning"
    r"|pytorch_lightning|peft|datasets|argparse|pathlib|datetime|enum|types|typing)(?:\.|$)"
    r"|_codecs\.encode$|(?:builtins|__builtin__)\.(?:set|frozenset|dict|list|tuple|slice|complex"
    r"|bytearray|range|int|float|bool|str|bytes|object)$|copy_?reg\._reconstructor$|__main__\."
)
_CALLS = Text(
    "its pickle calls {names} when it is loaded: names and shapes were read, nothing was run",
    "其 pickle 在加载时会调用 {names}：只读取了名称和形状，没有执行任何内容",
)

_FRESH = Text(
    "{why}; it was written less than 2 minutes ago and may not be finished: look again later",
    "{why}；写入时间不到 2 分钟，可能尚未写完：请稍后再看",
)


_ELSEWHERE = Text(
    "{why}; the run says nothing of it, and they may be on another node or left out of a copy: whether "
    "it is whole was not seen",
    "{why}；运行日志没有提到，它们可能在别的节点上，或复制时遗漏：未能判断它是否完整",
)


@dataclass(frozen=True)
class Result:
    unit: Unit
    index: CheckpointIndex | None = None
    problem: Unreadable | None = None

    def verdict(self) -> tuple[str, Text] | None:
        """(outcome of checkpoint-file, reason); None if that could not be told."""
        if isinstance(self.problem, PointerFile):
            return "pointer-file", Text(self.problem.en, self.problem.zh)
        if isinstance(self.problem, Damaged):
            return "broken", Text(self.problem.en, self.problem.zh)
        if self.index is None:
            return None
        gone = self.index.missing_shards
        if gone:
            names = ", ".join(gone[:3]) + (", …" if len(gone) > 3 else "")
            files = "1 file is" if len(gone) == 1 else f"{len(gone)} files are"
            return "broken", Text(f"{files} missing: {names}", f"缺少 {len(gone)} 个文件：{names}")
        pointer, named = dangling(self.unit.path)
        if pointer:
            return "broken", Text(
                f"{pointer} names {named}, which is not there",
                f"{pointer} 指向 {named}，但它不存在",
            )
        return "whole", Text("", "")


_NEEDS = Text("a checkpoint", "检查点")


def run(look: Look) -> Iterator[Finding | Skip | Unread | Checkpoints]:
    units = _ordered(look)
    if not units:
        yield Skip(_NEEDS)
        return
    reader = Reader(look)
    results = [_read(reader, unit) for unit in units[:MAX_READ] if not look.cancelled()]
    problems = [(r.unit.name, r.problem) for r in results if r.problem]
    not_read = [(name, Text(problem.en, problem.zh)) for name, problem in problems]
    older = Text("older than those read", "比已读取的更旧")
    not_read += [(u.name, older) for u in units[MAX_READ:]]
    yield Checkpoints(tuple(r.index for r in results if r.index), tuple(not_read))
    for result in results:
        if isinstance(result.problem, UnknownFormat):
            yield Unread(result.unit.name, Text(result.problem.en, result.problem.zh))
    yield from _strange(results)
    yield from _judge(look, results)


def _strange(results: Sequence[Result]) -> Iterator[Unread]:
    """Checkpoints whose pickle calls what weights and their settings have no use for."""
    for result in results:
        listed = result.index.globals_listed if result.index else ()
        names = [name for name in listed if not _PLAIN.match(name)]
        if names:
            more = ", …" if len(names) > MOST_NAMES else ""
            why = _CALLS.fill(names=", ".join(names[:MOST_NAMES]) + more)
            yield Unread(result.unit.name, why, partly=True, aside=True)


def _ordered(look: Look) -> list[Unit]:
    """Named ones first, then the newest; those given without a run in the order given."""
    files = look.files("checkpoint")
    units = gather(files)
    if without_logs(look):
        place = {f.path: n for n, f in enumerate(files)}
        return sorted(units, key=lambda u: min(place[p] for p in u.files))
    return sorted(units, key=lambda u: not (is_resumed(look, u.path) or _in_log(look, u)))


def _in_log(look: Look, unit: Unit) -> bool:
    """Whether a line about an unreadable checkpoint names this one."""
    logs = known(look, LogHits)
    hits = [h for h in logs.hits if h.symptom == UNREADABLE and not h.benign] if logs else []
    base = unit.path.rpartition("/")[2]
    return any(base in h.source.text for h in hits)


def _read(reader: Reader, unit: Unit) -> Result:
    try:
        index = reader.read(unit)
        refuse_empty(index)
        return Result(unit, index=index)
    except Unreadable as problem:
        return Result(unit, problem=problem)


def _judge(look: Look, results: Sequence[Result]) -> Iterator[Finding | Skip | Unread]:
    subjects = _subjects(look, results)
    unread = any(r.verdict() is None for r in results)
    verdicts = [(r, v) for r in subjects if (v := r.verdict())]
    if not verdicts:
        yield Skip(
            needs=Text("a checkpoint that can be read", "可读取的检查点"), check="checkpoint-file"
        )
        return
    bad = [(r, v) for r, v in verdicts if v[0] != "whole"]
    result, (outcome, reason) = (bad or verdicts)[0]
    yield from _also_broken(results, () if outcome == "whole" else (result,))
    if bad and _still_written(look, result):
        why = _FRESH.fill(why=reason)
        yield Unread(result.unit.name, why, partly=True, aside=_saves_now(look))
        yield Skip(
            needs=Text("a checkpoint that is not being written just now", "未在写入中的检查点"),
            check="checkpoint-file",
        )
        return
    if outcome == "whole" and _failed(look) and (subjects is not results or not unread):
        outcome = "whole-after-failure"
    name = result.unit.name
    if outcome == "broken" and result.problem is None and _unsaid(look, result):
        yield Unread(name, _ELSEWHERE.fill(why=reason), partly=True, aside=True)
        return
    value = {"file": name, "reason": reason}
    yield Finding("checkpoint-file", outcome, value=value, source=Source(file=name))


def _also_broken(results: Sequence[Result], told: Sequence[Result]) -> Iterator[Unread]:
    """Broken ones that no finding is of: they are named, whichever checkpoint is judged."""
    for result in results:
        verdict = result.verdict()
        parts = any(are_parts_of_one(result.unit.path, one.unit.path) for one in told)
        if not parts and result not in told and verdict is not None and verdict[0] == "broken":
            yield Unread(result.unit.name, verdict[1], partly=True)


def _unsaid(look: Look, result: Result) -> bool:
    """Whether a run whose log is here neither goes on from a checkpoint nor fails at one."""
    asked = is_resumed(look, result.unit.path) or _in_log(look, result.unit)
    return not (without_logs(look) or asked or _failed(look))


def _saves_now(look: Look) -> bool:
    """Whether the log says that the run lives: that it saves just now is then no news."""
    logs = known(look, LogHits)
    last = logs.last_time if logs is not None else None
    return last is not None and abs(time.time() - last) < WRITING_SECONDS


def _subjects(look: Look, results: Sequence[Result]) -> Sequence[Result]:
    """The checkpoints whose state matters: asked for, resumed from, or else the newest."""
    if without_logs(look):
        return results
    named = [r for r in results if is_resumed(look, r.unit.path) or _in_log(look, r.unit)]
    if named:
        return named
    return results if _failed(look) else results[:1]


def _failed(look: Look) -> bool:
    """Whether the run says that a checkpoint could not be read."""
    logs = known(look, LogHits)
    return logs is not None and any(h.symptom == UNREADABLE and not h.benign for h in logs.hits)


def _still_written(look: Look, result: Result) -> bool:
    """A live run may be saving just now; a resume or a failed load is about a finished file."""
    logs = known(look, LogHits)
    if logs is None or logs.ended in ("well", "badly"):
        return False
    if is_resumed(look, result.unit.path) or _in_log(look, result.unit):
        return False
    return time.time() - result.unit.modified < WRITING_SECONDS


PROBE = Probe(
    name="checkpoint-index",
    title=Text("whether the checkpoint is whole", "检查点是否完整"),
    tells=("checkpoint-file",),
    wants=(RunConfig, LogHits, Launches),
    gives=(Checkpoints,),
    files=("checkpoint",),
    without=(Skip(_NEEDS),),
    seconds=0.5,
    run=run,
)
