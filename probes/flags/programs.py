"""Programs that are misspelt, or that do not take what a launcher takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from medic.facts import Command, Word
from medic.i18n import Text
from medic.text.patterns import regex
from medic.text.slips import digits_of, is_swapped

from .distance import letters_apart
from .launchers import ALIASES, FRAMEWORKS, LAUNCHER_OPTIONS, LAUNCHERS, PYTHON, WRAPPERS
from .script_text import ScriptText
from .slip import Slip, respelt
from .spelling import plain

_PROGRAM = regex(r"^[a-z][a-z-]{4,}$")
_PROGRAMS = ("python", "python3", "sbatch", *LAUNCHERS, *FRAMEWORKS, *WRAPPERS)
_SHORTEST = len("python")
MAX_WRAPPED = 40  # words in which a wrapper's program is looked for
# What has to follow a name one letter from a word of the shell, or from Python, to tell that it is
# meant: no program of such a name takes it.
_FOLLOWS = {
    "export": regex(r"[A-Za-z_]\w*=.*"),
    "source": regex(r".*(?:/|\.sh$|\.env$|\.bashrc$).*"),
    "python": regex(r"(?!-)\S*\w\.py|-m"),
    "python3": regex(r"(?!-)\S*\w\.py|-m"),
    "sbatch": regex(r"\S*\w\.(?:sh|sbatch|slurm|slrm)"),
    "module": regex(r"load|purge|unload|swap"),
    "conda": regex(r"activate|deactivate"),
    "ulimit": regex(r"-[A-Za-z]+"),
    "srun": regex(r"--?[A-Za-z].*|torchrun|accelerate|deepspeed|python3?|bash"),
}

_NO_PROGRAM = Text(
    "there is no program {word}; {meant} is meant", "没有 {word} 这个程序，应为 {meant}"
)
_NO_LAUNCHER = Text(
    "{python} has no option {flag}: it is one of torchrun (python -m torch.distributed.run)",
    "{python} 没有 {flag} 选项：它属于 torchrun（python -m torch.distributed.run）",
)


def programs(command: Command, script: ScriptText) -> Iterator[Slip]:
    words = command.words
    if len(words) < 2:
        return
    for at, word in enumerate(words[:4]):
        if at and not _runs_another(words[:at]):
            break
        meant = _meant(word, words[at + 1] if at + 1 < len(words) else None, script)
        if meant:
            what = _NO_PROGRAM.fill(word=word.raw, meant=meant)
            yield Slip(what, word.span, respelt(word, meant))
            return
    yield from _behind_wrapper(words, script)
    yield from _without_launcher(words)


def _behind_wrapper(words: Sequence[Word], script: ScriptText) -> Iterator[Slip]:
    """``srun --nodes 2 accelreate launch``: the word after it says that it is a program."""
    if ALIASES.get(words[0].value or "", words[0].value or "") not in WRAPPERS:
        return
    for word, following in pairwise(words[1:MAX_WRAPPED]):
        sub = following.value or ""
        meant = _meant(word, following, script)
        program = LAUNCHERS.get(meant)
        subs = FRAMEWORKS.get(meant, frozenset(program.sub if program else ()))
        starts = sub in subs or (meant == "torchrun" and plain(sub) in LAUNCHER_OPTIONS[meant])
        if meant and starts:
            what = _NO_PROGRAM.fill(word=word.raw, meant=meant)
            yield Slip(what, word.span, respelt(word, meant))
            return


def _runs_another(words: Sequence[Word]) -> bool:
    """Whether the words so far are wrappers with switches, behind which a program follows."""
    names = [ALIASES.get(w.value or "", w.value or "") for w in words]
    return names[0] in WRAPPERS and all(n in WRAPPERS or n.startswith("-") for n in names)


def _meant(word: Word, following: Word | None, script: ScriptText) -> str:
    """The program that a name is a slip of: letters swapped, or one inner letter wrong."""
    name = word.value or ""
    if not _PROGRAM.match(name) or name in _PROGRAMS or name in ALIASES or "/" in word.raw:
        return ""
    sub = (following.value or "") if following else ""
    for one, pattern in _FOLLOWS.items():
        if _lacks_letter(name, one) and following is not None and pattern.fullmatch(following.text):
            return "" if _is_defined(name, script) else one
    for one in _PROGRAMS:
        subs = FRAMEWORKS.get(one, frozenset(LAUNCHERS[one].sub if one in LAUNCHERS else ()))
        option = plain(sub.partition("=")[0]) in LAUNCHER_OPTIONS.get(one, ())
        told = sub in subs or (option and sub.startswith("--") and len(one) > _SHORTEST)
        if _is_slip(name, one) or (told and letters_apart(name, one, 1)):
            return "" if _is_defined(name, script) else one
    return ""


def _lacks_letter(name: str, word: str) -> bool:
    """Whether a word's letters are swapped, or one of those behind its first is left out, doubled
    or another."""
    if name[0] != word[0] or digits_of(name) != digits_of(word):
        return False
    same = len(name) <= len(word) or name[:-1] != word
    return same and letters_apart(name, word, 1) == 1


def _is_defined(name: str, script: ScriptText) -> bool:
    """Whether the script gives the name a meaning of its own: a function, an alias."""
    return re.search(rf"\b{re.escape(name)}\b\s*(?:\(\)|=)", script.text) is not None


def _is_slip(name: str, program: str) -> bool:
    if len(program) < _SHORTEST or not letters_apart(name, program, 1):
        return False
    if digits_of(name) != digits_of(program):
        return False
    if is_swapped(name, program):
        return True
    inner = name[:2] == program[:2] and name[-1] == program[-1]
    return inner and len(program) > _SHORTEST


def _without_launcher(words: Sequence[Word]) -> Iterator[Slip]:
    """``python --nproc_per_node 8 train.py``."""
    names = [PurePosixPath(w.value).name if w.value else "" for w in words[:6]]
    at = next((i for i, name in enumerate(names) if PYTHON.match(name)), None)
    if at is None or (at and not _runs_another(words[:at])):
        return
    word = words[at + 1] if at + 1 < len(words) else None
    flag = (word.value or word.raw).partition("=")[0] if word else ""
    if word is not None and flag.startswith("--") and plain(flag) in LAUNCHER_OPTIONS["torchrun"]:
        yield Slip(_NO_LAUNCHER.fill(python=names[at], flag=flag), word.span)
