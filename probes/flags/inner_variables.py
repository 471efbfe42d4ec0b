"""Variables that single quotes leave to another shell, which does not have them: ``bash -c '… $X'``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .script_text import ScriptText
from .slip import Slip, replaced

_SHELL = regex(r"(?:^|[\s/(])(?:ba|da|z|k)?sh\s+(?:-\w+\s+)*-\w*c\s+$")
_TERMINAL = regex(r"(?:^|\s)tmux\s+(?:new|send|split|neww)[\w-]*\s[^;|&]*$")
_REMOTE = regex(r"(?:^|\s)(?:ssh|pdsh)\s+\S[^;|&]*\s$")
_CONTAINER = regex(r"(?:^|\s)(?:docker|podman|kubectl)\s+(?:run|exec)\s")
_DROPS = regex(r"(?:^|\s)(?:sudo|su|env\s+-i)\s")
_TRAINS = regex(
    r"\b(?:python3?|torchrun|deepspeed|accelerate|mpirun|mpiexec|srun|swift|llamafactory-cli|axolotl|"
    r"trl|litgpt|tune|ray)\s|\.(?:py|sh)\b"
)
_USE = regex(r"(?<!\\)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[}:%#/\[])")
_SETS_INSIDE = regex(r"(?:^|[\s;&|(])(?:for\s+|read\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)(?=\+?=|\s+in\s)")
_READS_INSIDE = regex(r"\bread\s+(?:-\w+\s+)*([A-Za-z_]\w*)")
_SETS = regex(r"(?m)^[ \t]*([A-Za-z_]\w*)=")
_EXPORTS = regex(r"(?:^|[;&|({\s])(?:export|declare\s+-\w*x\w*|typeset\s+-\w*x\w*)\s+([^\n;&|]*)")
_EXPORTS_ALL = regex(r"(?m)^\s*set\s+(?:-a\b|-\w*a\w*\b|-o\s+allexport)")
_NAMES = regex(r"(?<![\w$={])([A-Za-z_]\w*)(?==|\s|$)")
_QUOTED = regex(r"'([^'\n]*(?:\n[^'\n]*){0,200})'")
_STATEMENT = regex(
    r"(?:^|[;\n]|\|\||&&|\||\b(?:do|then|else)\b)((?:[^;|&\n>]|>(?:&\d)?|(?<=\\)\n)*)$"
)
_MAX_HEAD = 4_000  # characters of a command before its quoted text
# Every shell has them: what a script gives them anew, the shells below it have as well.
_EVERYWHERE = regex(
    r"^(?:HOME|USER|LOGNAME|PATH|PWD|OLDPWD|SHELL|TMPDIR|HOSTNAME|LANG|IFS|LD_LIBRARY_PATH|PYTHONPATH|"
    r"CUDA_VISIBLE_DEVICES|(?:SLURM|CONDA|LC|PBS|OMPI)_\w+)$"
)
_INNER = Text(
    "single quotes leave {word} to the shell that {runner} starts, and {name} (line {line}) is not "
    "exported: it is empty there",
    "单引号把 {word} 留给 {runner} 启动的 shell 展开，而 {name}（第 {line} 行）没有 export：在那里为空",
)
_THERE = Text(
    "single quotes leave {word} to the shell that {runner} starts elsewhere, and {name} (line {line}) "
    "is set only in this script: it is empty there",
    "单引号把 {word} 留给 {runner} 在别处启动的 shell 展开，而 {name}（第 {line} 行）只在本脚本里赋值：在那里为空",
)


def inner_variables(script: ScriptText) -> Iterator[Slip]:
    """Each name once, at its first use. What the inner text or its command sets itself is aside."""
    if "'" not in script.text or _EXPORTS_ALL.search(script.text):
        return
    code = "\n".join(script.code)
    sets = {found[1]: found for found in reversed([*_SETS.finditer(code)])}
    exported = {n for one in _EXPORTS.finditer(code) for n in _NAMES.findall(one[1])}
    inside = {n for one in _QUOTED.finditer(script.text) for n in _set_inside(one[1])}
    told: set[str] = set()
    lines = "\n".join(script.lines)
    for quoted in _QUOTED.finditer(code):
        text = lines[quoted.start(1) : quoted.end(1)]  # the masked lines are as long
        before = _STATEMENT.search(code[max(0, quoted.start() - _MAX_HEAD) : quoted.start()])
        head = before[1] if before else ""
        runner, there = _runner(head)
        if not runner or not _TRAINS.search(text):
            continue
        for use in _USE.finditer(text):
            name = use[1] or use[2]
            here = sets.get(name)
            if here is None or name in told | inside or _EVERYWHERE.match(name):
                continue
            if (name in exported and not there) or re.search(rf"\b{name}\b", head):
                continue
            told.add(name)
            line, column = _place(code, quoted.start(1) + use.start())
            span = script.span(line, column, column + len(use[0].rstrip(":%#/[")))
            at = _place(code, here.start(1))
            home = script.span(at[0], at[1], at[1] + len(name))
            word = use[0].rstrip(":%#/[") + ("}" if use[0][-1] in ":%#/[" else "")
            what = (_THERE if there else _INNER).fill(
                word=word, runner=runner, name=name, line=at[0]
            )
            yield Slip(what, span, None if there else replaced(home, f"export {name}"))


def _set_inside(text: str) -> set[str]:
    return {*_SETS_INSIDE.findall(text), *_READS_INSIDE.findall(text)}


def _runner(head: str) -> tuple[str, bool]:
    """(what runs the quoted text, whether it runs without this shell's environment); "" for none."""
    if _DROPS.search(head):
        return "", False
    remote = _REMOTE.search(head)
    if remote is not None or re.search(r"(?:^|\s)ssh\s", head):
        return "ssh", True
    shell = _SHELL.search(head)
    if shell is not None and _CONTAINER.search(head):
        return head.split(maxsplit=1)[0], True
    if shell is not None:
        return " ".join(shell[0].split()), False
    return ("tmux", False) if _TERMINAL.search(head) else ("", False)


def _place(text: str, at: int) -> tuple[int, int]:
    """(line, column) of a character, both counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
