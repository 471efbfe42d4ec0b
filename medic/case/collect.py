"""What the user gave: finding the evidence in files and folders, and telling what each file is."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.case.filekind import by_magic, is_blank, is_stacks, kind_of, note_text
from medic.case.folders import REFUSED, NotRead, given_file, runs_below, shown, walk
from medic.case.kernelkind import tells_no_driver
from medic.case.pasted import evidence, split_text
from medic.case.trainings import trainings
from medic.errors import UsageError
from medic.facts import Choice, FileKind, GivenFile
from medic.records import dataclass, field, replace
from medic.text.openings import head_of, is_shell

if TYPE_CHECKING:
    from medic.index.knowledge import Index

# What a run leaves: beside it, notes may tell of other runs.
OF_A_RUN = frozenset({"log", "metrics"})
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
    pastes: tuple[str, ...] = ()  # of ``text`` what no file holds; the rest is ``notes``
    notes: str = ""
    hints: str = (
        ""  # of texts beside a run what may be of it: it ranks causes, and alarms of nothing
    )
    aliases: Mapping[str, str] = field(default_factory=dict)  # folder -> how it is shown
    chosen: Mapping[str, Choice] = field(default_factory=dict)  # of scripts, by their paths

    @property
    def pasted(self) -> str:
        """All that was pasted or typed, one after the other."""
        return "\n".join(self.pastes)

    @property
    def in_words(self) -> bool:
        """Whether all of it is what a person wrote or pasted: its files are parts of that."""
        return all(file.name in self.parts for file in self.files)


def collect(
    paths: Sequence[str],
    *,
    text: str = "",
    run: str = "",
    given: dict[str, Any] | None = None,
    this_host: bool | None = None,
    index: Index | None = None,
    of_run: bool = False,
) -> Case:
    """The case of these files and folders. Raises UsageError if none can be read.

    ``of_run``: logs or curves of a run are in the case that these are read for. With an ``index``,
    lines that its signatures know part log from prose in what was typed. What was pasted stands
    before the files: it is what is asked about.
    """
    files, left, runs, chosen = _gathered(paths, run)
    if paths and not files and not text:
        why = left[0] if left else None
        en = f"nothing to read in {paths[0]}" + (f": {why.en}" if why else "")
        zh = f"{paths[0]} 中没有可读的内容" + (f"：{why.zh}" if why else "")
        raise UsageError(en, zh)
    text = evidence(text)
    parts, pasted = split_text(text, index=index)
    files, noted, notes, hints = _take_notes(files, index, of_run=of_run)
    return Case(
        files=_without_driver((*pasted, *files)),
        parts=parts | noted,
        text="\n".join(filter(None, (text, notes))),
        given=given or {},
        not_read=tuple(left),
        runs=runs,
        run=chosen,
        this_host=this_host,
        root=paths[0] if paths else "",
        paths=tuple(paths),
        pastes=(text,) if text else (),
        notes=notes,
        hints=hints,
    )


def _without_driver(files: tuple[GivenFile, ...]) -> tuple[GivenFile, ...]:
    """The files, in which nvidia-smi's word that it reaches no driver is read as a line of a log.

    Beside the log of a run it is of the machine where it was asked, perhaps a login node.
    """
    if any(file.kind in OF_A_RUN for file in files):
        return files
    return tuple(
        replace(f, kind="log") if f.kind == "gpu-report" and tells_no_driver(f.path) else f
        for f in files
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
            below = _choose(path, runs, run) if runs else ""
            here = walk(str(Path(path) / below) if below else path, left)
            parted = {} if runs else trainings(path, here)
            runs = runs or tuple(parted)
            chosen = _choose(path, runs, run)
            here = parted.get(chosen, here)
            if here and all(is_blank(file.path, file.size) for file in here):
                left.append(NotRead(path, *_NOTHING))
            else:
                files += here
                files += _outside(str(Path(path) / below) if below else path, here)
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


def _take_notes(
    files: list[GivenFile], index: Index | None, *, of_run: bool
) -> tuple[list[GivenFile], dict[str, str], str, str]:
    """Files that a person wrote, taken like pasted text: (other files and parts, parts, text, hints).

    Beside the logs of a run one that is no complaint, as a README, is a hint at most.
    """
    texts = [
        note_text(f.path, named=f.named)
        if f.kind == "note" or (f.named and f.kind == "log")
        else None
        for f in files
    ]
    kept = [f for f, text in zip(files, texts, strict=True) if text is None and f.kind != "note"]
    beside = of_run or any(file.kind in OF_A_RUN for file in kept)
    parts: dict[str, str] = {}
    notes: list[str] = []
    hints: list[str] = []
    for file, whole in zip(files, texts, strict=True):
        if whole is None:
            continue
        text = evidence(whole)
        if beside:
            from medic.match.asides import hint, is_complaint
            from medic.match.bygone import without_bygone

            if not is_complaint(Path(file.name).name, text):
                hints.append(hint(text))
                continue
            if file.kind == "note":
                text = without_bygone(text)
        notes.append(text)
        own, made = split_text(text, file.name, index)
        parts |= own
        kept += made
    return kept, parts, "\n".join(notes), "\n".join(filter(str.strip, hints))


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
    """A file that the user named and nothing else claims is taken as a log if it is text; as a script,
    if its first line says so."""
    head = head_of(path, 4096)
    if is_shell(head):
        return "script"
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
