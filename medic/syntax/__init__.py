"""YAML, JSON, TOML, shell and Python text -> trees whose values know their bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import Choice, Document
from medic.run_config import Syntax
from medic.syntax.source import MAX_BYTES, SourceText
from medic.text.openings import is_shell
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.syntax.shell_sourced import Find

__all__ = ["MAX_BYTES", "NONE_SET", "guess_syntax", "parse"]

NONE_SET: Mapping[str, str] = MappingProxyType({})

# What is larger was generated, or carries data; scripts of hundreds of launches are smaller.
MAX_SCRIPT = 256 * 1024
# Of one command, with the lines that it goes on in. A list of data of a thousand parts is a tenth.
MAX_WORDS = 20_000

_BY_SUFFIX: dict[str, Syntax] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonc": "json",
    ".hjson": "json",
    ".toml": "toml",
    ".sh": "shell",
    ".bash": "shell",
    ".slurm": "shell",
    ".sbatch": "shell",
    ".py": "python",
}
_NO_PROGRAMS = ("yaml", "toml")
_COMMAND = regex(
    r"^\s*(?:[A-Z_][A-Z0-9_]*=\S+\s+)*(?:torchrun|deepspeed|accelerate|srun|mpirun|sbatch|"
    r"python3?|bash|export|llamafactory-cli|axolotl|swift)\s",
    re.MULTILINE,
)
_TABLE = regex(r"^\s*\[{1,2}[\w.\"' -]+\]{1,2}\s*(?:#.*)?$", re.MULTILINE)
_ASSIGNMENT = regex(r"^\s*[\w.-]+\s+=\s*\S", re.MULTILINE)
_SHELL_ASSIGNMENT = regex(r"^[A-Za-z_]\w*=(?:\S|$)", re.MULTILINE)
_KEY = regex(r"^\s*(?:- )?[\w.\"'-]+\s*:(?:\s|$)", re.MULTILINE)


def parse(
    data: bytes,
    file: str,
    syntax: Syntax | None = None,
    variables: Mapping[str, str] = NONE_SET,
    find: Find | None = None,
    chosen: Choice | None = None,
) -> Document:
    """The document in ``data``; ``file`` names it in spans and messages; ``variables`` are those
    that a script finds set, ``find`` reads the files that it sources, ``chosen`` is one of its
    choices.

    Raises Unreadable, naming file and line: too large (``MAX_BYTES``), not UTF-8 text (but for
    scripts: problem "not-utf-8"), not of the syntax, nested too deep, aliases that expand too far,
    or a tag that would run code.
    """
    kind = syntax or guess_syntax(file, data)
    source = SourceText(data, file, any_bytes=kind == "shell")
    try:
        return parse_source(source, kind, variables, find, chosen)
    except RecursionError:
        raise source.too_deep(1) from None
    except Unreadable as problem:
        if source.text.isascii() or kind == "python":
            raise
        raise _with_odd(problem, source) from None


def _with_odd(problem: Unreadable, source: SourceText) -> Unreadable:
    """The same, told with a character in that line that only looks like a blank or a sign."""
    from medic.syntax.odd_characters import odd_in

    line = problem.at.rpartition(":")[2]
    lines = source.text.split("\n")
    found = odd_in(lines[int(line) - 1]) if line.isdecimal() and int(line) <= len(lines) else None
    if found is None:
        return problem
    at, what = found
    return Unreadable(
        f"{problem.en}; {what} stands in column {at + 1}: it is no blank and no sign of the format",
        f"{problem.zh}；第 {at + 1} 列有 {what}，它既不是空格，也不是格式符号",
        at=problem.at,
    )


def parse_source(
    source: SourceText,
    kind: Syntax,
    variables: Mapping[str, str] = NONE_SET,
    find: Find | None = None,
    chosen: Choice | None = None,
) -> Document:
    """The document of a text that is read already. Raises Unreadable."""
    if kind == "yaml":
        from medic.syntax.yaml_tree import parse_yaml

        return parse_yaml(source)
    if kind == "json":
        from medic.syntax.json_tree import parse_json

        return parse_json(source)
    if kind == "toml":
        from medic.syntax.toml_tree import parse_toml

        return parse_toml(source)
    if kind == "shell":
        _refuse_large(source)
        from medic.syntax.shell_tree import parse_shell

        return parse_shell(source, variables, find, chosen)
    if kind == "python":
        from medic.syntax.python_tree import parse_python

        return parse_python(source)
    raise Unreadable(
        "not a YAML, JSON, TOML or shell file",
        "不是 YAML、JSON、TOML 或 shell 文件",
        at=source.file,
    )


def _refuse_large(source: SourceText) -> None:
    if len(source.data) > MAX_SCRIPT:
        raise Unreadable(
            f"a script of more than {MAX_SCRIPT // 1024} KiB: not checked",
            f"脚本超过 {MAX_SCRIPT // 1024} KiB，未检查",
            at=source.file,
        )
    words = begun = 0
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        begun = begun if words else number
        words += len(line.removesuffix(b"\\").split())
        if words > MAX_WORDS:
            raise Unreadable(
                f"a command of more than {MAX_WORDS:,} words: the script was not checked",
                f"一条命令超过 {MAX_WORDS:,} 个词：脚本未检查",
                at=source.at(begun),
            )
        if not line.endswith(b"\\"):
            words = 0


def guess_syntax(name: str, data: bytes) -> Syntax:
    """The syntax by the file's ending, else by its text; "text" if it is none of them."""
    known = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    if known in _NO_PROGRAMS and is_shell(data):
        return "shell"
    if known:
        return known
    text = data[:65536].decode("utf-8", "replace").lstrip("\ufeff")
    body = text.lstrip()
    if body.startswith("#!"):
        return "shell" if re.match(r"#!.*sh\b", body) else "text"
    if body.startswith("{"):
        return "json"
    if _TABLE.search(text) and _ASSIGNMENT.search(text):
        return "toml"
    if _COMMAND.search(text):
        return "shell"
    if body.startswith("["):
        return "json"
    counts: list[tuple[int, Syntax]] = [
        (len(_KEY.findall(text)), "yaml"),
        (len(_ASSIGNMENT.findall(text)), "toml"),
        (len(_SHELL_ASSIGNMENT.findall(text)), "shell"),
    ]
    most, syntax = max(counts, key=lambda pair: pair[0])
    return syntax if most else "text"
