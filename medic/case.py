"""What the user gave: finding the evidence in files and folders, and telling what each file is."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medic.errors import MedicError, UsageError
from medic.facts import FileKind, GivenFile
from medic.filekind import by_magic, kind_of, rank_of

MAX_DEPTH = 4
MAX_ENTRIES = 20_000
MAX_SECONDS = 2.0
SKIP_FOLDERS = frozenset(
    {".git", ".venv", "venv", "node_modules", "__pycache__", ".cache", "site-packages", "wandb"}
)


@dataclass(frozen=True)
class NotRead:
    """A file that was left out, and why."""

    file: str
    en: str
    zh: str


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


def collect(
    paths: Sequence[str],
    *,
    text: str = "",
    run: str = "",
    given: dict[str, Any] | None = None,
    this_host: bool | None = None,
) -> Case:
    """The case of these files and folders. Raises UsageError if none can be read."""
    files: list[GivenFile] = []
    left: list[NotRead] = []
    runs: tuple[str, ...] = ()
    chosen = ""
    for path in paths:
        if Path(path).is_dir():
            runs = _runs_below(path)
            chosen = _choose(path, runs, run)
            folder = str(Path(path) / chosen) if chosen else path
            files += _walk(folder, left)
        else:
            _add_file(path, files, left)
    if run and not chosen:
        raise UsageError(f'no run "{run}" here', f"此处没有名为 “{run}” 的运行")
    if paths and not files and not text:
        why = left[0] if left else None
        en = f"nothing to read in {paths[0]}" + (f": {why.en}" if why else "")
        zh = f"{paths[0]} 中没有可读的内容" + (f":{why.zh}" if why else "")
        raise UsageError(en, zh)
    parts, pasted = split_text(text)
    return Case(
        files=(*files, *pasted),
        parts=parts,
        text=text,
        given=given or {},
        not_read=tuple(left),
        runs=runs,
        run=chosen,
        this_host=this_host,
        root=paths[0] if paths else "",
    )


def split_text(text: str) -> tuple[dict[str, str], list[GivenFile]]:
    """Pasted text as parts that probes read like files: log lines, config, commands.

    Prose is no part: it is matched as a description.
    """
    from medic.match import split_paste

    kinds: dict[str, FileKind] = {"log": "log", "config": "config", "command": "script"}
    parts: dict[str, str] = {}
    files: list[GivenFile] = []
    for kind, words, _ in split_paste(text) if text else ():
        if kind in kinds:
            name = f"<pasted {kind}{len(files) + 1 if files else ''}>"
            parts[name] = words
            files.append(GivenFile(name, name, kinds[kind], len(words.encode())))
    return parts, files


def prose_of(text: str) -> str:
    """What of a pasted text is a description in words."""
    from medic.match import split_paste

    return "\n".join(words for kind, words, _ in split_paste(text) if kind == "prose")


def _add_file(path: str, files: list[GivenFile], left: list[NotRead]) -> None:
    try:
        info = Path(path).stat()
    except OSError as problem:
        words = problem.strerror or "not found"
        left.append(NotRead(path, words, words))
        return
    if not stat.S_ISREG(info.st_mode):
        left.append(NotRead(path, "not a regular file", "不是普通文件"))
        return
    kind = kind_of(path) or _unknown_kind(path)
    if kind is None:
        left.append(NotRead(path, "not text that medic knows", "不是可识别的文本"))
        return
    files.append(replace(_given(path, path, kind, info), named=True))


def _unknown_kind(path: str) -> FileKind | None:
    """A file that the user named and nothing else claims is taken as a log if it is text."""
    with Path(path).open("rb") as file:
        head = file.read(4096)
    return by_magic(head) or (None if b"\0" in head else "log")


def _given(path: str, name: str, kind: FileKind, info: os.stat_result) -> GivenFile:
    return GivenFile(path, name, kind, info.st_size, info.st_mtime, rank_of(name))


# --- folders --------------------------------------------------------------------------------


def _walk(folder: str, left: list[NotRead]) -> list[GivenFile]:
    """Evidence below a folder, newest first, never through a link out of it."""
    end = time.monotonic() + MAX_SECONDS
    found: list[GivenFile] = []
    for seen, (path, info) in enumerate(_entries(folder, MAX_DEPTH)):
        if seen >= MAX_ENTRIES or time.monotonic() > end:
            left.append(NotRead(folder, "stopped: too many files", "文件过多,提前停止"))
            break
        kind = kind_of(path)
        if kind is not None:
            found.append(_given(path, _shown(path), kind, info))
    return sorted(found, key=lambda f: (-f.modified, f.name))


def _shown(path: str) -> str:
    return os.path.relpath(path) if not os.path.relpath(path).startswith("..") else path


def _entries(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    root = os.path.realpath(folder)
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_symlink() and not _inside(entry.path, root):
                continue
            info = entry.stat()
        except OSError:
            continue
        if stat.S_ISDIR(info.st_mode):
            if depth > 1 and entry.name not in SKIP_FOLDERS and not entry.is_symlink():
                yield from _entries(entry.path, depth - 1)
        elif stat.S_ISREG(info.st_mode):
            yield entry.path, info


def _inside(path: str, root: str) -> bool:
    return os.path.realpath(path).startswith(root + os.sep)


def _runs_below(folder: str) -> tuple[str, ...]:
    """Names of sub-folders that are runs of their own, newest first.

    A folder with a log or metrics of its own is one run, whatever lies below it.
    """
    own = [kind_of(e.path) for e in os.scandir(folder) if e.is_file()]
    if "log" in own or "metrics" in own or "script" in own or "config" in own:
        return ()
    runs: list[tuple[float, str]] = []
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.is_dir(follow_symlinks=False) and entry.name not in SKIP_FOLDERS:
            newest = _run_time(entry.path)
            if newest is not None:
                runs.append((newest, entry.name))
    if len(runs) < 2:
        return ()
    return tuple(name for _, name in sorted(runs, key=lambda r: (-r[0], r[1])))


def _run_time(folder: str) -> float | None:
    """The newest log time of a run folder; None if it is none (a rank's own folder is none)."""
    if rank_of(f"{Path(folder).name}/log") is not None or Path(folder).name.startswith("attempt"):
        return None
    has_setup, times = False, []
    for path, info in _entries(folder, 3):
        kind = kind_of(path)
        has_setup = has_setup or kind in ("config", "script", "metrics", "model-config")
        if kind == "log":
            times.append(info.st_mtime)
    return max(times) if times and has_setup else None


def _choose(path: str, runs: tuple[str, ...], wanted: str) -> str:
    if not wanted:
        return runs[0] if runs else ""
    if wanted not in runs:
        names = ", ".join(runs) or "-"
        raise UsageError(
            f'no run "{wanted}" in {path}; there are: {names}',
            f"{path} 中没有运行 “{wanted}”;现有:{names}",
        )
    return wanted


def parse_given(pairs: Sequence[str]) -> dict[str, Any]:
    """``--set FIELD=VALUE`` pairs as canonical values. Raises UsageError with the nearest name."""
    from medic.nearest import nearest
    from medic.run_config import FIELDS

    given: dict[str, Any] = {}
    for pair in pairs:
        name, sign, raw = pair.partition("=")
        if name not in FIELDS or not sign:
            near = nearest(name, FIELDS)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            hint_zh = f";是否想写 “{near[0]}”?" if near else ""
            raise UsageError(f'--set: no field "{name}"{hint}', f"--set:没有字段 “{name}”{hint_zh}")
        given[name] = _typed(name, raw, FIELDS[name][0])
    return given


def _typed(name: str, raw: str, kind: type) -> Any:
    try:
        if kind is bool:
            return {"true": True, "false": False}[raw.lower()]
        if kind is int:
            number = float(raw.replace("_", "").replace(",", ""))
            if number != int(number):
                raise ValueError(raw)
            return int(number)
        return kind(raw)
    except (ValueError, KeyError, OverflowError):
        raise UsageError(
            f"--set {name}: {raw!r} is no {kind.__name__}",
            f"--set {name}:{raw!r} 不是 {kind.__name__}",
        ) from None


__all__ = ["Case", "MedicError", "NotRead", "collect", "parse_given"]
