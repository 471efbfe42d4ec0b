"""Parsed configuration files and scripts, with the place of every value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from medic.records import dataclass, field
from medic.run_config import Edit, Span, Syntax


@dataclass(frozen=True)
class Node:
    """A parsed value with its place: ``raw`` as written, ``value`` as YAML 1.2 reads it.

    ``loader_value`` differs where the usual loader reads something else (PyYAML: ``1e-5`` is text).
    Mappings keep ``items`` (key node, value node) in file order, sequences ``elements``.
    """

    kind: Literal["mapping", "sequence", "scalar"]
    span: Span
    value: int | float | bool | str | None = None
    raw: str = ""
    quoted: bool = False
    loader_value: int | float | bool | str | None = None
    items: tuple[tuple[Node, Node], ...] = ()
    elements: tuple[Node, ...] = ()

    def get(self, key: str) -> Node | None:
        for k, v in self.items:
            if key in (k.value, k.raw):
                return v
        return None

    def leaves(self, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node, Node]]:
        """(key path, key node, value node) of every value below a mapping; lists are leaves."""
        for key, value in self.items:
            path = (*prefix, str(key.value if key.value is not None else key.raw))
            if value.kind == "mapping":
                yield from value.leaves(path)
            else:
                yield path, key, value


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file itself: a duplicate key, a value that its loader misreads.

    ``not-strict``: JSON that only a lenient reader (HJSON) takes; ``detail``: what json.load says.
    ``refused``: where bash stops at a script; ``detail``: why (see ``shell_refusal``) and the word,
    ``other``: the place of the word that it concerns, ``mend``: what makes it a script.
    ``not-utf-8``: the first byte of a script that is none (``detail``, as 0xe9); it reads as ``_``.
    ``other`` is the first of two equal keys and ``dropped`` its value, which is not in the tree.
    """

    kind: Literal[
        "duplicate-key",
        "number-as-text",
        "odd-scalar",
        "syntax",
        "not-strict",
        "refused",
        "not-utf-8",
    ]
    span: Span
    detail: str = ""
    other: Span | None = None
    dropped: Node | None = None
    mend: Edit | None = None


@dataclass(frozen=True)
class Word:
    """One argument of a command as the shell would pass it; None where that cannot be known.

    A word that a list variable brings has the place where it stands in that variable's assignment.
    ``literal`` is the text that a variable gives to the word, or to its part after ``=``, where
    that is one literal: the bytes to edit. None if the word is written out, or is not that simple.
    """

    span: Span
    raw: str
    value: str | None
    literal: Span | None = None

    @property
    def text(self) -> str:
        """The value, or the word as it is written."""
        return self.raw if self.value is None else self.value


@dataclass(frozen=True)
class Command:
    """A simple command: assignments before it and its words."""

    span: Span
    words: tuple[Word, ...]
    assignments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """One arm of what selects the settings of a launch: the ``case``, or ``if``, that begins at byte
    ``at``, by the variable ``name``. ``pattern`` is the arm's, ``*`` for what none names; ``value``
    the text that the variable then is, None where that is not one text; ``first`` and ``last``
    are the lines of the arm."""

    at: int
    arm: int
    name: str
    pattern: str
    value: str | None
    first: int
    last: int


@dataclass(frozen=True)
class Written:
    """A configuration file that a script writes, in place; without a ``document`` the reason.

    ``exact``: the text is written as it stands, nothing in it is filled in.
    """

    name: str
    document: Document | None
    en: str = ""
    zh: str = ""
    at: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Document:
    """A parsed configuration file or script.

    ``unreached`` are the commands of branches that the script does not take as it stands,
    ``texts`` is what here-documents write to files (None: not known, or not all of it),
    ``brought`` are the commands that stand in the files that it sources (``sourced``, their paths), ``choices``
    what a caller of the script chooses from, where nothing in it decides.
    """

    file: str
    syntax: Syntax
    root: Node | None = None
    commands: tuple[Command, ...] = ()
    unreached: tuple[Command, ...] = ()
    variables: Mapping[str, str | None] = field(default_factory=dict)
    held: Mapping[str, tuple[Word, ...]] = field(default_factory=dict)  # variables with options
    problems: tuple[Problem, ...] = ()
    written: tuple[Written, ...] = ()
    texts: Mapping[str, str | None] = field(default_factory=dict)
    brought: tuple[Command, ...] = ()
    sourced: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def every_command(self) -> tuple[Command, ...]:
        """Those that are reached, and those that are not."""
        return (*self.commands, *self.unreached)
