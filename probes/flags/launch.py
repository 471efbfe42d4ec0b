"""The command that starts training: launcher, its options, the script and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from medic.facts import Command, Launch, Word
from medic.text.patterns import regex

from .launchers import (
    ALIASES,
    FRAMEWORKS,
    LAUNCHERS,
    MODULES,
    PYTHON,
    PYTHON_FLAGS,
    TRAINERS,
    WRAPPERS,
    Program,
    lost_option,
)

_ASSIGNMENT = regex(r"^([A-Za-z_]\w*)=(.*)$", re.DOTALL)
_VERB = "tune"  # deepspeed --autotuning tune train.py
_CALLERS = ("$@", "$*")  # words of who calls the script
_MANAGERS = ("srun", "mpirun", "horovodrun")
_OPEN = regex(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*(?:\[@\])?\})$")


def is_module(launch: Launch) -> bool:
    """Whether the script is a module name (``-m``), not a file."""
    values = [w.value for w in launch.launcher_words]
    return values[-1:] in (["-m"], ["--module"]) or (
        launch.launcher != "python"
        and ("-m" in values or "--module" in values)
        and not text_of(launch.script).endswith(".py")
    )


def launch_of(command: Command, environment: Mapping[str, str] | None = None) -> Launch | None:
    """The launch that a command is, or None. ``environment`` is what its script sets before."""
    reader = _Reader(command.words)
    place = reader.find_script()
    if place is None:
        return None
    words = command.words
    return Launch(
        launcher=reader.launcher or "python",
        launcher_words=words[:place],
        script=words[place],
        arguments=words[place + 1 :],
        span=command.span,
        environment={**(environment or {}), **command.assignments, **reader.environment},
    )


def text_of(word: Word | None) -> str:
    """A word's value, or as much of it as is written."""
    if word is None:
        return ""
    return word.text


def program_name(word: Word) -> str:
    name = PurePosixPath(text_of(word)).name
    return ALIASES.get(name, name)


class _Reader:
    """Walks the words before the script: wrappers, launchers, the interpreter."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.launcher = ""
        self.environment: dict[str, str] = {}

    def find_script(self, at: int = 0) -> int | None:
        """The position of the script among the words; None if the command starts none."""
        while at < len(self.words):
            word = self.words[at]
            name = program_name(word)
            assignment = _ASSIGNMENT.match(text_of(word))
            if assignment:
                self.environment[assignment[1]] = assignment[2]
                at += 1
            elif PYTHON.match(name):
                return self._python(at + 1)
            elif name.endswith(".py") or name in TRAINERS:
                return at
            elif name in FRAMEWORKS:
                return self._framework(at, name)
            elif name in LAUNCHERS:
                return self._launcher(at + 1, name)
            elif name in WRAPPERS:
                inner = self._wrapper(at, name)
                if inner is None:
                    return None
                if name == "uv" and text_of(self.words[inner - 1]) in ("-m", "--module"):
                    return self._module(inner)
                at = inner
            elif word.value is None and self._starts_launcher(at + 1):
                return self._python(at + 1)  # "$PYTHON" -m torch.distributed.run …
            elif word.value is None and (at == 0 or word.raw.strip('"') in _CALLERS):
                at += 1  # what only the running shell knows: ${PREFIX} torchrun …, srun "$@" …
            else:
                return self._handed_on(at)
        return None

    def _handed_on(self, at: int) -> int | None:
        """``gantry run … -- torchrun …``: what a program that starts jobs is given."""
        for place in range(at + 1, len(self.words) - 1):
            name = program_name(self.words[place + 1])
            if text_of(self.words[place]) == "--" and (name in LAUNCHERS or PYTHON.match(name)):
                return self.find_script(place + 1)
        return None

    def _python(self, at: int) -> int | None:
        while at < len(self.words):
            text = text_of(self.words[at])
            if text == "-m":
                return self._module(at + 1)
            if text in PYTHON_FLAGS:
                at += 1
            elif text in ("-W", "-X"):
                at += 2
            elif text.startswith(("-W", "-X")):
                at += 1
            elif text.startswith("-"):
                return None  # -c CODE, or a script from the standard input
            elif (name := program_name(self.words[at])) in LAUNCHERS:
                return self._launcher(at + 1, name)  # python .venv/bin/torchrun …
            else:
                return self._handed_on(at) or at
        return None

    def _starts_launcher(self, at: int) -> bool:
        texts = [text_of(word) for word in self.words[at : at + 2]]
        return texts[:1] == ["-m"] and texts[-1] in MODULES

    def _module(self, at: int) -> int | None:
        if at >= len(self.words):
            return None
        stands_for = MODULES.get(text_of(self.words[at]))
        if stands_for is None:
            return at
        name, *given = stands_for
        program = LAUNCHERS[name]
        return self._launcher(at + 1, name, sub_given=bool(given) or not program.sub)

    def _launcher(self, at: int, name: str, *, sub_given: bool = False) -> int | None:
        program = LAUNCHERS[name]
        if program.sub and not sub_given:
            if at >= len(self.words) or text_of(self.words[at]) not in program.sub:
                return None
            at += 1
        self.launcher = name
        at = self._options(at, program)
        while at + 1 < len(self.words) and lost_option(name, text_of(self.words[at])):
            at = self._options(at + 1 + ("=" not in text_of(self.words[at])), program)
        return at if at < len(self.words) else None

    def _framework(self, at: int, name: str) -> int | None:
        place = at + 1
        if place < len(self.words) and text_of(self.words[place]) in FRAMEWORKS[name]:
            self.launcher = name
            return place
        return None

    def _wrapper(self, at: int, name: str) -> int | None:
        program = WRAPPERS[name]
        at += 1
        if program.sub:
            if at >= len(self.words) or text_of(self.words[at]) not in program.sub:
                return None
            at += 1
        at = self._options(at, program)
        if name in _MANAGERS:
            self.launcher = name
            at = self._past_open(at, program)
        # options may follow the other words too: ray job submit --address … -- python …
        return self._options(at + program.positional, program) if program.positional else at

    def _past_open(self, at: int, program: Program) -> int:
        """Behind ``${OPTIONS}`` that only the running shell knows: ``srun ${RESUME} -l torchrun``."""
        words = self.words
        while at + 1 < len(words) and words[at].value is None and _OPEN.match(words[at].raw):
            after = words[at + 1 :]
            if not _starts_program(after[0]) or not any(map(_is_program, after)):
                break
            at = self._options(at + 1, program)
        return at

    def _options(self, at: int, program: Program) -> int:
        """The position of the first word after the options."""
        while at < len(self.words):
            text = text_of(self.words[at])
            if text == "--":
                return at + 1
            if not text.startswith("-") or text == "-":
                return at
            at += 1 + self._values(at, text, program)
        return at

    def _values(self, at: int, text: str, program: Program) -> int:
        """How many words after an option are its values."""
        if "=" in text:
            return 0
        if text in program.several:
            return program.several[text]
        short = not text.startswith("--")
        if short and program.glued and len(text) > 2:
            return 0
        if _is_flag(text, program.flags):
            return 0
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        return 0 if following is None or _starts_program(following) else 1


def _is_flag(text: str, flags: frozenset[str]) -> bool:
    if text in flags:
        return True
    spelt = "--" + text[2:].replace("_", "-") if text.startswith("--") else text
    return spelt in flags or (len(spelt) > 6 and sum(flag.startswith(spelt) for flag in flags) == 1)


def _starts_program(word: Word) -> bool:
    return text_of(word).startswith("-") or _is_program(word)


def _is_program(word: Word) -> bool:
    name = program_name(word)
    return (
        name.endswith(".py")
        or name in TRAINERS
        or bool(PYTHON.match(name))
        or (name in LAUNCHERS and name != _VERB)
        or name in FRAMEWORKS
    )


def words_of(launch: Launch) -> Iterator[str]:
    """The launcher's words as texts, as far as they are known."""
    return (text_of(word) for word in launch.launcher_words)
