"""``#SBATCH`` lines that are spelt otherwise than sbatch reads them, and a script it refuses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from medic.i18n import Text
from medic.text.patterns import regex

from .distance import letters_apart
from .script_text import ScriptText
from .slip import Slip, replaced
from .slurm_amounts import without_unit

_LINE = regex(r"^#SBATCH\s+(\S.*?)\s*(?:\s#.*)?$")
_SPACED = regex(r"(?<!\S)(--[a-z][\w-]*)(\s*=\s+|\s+=\s*)(?=\S)")
_SHORT_NAME = regex(r"(?<!\S)-([a-z]{2}[\w-]*)(?==|\s|$)")
_NO_DASHES = regex(r"^#SBATCH\s+([a-z][a-z-]+)(?==|\s+\d)")
_LONG_DASH = regex(
    r"(?<!\S)([\u2010-\u2015\u2212-]*[\u2010-\u2015\u2212][\u2010-\u2015\u2212-]*)(?=[A-Za-z])"
)
_VARIABLE = regex(r"\$\{?[A-Za-z_]\w*\}?")
# Spelt so that sbatch takes the line for a comment.
_LIKE = regex(r"^(\s*#\s*([A-Za-z]{4,8}))\s+--?([A-Za-z][\w-]*)")
_OPTIONS_ALONE = regex(r"^#[A-Za-z]+(?:\s+--?[A-Za-z][\w-]*(?:[= ][^\s=-]\S*)?)+\s*$")
_NO_COMMENT = regex(r"^\s*(SBATCH)(?=\s+--?[A-Za-z])")
_SHORT_SIGN = regex(r"(?<!\S)(-([A-Za-z])=)(?=\S)")
_VALUED = regex(r"(?<!\S)(?:--([a-z][a-z-]*)(?:=|[ \t]+)|-([NncGt])[ \t]*)([^\s=-][^\s#]*)")
_LONG_NAMES = {"N": "nodes", "n": "ntasks", "c": "cpus-per-task", "G": "gpus", "t": "time"}
# sbatch manual; a number of GPUs may name their type before it.
_NUMBER, _SIZE = regex(r"^\d+[kKmM]?$"), regex(r"^\d+(?:[kKmMgGtT][bB]?)?$")
_GPUS = regex(r"^(?:[A-Za-z][\w.-]*:\d+,?)+$|^\d+$")
_FORMS = {
    "nodes": regex(r"^[\d,kKmM:-]+$"),
    "ntasks": _NUMBER,
    "ntasks-per-node": _NUMBER,
    "cpus-per-task": _NUMBER,
    "gpus": _GPUS,
    "gpus-per-node": _GPUS,
    "gpus-per-task": _GPUS,
    "gres": regex(r"^(?!gpus\b)[A-Za-z]"),
    "mem": _SIZE,
    "mem-per-cpu": _SIZE,
    "mem-per-gpu": _SIZE,
    "time": regex(r"(?i)^(?:\d+(?::\d+){0,2}|\d+-\d+(?::\d+){0,2}|infinite|unlimited)$"),
}
# sbatch manual: sizes are megabytes and times minutes where no unit is joined to the number.
_SIZE_UNIT = regex(r"^[kKmMgGtT][iI]?[bB]?$"), Text("megabytes", "MB")
_APART = {
    "mem": _SIZE_UNIT,
    "mem-per-cpu": _SIZE_UNIT,
    "mem-per-gpu": _SIZE_UNIT,
    "time": (regex(r"(?i)^(?:h|hrs?|hours?|d|days?)$"), Text("minutes", "分钟")),
}
_FIRST_LINE = regex(
    r"^(?:\ufeff)?\s*#?\s*!?\s*/?(?:usr/)?(?:bin|local)/(?:env\s+)?(?:ba|z|da)?sh\b"
)
_COUNTS = frozenset(
    """nodes ntasks ntasks-per-node gres gpus gpus-per-node gpus-per-task time cpus-per-task N n G c t
    """.split()  # noqa: SIM905
)

_BLANKS = Text(
    "blanks around =: sbatch reads {option} without its value and stops",
    "= 两边有空格：sbatch 读到的 {option} 没有取值，会报错退出",
)
_ONE_DASH = Text(
    "-{name} is read as -{letter} with the value {rest}; --{name} is meant",
    "-{name} 会被读成 -{letter}，取值为 {rest}；应为 --{name}",
)
_BARE = Text(
    "sbatch reads no option here: --{name} is meant", "sbatch 在此读不到选项，应为 --{name}"
)
_DASH = Text(
    "{word} is no hyphen: sbatch reads no option here", "{word} 不是连字符：sbatch 在此读不到选项"
)
_NOT_EXPANDED = Text(
    "sbatch does not expand {word} in its directives: it is taken as it stands",
    "sbatch 不会展开指令中的 {word}，会按字面使用",
)
_NOT_READ = Text(
    "--{name} does not take {value}: sbatch refuses the job",
    "--{name} 不接受 {value}：sbatch 会拒绝提交",
)
_CUT_OFF = Text(
    "sbatch reads --{name}={value} and stops at the blank: {value} {unit}, not {value} {rest}",
    "sbatch 读到空格即止，--{name}={value} 为 {value} {unit}，而不是 {value} {rest}",
)
_COMMENT = Text(
    "{word} is a comment to sbatch, the option {name} is not read; write #SBATCH",
    "{word} 对 sbatch 只是注释，选项 {name} 不会被读取；请写 #SBATCH",
)
_INDENTED = Text(
    "a blank stands before #SBATCH: the line is a comment to sbatch, {name} is not read",
    "#SBATCH 前有空格：这一行对 sbatch 只是注释，{name} 不会被读取",
)
_COMMAND = Text(
    "the shell runs SBATCH as a command, and sbatch reads no directive from here on; write #SBATCH",
    "shell 会把 SBATCH 当作命令执行，sbatch 从这里起不再读取指令；请写 #SBATCH",
)
_SIGN = Text(
    "sbatch takes the = for a part of the value of -{letter}: a short option has a blank there",
    "sbatch 会把 = 当成 -{letter} 取值的一部分：短选项后应写空格",
)
_REFUSED = Text(
    "sbatch refuses a script whose first line does not begin with #!",
    "脚本第一行不以 #! 开头时，sbatch 会拒绝提交",
)
_ODD_MARK = Text(
    "a byte order mark stands before #!: the system does not find the interpreter",
    "#! 之前有字节序标记（BOM）：系统找不到解释器",
)
_NO_INTERPRETER = Text(
    "the first line is no #!/bin/bash as the system reads it: the script starts as an argument of "
    "bash only",
    "第一行不是系统能识别的 #!/bin/bash：脚本只能作为 bash 的参数来运行",
)


def words(
    script: ScriptText, options: Sequence[str], *, trains: bool = False, steps: float = 0
) -> Iterator[Slip]:
    """The directives up to the first command, those that sbatch reads; ``trains``: of a job that
    starts a training."""
    known = frozenset(option.replace("_", "-") for option in options)
    for number, line in _directives(script):
        if _LINE.match(line) is None:
            continue
        body = line.partition(" #")[0]
        for found in _SPACED.finditer(body):
            span = script.between(number, found.span(2))
            yield Slip(_BLANKS.fill(option=found[1]), span, replaced(span, "="))
        one_dash = [found for found in _SHORT_NAME.finditer(body) if found[1] in known]
        for found in one_dash:
            name, span = found[1], script.between(number, found.span())
            what = _ONE_DASH.fill(name=name, letter=name[0], rest=name[1:])
            yield Slip(what, span, replaced(span, f"--{name}"))
        for found in _SHORT_SIGN.finditer(body):
            span = script.between(number, found.span(1))
            yield Slip(_SIGN.fill(letter=found[2]), span, replaced(span, f"-{found[2]} "))
        bare = _NO_DASHES.match(body)
        if bare is not None and bare[1] in known:
            span = script.between(number, bare.span(1))
            yield Slip(_BARE.fill(name=bare[1]), span, replaced(span, f"--{bare[1]}"))
        for found in _LONG_DASH.finditer(body):
            span = script.between(number, found.span(1))
            yield Slip(_DASH.fill(word=found[1]), span, replaced(span, "--"))
        told = {found.start() for found in one_dash}
        yield from _values(script, number, body, told, steps if trains else None)
        for found in _VARIABLE.finditer(body):
            yield Slip(_NOT_EXPANDED.fill(word=found[0]), script.between(number, found.span()))


def _values(
    script: ScriptText, number: int, body: str, told: Collection[int], steps: float | None
) -> Iterator[Slip]:
    """Values that sbatch does not read as they look; those that a variable fills aside, and
    options at the places that are ``told``.
    """
    for found in _VALUED.finditer(body):
        if found.start() in told:
            continue
        name, value = _LONG_NAMES.get(found[2], found[1] or ""), found[3].strip("'\"")
        form = _FORMS.get(name)
        if form is None or any(sign in value for sign in "$%<{[@"):
            continue
        behind = body[found.end() :].split(maxsplit=1)
        small = without_unit(name, value, steps) if steps is not None else None
        if not form.match(value):
            span = script.between(number, found.span(3))
            yield Slip(_NOT_READ.fill(name=name, value=value), span)
        elif name in _APART and behind and value.isdecimal():
            pattern, unit = _APART[name]
            if pattern.match(behind[0]):
                end = body.index(behind[0], found.end()) + len(behind[0])
                span = script.between(number, (found.start(3), end))
                what = _CUT_OFF.fill(name=name, value=value, unit=unit, rest=behind[0])
                yield Slip(what, span, replaced(span, _joined(name, value, behind[0])))
                small = None
        if small is not None and form.match(value):
            span = script.between(number, found.span(3))
            yield Slip(small[0], span, replaced(span, small[1]))


def _joined(name: str, value: str, unit: str) -> str:
    """``days-hours`` or hours:minutes:seconds of a time, a size with its unit beside it."""
    if name != "time":
        return value + unit[0].upper()
    return f"{value}-0" if unit[0] in "dD" else f"{value}:00:00"


def comments(script: ScriptText) -> Iterator[Slip]:
    """Directives of the job's size that are spelt as a comment, and stand nowhere else."""
    active = {o for _, line in _directives(script) if _LINE.match(line) for o in _names(line)}
    if not active:
        return
    for number, line in _directives(script):
        found = _LIKE.match(line) if not _LINE.match(line) else None
        if found is None or letters_apart(found[2].upper(), "SBATCH") is None:
            continue
        if _is_no_comment(line, found) or (found[3] in _COUNTS and found[3] not in active):
            span = script.between(number, found.span(1))
            what = (_INDENTED if found[2] == "SBATCH" and found[1][0] != "#" else _COMMENT).fill(
                word=found[1], name=f"{'-' if len(found[3]) == 1 else '--'}{found[3]}"
            )
            yield Slip(what, span, replaced(span, "#SBATCH"))


def _is_no_comment(line: str, found: re.Match[str]) -> bool:
    """Whether a line that sbatch passes over is spelt as nobody spells what is commented out: another
    word, small letters, a blank before it."""
    if found[2] == "SBATCH":
        return found[1][0] in " \t" and "# " not in found[1]
    small = found[2] == "sbatch" and _OPTIONS_ALONE.match(line) is None
    return found[1] == f"#{found[2]}" and not small


def commands(script: ScriptText) -> Iterator[Slip]:
    """``SBATCH --nodes=2`` without its #."""
    for number, line in enumerate(script.lines, 1):
        found = _NO_COMMENT.match(line)
        if found is not None:
            span = script.between(number, found.span(1))
            yield Slip(_COMMAND, span, replaced(span, "#SBATCH"))


def first_line(script: ScriptText) -> Iterator[tuple[bool, Slip]]:
    """(whether nothing starts it, what is wrong): ``bash script`` needs no first line, sbatch does.

    sbatch manual: "The batch script ... must start with #!"; Linux: execve.
    """
    first = script.line_text(1)
    span = script.span(1, 1, max(2, len(first) + 1)) if first else script.span(1, 1, 1)
    submitted = any(_LINE.match(line) for _, line in _directives(script))
    if first.startswith("\ufeff#!"):
        mark = script.span(1, 1, 2)
        yield True, Slip(_ODD_MARK, mark, replaced(mark, ""))
    elif first.startswith("#!"):
        if not re.match(r"#!\s*/", first):
            yield submitted, Slip(_NO_INTERPRETER, span, replaced(span, "#!/bin/bash"))
    elif submitted:
        near = _FIRST_LINE.match(first) is not None
        yield True, Slip(_REFUSED, span, replaced(span, "#!/bin/bash") if near else None)
    elif first.lstrip("# \ufeff").startswith(("!/bin/", "!/usr/bin/")):
        yield False, Slip(_NO_INTERPRETER, span, replaced(span, "#!/bin/bash"))


def _directives(script: ScriptText) -> Iterator[tuple[int, str]]:
    """The comments above the first command."""
    for number, line in enumerate(script.lines, 1):
        text = line.strip("\ufeff \t")
        if text and not text.startswith("#"):
            return
        yield number, line


def _names(line: str) -> Iterator[str]:
    yield from re.findall(r"(?<!\S)--?([A-Za-z][\w-]*)", line)
