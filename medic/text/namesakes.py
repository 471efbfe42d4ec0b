"""Which configuration a log is of, by what the two are called and by what the log's lines name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from medic.records import dataclass
from medic.text.patterns import regex

_WORD = regex(r"\d+(?:\.\d+)?e-?\d+|\d+(?:\.\d{1,3}(?!\d))?|[^\W\d_]+")
_ENDS = regex(r"(?:\.(?:log|out|err|txt|ya?ml|json|toml|sh|bash|sbatch|slurm|gz|xz|zst|bz2))+$")
# What any log or configuration may be called.
_GENERAL = frozenset(
    ["train", "training", "trainer", "run", "log", "logs", "out", "output", "err", "stdout",
     "stderr", "slurm", "job", "nohup", "console", "launch", "launcher", "start", "submit",
     "config", "conf", "cfg", "settings", "args", "params", "arguments", "the", "my", "main"]
)  # fmt: skip
# What stands before the file that a command writes to.
_WRITES = regex(
    r"(?:>|\btee(?:\s+-\w+)*\s|\s-[oe][ =]|--(?:output|error|std(?:out|err)|log)[\w-]*[ =])"
    r"\s*[\"']?[^\s\"'<>|]*$"
)
# A command that starts a training.
_STARTS = regex(
    r"\bpython3?\s+(?:-\w\s+)*\S*\w\.py\b|\bpython3?\s+-m\s|\b(?:torchrun|deepspeed)\s|"
    r"\baccelerate\s+launch\b|\b(?:llamafactory-cli|swift|xtuner|axolotl|tune)\s+(?:train|sft|rlhf|pt|run)\b"
)
_JOB = regex(r"\d{4,}$")  # of a scheduler, a date, a process
# One thing by several names.
_SAME = {
    "pretrain": "pt", "pretraining": "pt", "finetune": "sft", "finetuning": "sft", "ft": "sft",
}  # fmt: skip


def words_of(path: str) -> frozenset[str]:
    """What the name of a file says besides what any log or configuration is called."""
    name = _ENDS.sub("", PurePath(path.replace("\\", "/")).name.lower())
    found = _WORD.findall(name)
    return frozenset(_SAME.get(w, w) for w in found if w not in _GENERAL and not _JOB.match(w))


def namesakes(logs: Iterable[str], configs: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """log -> the configurations called like it: all words that tell one from the others stand in
    the log's name, too; of several those with most of them."""
    words = {c: words_of(c) for c in configs}
    common = frozenset.intersection(*words.values()) if len(words) > 1 else frozenset()
    found: dict[str, tuple[str, ...]] = {}
    for log in logs:
        own = words_of(log)
        fits = {c: len(told) for c, w in words.items() if (told := w - common) and told <= own}
        if fits:
            most = max(fits.values())
            found[log] = tuple(c for c, n in fits.items() if n == most)
    return found


def named_in(text: str, configs: Sequence[str]) -> tuple[str, ...]:
    """The configurations that lines of a log name, as its command does; by their last parts, which
    no two of them may have in common."""
    names = [PurePath(c.replace("\\", "/")).name for c in configs]
    return tuple(
        c
        for c, name in zip(configs, names, strict=True)
        if names.count(name) == 1 and _stands_in(name, text)
    )


@dataclass(frozen=True)
class Writes:
    """A command of a script that writes a log, as ``| tee logs/sft.log`` does; lines are 1-based."""

    log: str
    first: int
    last: int
    text: str


def writers(script: str, logs: Sequence[str]) -> list[Writes]:
    """The commands of a script that write one log each, which no other command writes."""
    found: list[Writes] = []
    for first, last, text in _commands(script):
        named = named_in(text, logs)
        if len(named) == 1 and _is_written(PurePath(named[0]).name, text):
            found.append(Writes(named[0], first, last, text))
    once = [w.log for w in found]
    return [w for w in found if once.count(w.log) == 1]


def called_alike(script: str, logs: Sequence[str]) -> list[Writes]:
    """The training commands of a script that names none of the logs, each with the one log whose name
    says what the command's words say (sft.log: ``--output_dir out/sft``). Empty unless every log that
    says something has a command of its own.

    What a command goes on from is named in its words, too: a log that only one of the commands can
    be of takes it from the others.
    """
    said = {log: own for log in logs if (own := words_of(log))}
    commands = [c for c in _commands(script) if _STARTS.search(c[2])]
    if len(said) < 2 or len(commands) != len(said):
        return []
    words = [frozenset(_SAME.get(w, w) for w in _WORD.findall(c[2].lower())) for c in commands]
    free = {log: {n for n, w in enumerate(words) if its <= w} for log, its in said.items()}
    found: list[Writes] = []
    while free:
        log = next((log for log, fits in free.items() if len(fits) == 1), None)
        if log is None:
            return []
        (number,) = free.pop(log)
        found.append(Writes(log, *commands[number]))
        free = {other: fits - {number} for other, fits in free.items()}
    return found


def _commands(script: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text) of each line that is no comment, with those that continue it."""
    lines = script.split("\n")
    at = 0
    while at < len(lines):
        first = at
        while lines[at].endswith("\\") and at + 1 < len(lines):
            at += 1
        text = "\n".join(lines[first : at + 1])
        at += 1
        if not text.lstrip().startswith("#"):
            yield first + 1, at, text


def _is_written(name: str, text: str) -> bool:
    """Whether one of the places at which a text names a file is where a command writes to."""
    places = (found.start() for found in re.finditer(re.escape(name), text))
    return any(_WRITES.search(text[:at]) for at in places)


def _stands_in(name: str, text: str) -> bool:
    """Whether a file's name stands in a text as a whole word."""
    at = text.find(name)
    while at >= 0:
        before, after = text[max(at - 1, 0) : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("_", "-", ".")) and not (
            after.isalnum() or after in ("_", "-")
        ):
            return True
        at = text.find(name, at + 1)
    return False
