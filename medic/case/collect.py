"""What the user gave: finding the evidence in files and folders, and telling what each file is."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.case.filekind import by_magic, is_blank, is_stacks, kind_of, note_text
from medic.case.folders import REFUSED, NotRead, given_file, runs_below, shown, walk
from medic.errors import UsageError
from medic.facts import FileKind, GivenFile
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.match import Fragment

# What a run leaves: beside it, notes may tell of other runs.
_OF_A_RUN = frozenset({"log", "metrics"})
MAX_PARTS = 64  # of a pasted text that stand alone


_EITHER = regex(r"(?:[^\n{}\[\]|=]| = (?=[A-Za-z]))+$")

_BLANK = (
    "it is empty: check the path, or what should have written it",
    "文件为空：请检查路径，或本应写入它的程序",
)


_NOTHING = (
    "all its files are empty: check the path, or what should have written them",
    "其中的文件都为空：请检查路径，或本应写入它们的程序",
)


@dataclass(frozen=True)
class Case:
    """Everything the user gave. ``runs`` names several runs found in one folder."""

    files: tuple[GivenFile, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)  # pasted text by part name
    text: str = ""  # all that was pasted or typed
    given: dict[str, Any] = field(default_factory=dict)  # --set FIELD=VALUE
    not_read: tuple[NotRead, ...] = ()
    runs: tuple[str, ...] = ()
    run: str = ""
    this_host: bool | None = None  # whether the user says that the run is on this machine
    root: str = ""
    paths: tuple[str, ...] = ()  # as they were given
    pasted: str = ""  # of ``text`` what no file holds; the rest is ``notes``
    notes: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)  # folder -> how it is shown


def collect(
    paths: Sequence[str],
    *,
    text: str = "",
    run: str = "",
    given: dict[str, Any] | None = None,
    this_host: bool | None = None,
    index: Index | None = None,
) -> Case:
    """The case of these files and folders. Raises UsageError if none can be read.

    With an ``index``, lines that its signatures know part log from prose in what was typed.
    """
    files, left, runs, chosen = _gathered(paths, run)
    if paths and not files and not text:
        why = left[0] if left else None
        en = f"nothing to read in {paths[0]}" + (f": {why.en}" if why else "")
        zh = f"{paths[0]} 中没有可读的内容" + (f"：{why.zh}" if why else "")
        raise UsageError(en, zh)
    text = _evidence(text)
    parts, pasted = split_text(text, index=index)
    files, noted, notes = _take_notes(files, index)
    return Case(
        files=(*files, *pasted),
        parts=noted | parts,
        text="\n".join(filter(None, (text, notes))),
        given=given or {},
        not_read=tuple(left),
        runs=runs,
        run=chosen,
        this_host=this_host,
        root=paths[0] if paths else "",
        paths=tuple(paths),
        pasted=text,
        notes=notes,
    )


def _gathered(
    paths: Sequence[str], run: str
) -> tuple[list[GivenFile], list[NotRead], tuple[str, ...], str]:
    """The files, those left out, the runs of the folder and the one chosen. Raises UsageError."""
    files: list[GivenFile] = []
    left: list[NotRead] = []
    runs: tuple[str, ...] = ()
    chosen = ""
    for path in paths:
        if _is_folder(path):
            runs = runs_below(path)
            chosen = _choose(path, runs, run)
            here = walk(str(Path(path) / chosen) if chosen else path, left)
            if here and all(is_blank(file.path, file.size) for file in here):
                left.append(NotRead(path, *_NOTHING))
            else:
                files += here
                files += _outside(str(Path(path) / chosen) if chosen else path, here)
        else:
            _add_file(path, files, left)
    if run and not chosen:
        raise UsageError(f'no run "{run}" here', f"此处没有名为 “{run}” 的运行")
    return files, left, runs, chosen


def _outside(folder: str, here: Sequence[GivenFile]) -> Iterator[GivenFile]:
    """The programs that scripts of the folder start from elsewhere, each with who names it."""
    if not any(file.kind == "script" for file in here):
        return
    from medic.case.programs import outside

    for script, paths in outside(folder, here):
        for path in paths:
            info = Path(path).stat()
            yield replace(given_file(path, shown(path), "python", info), by=script)


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir() and bool(path)
    except OSError:
        return False


def split_text(
    text: str, of: str = "", index: Index | None = None
) -> tuple[dict[str, str], list[GivenFile]]:
    """Pasted text as parts that probes read like files: log lines, config, commands.

    Prose is no part: it is matched as a description. A part keeps the line numbers of the text,
    which is the content of the file ``of``, if one is named.
    """
    if not text:
        return {}, []
    from medic.match import raised, split_paste

    kinds: dict[str, FileKind] = {"log": "log", "config": "config", "command": "script"}
    parts: dict[str, str] = {}
    files: list[GivenFile] = []
    fragments = split_paste(text, _printed(text, index))
    if index is not None:
        fragments = [*fragments, *raised(fragments, index)]
    for kind, words, line in _few(fragments):
        if kind in kinds:
            number = len(files) + 1 if files else ""
            name = f"{of}<{kind}{number}>" if of else f"<pasted {kind}{number}>"
            parts[name] = "\n" * (line - 1) + words
            files.append(GivenFile(name, name, kinds[kind], len(words.encode())))
    return parts, files


def _few(fragments: list[Fragment]) -> Iterator[Fragment]:
    """The fragments; above MAX_PARTS the later ones of a kind are one, at their own lines.

    Each part starts with the blank lines that stand before it: their cost would be quadratic.
    """
    yield from fragments[:MAX_PARTS]
    rest: dict[str, tuple[Fragment, list[str], int]] = {}  # first, texts, the line after them
    for fragment in fragments[MAX_PARTS:]:
        first, texts, after = rest.get(fragment.kind, (fragment, [], fragment.line))
        texts += ["\n" * (fragment.line - after), fragment.text, "\n"]
        after = fragment.line + fragment.text.count("\n") + 1
        rest[fragment.kind] = first, texts, after
    for first, texts, _ in rest.values():
        yield first._replace(text="".join(texts[:-1]))


def prose_of(text: str, index: Index) -> str:
    """What of a pasted text is a description in words, as far as it is read as words."""
    from medic.match import gist, split_paste

    known = _printed(text, index)
    fragments = split_paste(text, known)
    words = gist("\n".join(words for kind, words, _ in fragments if kind == "prose"))
    words = words if any(map(str.isalnum, words)) else ""  # else a rule between lines
    # One line with a number may be either: unless it is a known message, it is both.
    return words if words or known or not _EITHER.match(text.strip()) else gist(text)


def _printed(text: str, index: Index | None) -> frozenset[int]:
    from medic.match import harmless_lines, printed

    if index is None:
        return frozenset()
    return printed(text, index) | harmless_lines(text, index)


def _take_notes(
    files: list[GivenFile], index: Index | None
) -> tuple[list[GivenFile], dict[str, str], str]:
    """Files that a person wrote, taken like pasted text: (other files and parts, parts, text)."""
    kept: list[GivenFile] = []
    parts: dict[str, str] = {}
    texts: list[str] = []
    beside = any(file.kind in _OF_A_RUN for file in files)
    for file in files:
        text = note_text(file.path) if file.kind == "note" or file.named else None
        if text is None:
            if file.kind != "note":
                kept.append(file)
            continue
        text = _evidence(text)
        if beside and file.kind == "note":
            from medic.match.bygone import without_bygone

            text = without_bygone(text)
        texts.append(text)
        own, made = split_text(text, file.name, index)
        parts |= own
        kept += made
    return kept, parts, "\n".join(texts)


def _evidence(text: str) -> str:
    """What was pasted or noted, without what medic itself said of a run."""
    if not text:
        return text
    from medic.match.own_output import without_own

    return without_own(text)


def _add_file(path: str, files: list[GivenFile], left: list[NotRead]) -> None:
    try:
        info = Path(path).stat()
    except (OSError, ValueError) as problem:
        left.append(NotRead(path, *_no_file(problem)))
        return
    if not stat.S_ISREG(info.st_mode):
        left.append(NotRead(path, "not a regular file", "不是普通文件"))
        return
    try:
        kind = kind_of(path) or _unknown_kind(path)
    except OSError as problem:
        left.append(NotRead(path, *_no_file(problem)))
        return
    if kind is None:
        left.append(NotRead(path, "not text that medic knows", "不是可识别的文本"))
        return
    if kind != "python" and is_blank(path, info.st_size):
        left.append(NotRead(path, *_BLANK, aside=True))
    files.append(replace(given_file(path, path, kind, info), named=True))


def _no_file(problem: Exception) -> tuple[str, str]:
    """Why a path cannot be opened, in both languages."""
    if isinstance(problem, FileNotFoundError):
        return "No such file or folder", "没有这个文件或目录"
    if isinstance(problem, PermissionError):
        return REFUSED
    words = getattr(problem, "strerror", None) or str(problem)
    return f"cannot be opened ({words})", f"无法打开（{words}）"


def _unknown_kind(path: str) -> FileKind | None:
    """A file that the user named and nothing else claims is taken as a log if it is text."""
    with Path(path).open("rb") as file:
        head = file.read(4096)
    if is_stacks(head):
        return "stacks"
    return by_magic(head) or (None if b"\0" in head else "log")


def _choose(path: str, runs: tuple[str, ...], wanted: str) -> str:
    if not wanted:
        return runs[0] if runs else ""
    if wanted not in runs:
        names = ", ".join(runs) or "-"
        raise UsageError(
            f'no run "{wanted}" in {path}; there are: {names}',
            f"{path} 中没有运行 “{wanted}”；现有：{names}",
        )
    return wanted


__all__ = ["Case", "NotRead", "collect"]
