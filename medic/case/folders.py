"""Finding the evidence in a folder: which files count, which sub-folders are runs of their own."""

from __future__ import annotations

import itertools
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from medic.case.datakind import tracked_runs
from medic.case.filekind import kind_of, rank_of
from medic.case.kernelkind import UNKNOWN, may_tell
from medic.facts import FileKind, GivenFile
from medic.records import dataclass
from medic.text.openings import head_of
from medic.text.patterns import regex

MAX_DEPTH = 4  # folders that are parts of a run do not count (_PART), up to MAX_NESTED
MAX_NESTED = 10
MAX_ENTRIES = 20_000
MAX_SECONDS = 2.0
MAX_REFUSED = 20  # files and folders without permission that are named
SKIP_FOLDERS = frozenset(
    {".git", ".venv", "venv", "node_modules", "__pycache__", ".cache", "site-packages", "wandb"}
)

# Sub-folders that are parts of one run: a rank's, a node's, an attempt's, logs, outputs.
_PART = regex(
    r"(?:(?:local[_-]?)?rank|node|host|worker|attempt|stage|version|checkpoint|epoch|step)?[_.-]?\d*$"
    r"|(?:log|out|output|result|metric|slurm|std(?:out|err)|tensorboard|checkpoint|config|conf|src"
    r"|code|script|lightning_log|report|ray|session)s?$",
    re.IGNORECASE,
)

# What people move the files of a run into before they start the next one.
_OLD = regex(r"(?:old(?:er)?|prev(?:ious)?|back-?up|bak|archived?|旧)(?:[_.-].*)?$", re.IGNORECASE)
_OF_A_RUN = ("log", "metrics")
_TELLING = ("log", "metrics", "config", "script", "python", "flight-recorder", "stacks")
_PICKLED = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".bin")
MAX_PICKLES = 5  # that are named where they lie alone
PICKLE = (
    "not opened: a pickle, which may run code when it is loaded; it is no checkpoint's weights",
    "未打开：pickle 文件，加载时可能执行代码；它不是检查点的权重",
)

REFUSED = ("no permission to read it", "没有读取权限")
# Names that evidence has: what is no regular file, or lies elsewhere, is named only under these.
_EVIDENCE = regex(
    r"(?:\.(?:log|out|err|txt|jsonl?|csv|ya?ml|toml|ini|sh|sbatch|slurm|py|gz|xz|zst|wandb)(?:\.\d+)?$"
    r"|^(?:log|std(?:out|err)|nohup|output|core)|tfevents)",
    re.IGNORECASE,
)
_SPECIAL = (
    (stat.S_ISFIFO, "a pipe: what runs through it is kept nowhere", "管道文件：其中的内容不会留存"),
    (stat.S_ISSOCK, "a socket, no file", "套接字，不是普通文件"),
    (stat.S_ISCHR, "a device, no file", "设备文件，不是普通文件"),
    (stat.S_ISBLK, "a device, no file", "设备文件，不是普通文件"),
)


@dataclass(frozen=True)
class NotRead:
    """A file that was left out, and why. ``aside``: on purpose; it hides no fault of this run.
    ``earlier``: it is of a run before this one."""

    file: str
    en: str
    zh: str
    aside: bool = False
    earlier: bool = False


def given_file(path: str, name: str, kind: FileKind, info: os.stat_result) -> GivenFile:
    return GivenFile(path, name, kind, info.st_size, info.st_mtime, rank_of(name))


def walk(folder: str, left: list[NotRead]) -> list[GivenFile]:
    """Evidence below a folder, newest first, never through a link out of it."""
    end = time.monotonic() + MAX_SECONDS
    folder = os.path.normpath(folder)
    found: list[GivenFile] = []
    refused: list[NotRead] = []
    others: list[str] = []
    unknown: list[str] = []
    for seen, (path, info) in enumerate(_entries(folder, MAX_DEPTH, refused)):
        if seen >= MAX_ENTRIES or time.monotonic() > end:
            left.append(NotRead(folder, "stopped: too many files", "文件过多，提前停止"))
            break
        kind = kind_of(path)
        if kind is not None:
            found.append(given_file(path.removeprefix("./"), shown(path), kind, info))
        elif not os.access(path, os.R_OK):
            refused.append(NotRead(shown(path), *REFUSED))
        elif path.lower().endswith(_PICKLED):
            others.append(path)
        elif may_tell(path, info.st_size):
            unknown.append(path)
    if not any(f.kind == "log" for f in found):
        found += _of_tracker(folder, {f.path for f in found})
    if not any(f.kind in _TELLING for f in found):
        left += itertools.islice(_pickles(sorted(others)), MAX_PICKLES)
    left += (NotRead(shown(path), *UNKNOWN, aside=True) for path in sorted(unknown)[:MAX_REFUSED])
    found = _without_old(folder, found, left)
    left += refused[:MAX_REFUSED]
    if len(refused) > MAX_REFUSED:
        more = len(refused) - MAX_REFUSED
        left.append(NotRead(folder, f"{more} more cannot be read", f"另有 {more} 个无法读取"))
    return sorted(found, key=lambda f: (-f.modified, f.name))


def _pickles(paths: list[str]) -> Iterator[NotRead]:
    """Pickles of no kind that medic reads, where nothing else tells of a run."""
    for path in paths:
        try:
            head = head_of(path, 2)
        except OSError:
            continue
        if head[:1] == b"\x80" or head == b"PK":
            yield NotRead(shown(path), *PICKLE, aside=True)


def _without_old(folder: str, found: list[GivenFile], left: list[NotRead]) -> list[GivenFile]:
    """The files without those of an earlier run that was put aside, where there is another run."""
    aside: dict[str, list[GivenFile]] = {}
    current: list[GivenFile] = []
    for file in found:
        parts = file.path.removeprefix(folder).strip("/").split("/")[:-1]
        old = next((i for i, part in enumerate(parts) if _OLD.match(part)), None)
        below = "" if old is None else "/".join(parts[: old + 1])
        (aside.setdefault(below, []) if below else current).append(file)
    if not aside or not any(f.kind in _OF_A_RUN for f in current):
        return found
    for below, files in sorted(aside.items()):
        at, n = shown(str(Path(folder) / below)), len(files)
        en = f"{n} files of an earlier run that was put aside; medic diagnose {at} looks at it"
        zh = f"是之前某次运行的 {n} 个文件；可用 medic diagnose {at} 单独查看"
        left.append(NotRead(f"{at}/", en, zh, aside=True))
    return current


def _of_tracker(folder: str, known: set[str]) -> list[GivenFile]:
    """What W&B kept of a run that left nothing else."""
    kept = []
    for path, info in tracked_runs(str(Path(folder) / "wandb"), alone=True):
        kind = kind_of(path)
        if kind is not None and path.removeprefix("./") not in known:
            kept.append(given_file(path.removeprefix("./"), shown(path), kind, info))
    return kept


def shown(path: str) -> str:
    """A path as seen from here, where it is below."""
    seen = os.path.relpath(path) if path.startswith("/") else os.path.normpath(path)
    return path if seen.startswith("..") else seen


def _entries(
    folder: str, depth: int, refused: list[NotRead], root: str = "", nested: int = 1
) -> Iterator[tuple[str, os.stat_result]]:
    """Regular files below a folder; a link counts if it stays inside ``root``.

    What may not be looked at is added to ``refused``.
    torchrun alone nests logs/RUN_ID/attempt_N/RANK below the run's own output folder.
    """
    root = root or os.path.realpath(folder)
    for entry in _listed(folder, refused):
        try:
            if entry.is_symlink() and not _inside(entry.path, root):
                refused += _link(entry)
                continue
            info = entry.stat()
        except PermissionError:
            refused.append(NotRead(shown(entry.path), *REFUSED))
            continue
        except (OSError, RuntimeError):  # gone, or a link to itself
            refused += _link(entry)
            continue
        if entry.name == "wandb" and not entry.is_symlink():
            yield from tracked_runs(entry.path)
        elif stat.S_ISDIR(info.st_mode):
            below = depth if _PART.match(entry.name) else depth - 1
            inside = below > 0 and nested < MAX_NESTED and entry.name not in SKIP_FOLDERS
            if inside and not entry.is_symlink():
                yield from _entries(entry.path, below, refused, root, nested + 1)
        elif stat.S_ISREG(info.st_mode):
            yield entry.path, info
        else:
            refused += _no_file(entry, info.st_mode)


def _no_file(entry: os.DirEntry[str], mode: int) -> Iterator[NotRead]:
    named = _EVIDENCE.search(entry.name) is not None
    for is_it, en, zh in _SPECIAL:
        if is_it(mode):
            yield NotRead(shown(entry.path), en, zh, aside=not named)


def _link(entry: os.DirEntry[str]) -> Iterator[NotRead]:
    """A link that is not followed: what of the run may lie behind it, by its name."""
    try:
        to = str(Path(entry.path).readlink())
    except OSError:  # no link, and gone meanwhile
        return
    try:
        kind = Path(entry.path).stat().st_mode
    except (OSError, RuntimeError):
        kind = None
    if kind is not None and not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        yield from _no_file(entry, kind)  # to /dev/null
        return
    folder = kind is not None and stat.S_ISDIR(kind)
    if not folder and not _EVIDENCE.search(entry.name):
        return
    if kind is None:
        en, zh = f"a link to {to}, which is not there", f"指向 {to} 的链接，目标不存在"
    else:
        en = f"a link out of the folder, to {to}: give that itself"
        zh = f"指向文件夹之外的链接（{to}）：请直接给出它"
    yield NotRead(shown(entry.path), en, zh, aside=folder)


def _listed(folder: str, refused: list[NotRead]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda e: e.name)
    except PermissionError:
        refused.append(NotRead(shown(folder), *REFUSED))
    except OSError:
        pass  # gone meanwhile
    return []


def _inside(path: str, root: str) -> bool:
    return os.path.realpath(path).startswith(root + os.sep)


def runs_below(folder: str) -> tuple[str, ...]:
    """Names of sub-folders that are runs of their own, newest first.

    A folder with a log, metrics or a config of its own is one run, whatever lies below it; so is
    one whose sub-folders are its ranks, nodes, logs or outputs, or hold each other ranks of it.
    """
    entries = _listed(folder, [])
    own = {kind_of(e.path) for e in entries if not e.is_symlink() and e.is_file()}
    if own & {"log", "metrics", "script", "config"}:
        return ()
    runs: list[tuple[float, str]] = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and entry.name not in SKIP_FOLDERS:
            newest = None if _PART.match(entry.name) else newest_log(entry.path)
            if newest is not None:
                runs.append((newest, entry.name))
    if len(runs) < 2 or _complement(folder, [name for _, name in runs]):
        return ()
    return tuple(name for _, name in sorted(runs, key=lambda r: (-r[0], r[1])))


def _complement(folder: str, names: Sequence[str]) -> bool:
    """Whether the logs below the folders are, by their names, of ranks 0 to N - 1, each of one
    folder alone: so lie those of nodes; of two runs, both have a rank 0."""
    ranks: list[int] = []
    for name in names:
        below = (path for path, _ in _entries(str(Path(folder) / name), 3, []))
        own = {rank_of(path) for path in below if kind_of(path) == "log"}
        if not own or None in own:
            return False
        ranks += [rank for rank in own if rank is not None]
    return sorted(ranks) == list(range(len(ranks)))


def newest_log(folder: str) -> float | None:
    """When a log or metrics file below a folder was last written; None if there is none."""
    times = [
        i.st_mtime for path, i in _entries(folder, 3, []) if kind_of(path) in ("log", "metrics")
    ]
    return max(times, default=None)
