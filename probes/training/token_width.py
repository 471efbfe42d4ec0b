"""Files of token ids that a program reads as numbers of another width than they were written in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import GivenFile, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.records import dataclass
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..flags.script.files import SourceFiles
from ..programs import own_programs, program_text
from .code import calls_in, dotted, last
from .places import span_of

CHECK = "token-file-of-another-width"
HEAD = 400  # lines of a log in which a program says what it reads
WIDEST = {1: 2**8, 2: 2**16}  # bytes of an unsigned id -> how many ids it holds
_WIDTH = regex(r"\b(u?int)(8|16|32|64)\b")
_OF_TOKENS = regex(r"(?i)token|vocab|\.bin\b|\bmeta\b")
_OF_FILE = regex(r"(?i)\bmeta\b|meta\.json|\.bin\b|memmap|\bfiles?\b|on disk")
_COUNT = regex(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?![\w.,]\d)|(?<![\w.,])\d{4,15}(?![\w.,]*\d)")
_TOLD = Text(
    "{call} reads numbers of {read} bytes, and the run says {stated}: {told}",
    "{call} 按每个数 {read} 字节读取，而运行日志说是 {stated}：{told}",
)
_TIMES = Text(
    "{more} numbers are read of {count} tokens, {times} times as many",
    "{count} 个 token 被读成 {more} 个数，是原来的 {times} 倍",
)
_HALVES = Text("the ids fall into pieces, or run together", "token id 会被拆开或连在一起")
_WRITTEN = Text(
    "{call} reads numbers of {read} bytes; {file}:{line} writes them as {stated}",
    "{call} 按每个数 {read} 字节读取；{file}:{line} 写入时是 {stated}",
)
_TOO_NARROW = Text(
    "{call} holds ids up to {most}; the vocabulary has {vocabulary}, and larger ids wrap around",
    "{call} 最多容纳 id {most}；词表有 {vocabulary} 个，更大的 id 会回绕",
)


@dataclass(frozen=True)
class Access:
    """A call that reads or writes plain numbers, and the type that it names."""

    file: GivenFile
    call: ast.Call
    width: int  # bytes
    kind: str  # as written: uint16


def run(look: Look) -> Iterator[Finding]:
    given = own_programs(look)
    files = SourceFiles(look, given)
    reads: list[Access] = []
    writes: list[Access] = []
    texts: dict[str, str] = {}
    for path, one in files.given.items():
        with suppress(Unreadable, RecursionError):
            text = program_text(look, path)
            if any(word in text for word in ("memmap(", "fromfile(", "tofile(")):
                texts[path] = text
                for access, writing in _accesses(files.tree(path), one):
                    (writes if writing else reads).append(access)
    if len({one.width for one in reads}) != 1:
        return
    told = _stated(look, reads, texts) or _written(reads, writes) or _narrow(look, reads, writes)
    if told is not None:
        access, what, more = told
        path = next(p for p, f in files.given.items() if f is access.file)
        span = span_of(path, texts[path], access.call)
        line = texts[path].split("\n")[span.line - 1].strip()
        source = Source(access.file.name, span.line, text=line)
        yield Finding(CHECK, "fires", {"what": what}, source, more=more, span=span)


def _accesses(tree: ast.Module, file: GivenFile) -> Iterator[tuple[Access, bool]]:
    """(a read or write of numbers whose type stands there, whether it writes)."""
    for call in calls_in(tree):
        name = last(call.func)
        if name in ("memmap", "fromfile"):
            kind = _kind(next((w.value for w in call.keywords if w.arg == "dtype"), None))
            mode = next((w.value for w in call.keywords if w.arg == "mode"), None)
            writing = isinstance(mode, ast.Constant) and mode.value in ("w+", "w", "r+")
        elif name == "tofile" and isinstance(call.func, ast.Attribute):
            kind, writing = _made(_given(tree, call.func.value)), True
        else:
            continue
        if found := _WIDTH.fullmatch(kind):
            yield Access(file, call, int(found[2]) // 8, kind), writing


def _kind(node: ast.AST | None) -> str:
    """``uint16`` of ``np.uint16`` and of ``"uint16"``."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return dotted(node).rpartition(".")[2]


def _given(tree: ast.Module, node: ast.AST) -> ast.AST:
    """What a name is set to, where that is done once: ``ids`` of ``ids.tofile(path)``."""
    if not isinstance(node, ast.Name):
        return node
    found = [
        one.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Assign) and node.id in {dotted(target) for target in one.targets}
    ]
    return found[0] if len(found) == 1 else node


def _made(node: ast.AST) -> str:
    """The type of what is written, where it is made in the same expression."""
    if not isinstance(node, ast.Call):
        return ""
    given = [w.value for w in node.keywords if w.arg == "dtype"]
    if last(node.func) == "astype":
        given += node.args[:1]
    elif last(node.func) in ("array", "asarray"):
        given += node.args[1:2]
    return _kind(given[0]) if given else ""


Told = tuple[Access, Text, tuple[Source, ...]]


def _stated(look: Look, reads: Sequence[Access], texts: dict[str, str]) -> Told | None:
    """What the run's own log says of the tokens' type, if no program ever names that type."""
    read = reads[0]
    for log in look.files("log"):
        try:
            for number, line in islice(look.lines(log.path), HEAD):
                kinds = [m for m in _WIDTH.finditer(line) if _OF_TOKENS.search(line)]
                if len(kinds) != 1 or int(kinds[0][2]) // 8 == read.width:
                    continue
                kind = kinds[0][0]
                if any(kind in text for text in texts.values()):
                    return None  # it chooses
                times = _times(line, read.width, int(kinds[0][2]) // 8)
                if times is None and not (kind.startswith("u") and _OF_FILE.search(line)):
                    continue  # of a tensor: a batch is int64 whatever the file is
                words = {"call": _shown(read), "read": read.width, "stated": kind}
                what = _TOLD.fill({**words, "told": times or _HALVES})
                return read, what, (Source(log.name, number, text=line.strip()),)
        except Unreadable:
            continue
    return None


def _times(line: str, read: int, stated: int) -> Text | None:
    """Two counts of a line that differ by the ratio of the widths."""
    counts = sorted({int(n.replace(",", "")) for n in _COUNT.findall(line)})
    times = stated // read
    for count in counts if times > 1 else ():
        more = next((m for m in counts if 0 <= m - times * count < times), None)
        if count and more is not None:
            return _TIMES.fill(more=f"{more:,}", count=f"{count:,}", times=times)
    return None


def _written(reads: Sequence[Access], writes: Sequence[Access]) -> Told | None:
    """What another given program writes, where all that write do it alike."""
    kinds = {one.width for one in writes}
    if len(kinds) != 1 or reads[0].width in kinds:
        return None
    read, made = reads[0], writes[0]
    values = {"call": _shown(read), "read": read.width, "stated": made.kind}
    what = _WRITTEN.fill({**values, "file": made.file.name, "line": made.call.lineno})
    return read, what, ()


def _narrow(look: Look, reads: Sequence[Access], writes: Sequence[Access]) -> Told | None:
    """A vocabulary of more ids than an unsigned number of the width counts."""
    config = config_of(look)
    vocabulary = config.integer("vocab_size") if config.stated("vocab_size") else None
    for one in (*writes, *reads):
        most = WIDEST.get(one.width)
        if vocabulary is not None and most is not None and vocabulary > most:
            values = {"call": _shown(one), "most": f"{most - 1:,}", "vocabulary": f"{vocabulary}"}
            return one, _TOO_NARROW.fill(values), ()
    return None


def _shown(access: Access) -> str:
    return f"{last(access.call.func)}(… {access.kind})"


PROBE = Probe(
    name="token-width",
    title=Text("the width of token ids in files", "token 文件中每个 id 的字节宽度"),
    tells=(CHECK,),
    wants=(RunConfig,),
    run=run,
    files=("python",),
    seconds=0.05,
    limit_seconds=10,
)
