"""``usage: train.py [-h] --config CONFIG …`` as argparse prints it: the options it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal

from medic.facts import Option, ParserSpec, Source

Takes = Literal["value", "optional-value", "none", "many"]

MAX_USAGE = 64 * 1024  # characters of one usage text
_TOKEN = re.compile(r"[\[\](){}|]|[^\s\[\](){}|]+")
_PAIRS = {"[": "]", "(": ")", "{": "}"}


def parse_usage(text: str, source: Source) -> ParserSpec | None:
    """The options of a usage text (without the word ``usage:``); None if it lists none.

    argparse shows only the first name of an option; the names that a metavar tells are added.
    """
    program, options_text = _split_program(text[:MAX_USAGE])
    if not program:
        return None
    options: list[Option] = []
    subcommands = False
    for part in _parts(options_text):
        subcommands = subcommands or part.endswith("...")
        options += _options(part, source)
    if not any(o.names[0].startswith("-") for o in options):
        return None
    return ParserSpec(
        program, tuple(_paired(options)), complete=not subcommands, origin="usage"
    )


def _split_program(text: str) -> tuple[str, str]:
    """The program, as the script it stands for, and what follows it."""
    match = re.match(r"\s*((?:\S+/)?python[\d.]*\s+-m\s+\S+|[^\s\[({-]\S*)\s*", text)
    if match is None:
        return "", ""
    program = match[1].split()[-1]
    return PurePosixPath(program).name, text[match.end() :]


def _parts(text: str) -> Iterator[str]:
    """Top-level parts: a bracketed group, an option with its values, a positional argument."""
    words = list(_words(text))
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.startswith("-"):
            while at < len(words) and _is_value_of(word, words[at]):
                word += " " + words[at]
                at += 1
        elif at < len(words) and words[at].startswith(f"[{word} "):
            word += " " + words[at]
            at += 1
        yield word


def _is_value_of(option: str, word: str) -> bool:
    """Whether a word after a required option is its value: one, or the same name again."""
    values = option.split()[1:]
    if word.startswith(("-", "(")):
        return False
    if not values:
        return not word.startswith("[") or not word.startswith(("[-", "[--"))
    return word == values[0] or word.startswith(f"[{values[0]} ") or word == "..."


def _words(text: str) -> Iterator[str]:
    """Words at the top level; a bracketed group is one word."""
    depth: list[str] = []
    current: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        touches = token.start() == end and token.start() > 0
        end = token.end()
        if not depth and current and not touches:
            yield _join(current)
            current = []
        current.append(token[0] if touches or not current else " " + token[0])
        if token[0] in _PAIRS:
            depth.append(_PAIRS[token[0]])
        elif depth and token[0] == depth[-1]:
            depth.pop()
    if current:
        yield _join(current)


def _join(tokens: Sequence[str]) -> str:
    return "".join(tokens).strip()


def _options(part: str, source: Source) -> Iterator[Option]:
    """The options of one part; ``|`` separates those of which only one may be given."""
    inner = part[1:-1].strip() if part[0] in "[(" and part[-1] == _PAIRS[part[0]] else part
    choices = [c.strip() for c in _alternatives(inner)]
    names = [c.split()[0] for c in choices if c.startswith("-")]
    switch = len(choices) > 1 and all(c == n for c, n in zip(choices, names, strict=False))
    if switch and len(names) == 2 and names[1] in (f"--no-{names[0][2:]}", f"--no_{names[0][2:]}"):
        yield Option(tuple(names), "none", names[1], source=source)
        return
    for choice in choices:
        if choice.startswith("-"):
            yield _option(choice, source)
        elif choice and choice[0] not in "[(" or choice.startswith("[") and choice != part:
            yield Option((choice.split()[0].strip("[]"),), _takes(choice), source=source)


def _alternatives(text: str) -> list[str]:
    found, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "[({":
            depth += 1
        elif character in "])}":
            depth -= 1
        elif character == "|" and depth == 0:
            found.append(text[start:index])
            start = index + 1
    return [*found, text[start:]]


def _option(text: str, source: Source) -> Option:
    name, _, values = text.partition(" ")
    values = values.strip()
    listed = re.fullmatch(r"\{([^{}]*)\}", values)
    choices = tuple(c.strip() for c in listed[1].split(",")) if listed else ()
    return Option(
        (name, *_other_names(name, values)), _takes("x " + values if values else "") if values
        else "none", choices=choices, source=source,
    )


def _other_names(name: str, values: str) -> tuple[str, ...]:
    """``-c CONFIG``: the metavar is the first long name, so ``--config`` exists too."""
    metavar = values.split()[0].strip("[]") if values else ""
    if name.startswith("--") or not re.fullmatch(r"[A-Z][A-Z0-9_]+", metavar):
        return ()
    long = metavar.lower()
    return tuple(dict.fromkeys((f"--{long}", "--" + long.replace("_", "-"))))


def _takes(text: str) -> Takes:
    """From ``NAME``, ``[NAME]``, ``NAME [NAME ...]``, ``NAME NAME`` after an option's name."""
    values = text.split(" ", 1)[1].strip() if " " in text else ""
    if not values:
        return "value"
    if "..." in values:
        return "many"
    if values.startswith("["):
        return "optional-value"
    several = values.split()
    return "many" if len(several) > 1 and several[0] == several[1] else "value"


def _paired(options: Sequence[Option]) -> Iterator[Option]:
    """Names which option switches another off."""
    off = {n: o for o in options for n in o.names if o.takes == "none"}
    for option in options:
        negative = option.negative
        for name in option.names:
            for spelt in (f"--no-{name[2:]}", f"--no_{name[2:]}"):
                if name.startswith("--") and spelt in off and not negative:
                    negative = spelt
        yield Option(option.names, option.takes, negative, option.default, option.choices,
                     option.source)
