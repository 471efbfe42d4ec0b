"""Writes a previewed patch, and takes it back."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from medic.config import write_private
from medic.edits import records
from medic.edits.atomic import Target, commit, discard, look_at, stage
from medic.edits.patch import Patch
from medic.edits.records import ChangeRecord, Touched
from medic.edits.sources import apply_to
from medic.errors import ChangedSince, EditRefused
from medic.run_config import Edit


def apply(patch: Patch) -> ChangeRecord:
    """Writes all files of the patch, or none.

    Backups go to the state folder first. Raises EditRefused if a file is not as it was previewed,
    or cannot be written; every file is as before then.
    """
    targets, edits = _targets(patch)
    if not targets:
        raise EditRefused("there is nothing to write", "没有可写入的修改")
    new = [_edited(target, edits[target.path]) for target in targets]
    record = _back_up(targets, new)
    _write(record, targets, new)
    with contextlib.suppress(OSError):  # the files are written: a pending record undoes them too
        return records.with_state(record, "applied")
    return record


def _targets(patch: Patch) -> tuple[list[Target], dict[Path, list[Edit]]]:
    """The real files as they are now; two names of one file are one target."""
    targets: dict[Path, Target] = {}
    edits: dict[Path, list[Edit]] = {}
    for file in dict.fromkeys(e.file for e in patch.edits):
        target = look_at(file)
        if target.hash != patch.hashes.get(file):
            raise EditRefused("the file changed since the preview", "文件在预览之后被改动", at=file)
        targets.setdefault(target.path, target)
        own = [(e.start, e.end, e.text) for e in patch.edits if e.file == file]
        known = [(e.start, e.end, e.text) for e in edits.get(target.path, ())]
        if not known:
            edits[target.path] = [e for e in patch.edits if e.file == file]
        elif known != own:
            raise EditRefused("two names of one file", "同一文件以两个名称出现", at=file)
    return list(targets.values()), edits


def _edited(target: Target, edits: Sequence[Edit]) -> bytes:
    try:
        return apply_to(target.data, list(edits))
    except ValueError:
        raise EditRefused("the edits overlap", "修改相互重叠", at=target.file) from None


def _back_up(targets: Sequence[Target], new: Sequence[bytes]) -> ChangeRecord:
    """The record and the old bytes, on disk before anything is written."""
    try:
        record = _record(targets, new)
        for i, target in enumerate(targets):
            write_private(records.backup(record.id, i), target.data)
        return records.save(record)
    except OSError as problem:
        words = problem.strerror or "cannot be written"
        raise EditRefused(
            f"no backup could be made ({words}); nothing was changed",
            f"无法备份（{words}）；文件保持原样",
        ) from None


def _record(targets: Sequence[Target], new: Sequence[bytes]) -> ChangeRecord:
    record_id = records.new_id()
    touched = tuple(
        Touched(
            target.file,
            str(target.path),
            target.hash,
            sha256(data).hexdigest(),
            target.info.st_mode,
            str(target.path.with_name(f".{target.path.name}.medic-{record_id}-{os.getpid()}")),
        )
        for target, data in zip(targets, new, strict=True)
    )
    return ChangeRecord(record_id, time.time(), "pending", touched)


def _write(record: ChangeRecord, targets: Sequence[Target], new: Sequence[bytes]) -> None:
    """Stages all files, then puts them in place; a failure puts those in place back."""
    temporaries = [Path(t.temporary) for t in record.touched]
    done: list[int] = []
    try:
        for target, temporary, data in zip(targets, temporaries, new, strict=True):
            stage(target.path, temporary, data, target.info, target.file)
        for i, target in enumerate(targets):
            if look_at(target.file).hash != target.hash:
                raise EditRefused(
                    "the file changed since the preview", "文件在预览之后被改动", at=target.file
                )
            commit(temporaries[i], target.path)
            done.append(i)
    except (OSError, EditRefused) as problem:
        for temporary in temporaries:
            discard(temporary)
        _put_back(record, [targets[i] for i in done], done)
        if isinstance(problem, EditRefused):
            raise
        words = problem.strerror or "cannot be written"
        raise EditRefused(
            f"not written ({words}); nothing was changed", f"未写入（{words}）；文件保持原样"
        ) from None


def _put_back(record: ChangeRecord, targets: Sequence[Target], numbers: Sequence[int]) -> None:
    for target, number in zip(targets, numbers, strict=True):
        temporary = Path(record.touched[number].temporary)
        stage(target.path, temporary, target.data, target.info, target.file)
        commit(temporary, target.path)
    records.with_state(record, "undone")


# --- undo -----------------------------------------------------------------------------------


def undo(change_id: str | None = None, *, force: bool = False) -> ChangeRecord:
    """Restores the files of a change, the newest by default, byte for byte.

    Raises EditRefused if a file was changed since, unless ``force``; what it held is kept in the
    state folder then. All files or none.
    """
    record = records.load(change_id) if change_id else records.newest()
    if record.state == "undone":
        raise EditRefused(f"{record.id} is undone already", f"{record.id} 已经撤销过")
    try:
        todo = [i for i, t in enumerate(record.touched) if _must_restore(record, t, force=force)]
    except EditRefused as problem:
        raise (problem if change_id else _or_the_one_before(problem, record)) from None
    for touched in record.touched:
        discard(Path(touched.temporary))  # left by a run that was killed
    _restore(record, todo)
    return records.with_state(record, "undone")


def _restore(record: ChangeRecord, todo: Sequence[int]) -> None:
    """Stages all files, then puts them in place; a failure puts those in place back."""
    done: list[tuple[int, Target | None]] = []
    try:
        now = [(number, _stage(record, number)) for number in todo]
        for number, target in now:
            _put(record.touched[number])
            done.append((number, target))
    except (OSError, EditRefused) as problem:
        for number in todo:
            discard(Path(record.touched[number].temporary))
        for number, target in done:
            _take_back(record.touched[number], target)
        if isinstance(problem, EditRefused):
            raise
        words = problem.strerror or "cannot be written"
        raise EditRefused(
            f"not restored ({words}); nothing was changed", f"未能恢复（{words}）；文件保持原样"
        ) from None


def _take_back(touched: Touched, target: Target | None) -> None:
    """The file as it was before the undo: its bytes, or no file."""
    if target is None:
        discard(Path(touched.target))
        return
    stage(target.path, Path(touched.temporary), target.data, target.info, touched.target)
    commit(Path(touched.temporary), target.path)


def _must_restore(record: ChangeRecord, touched: Touched, *, force: bool) -> bool:
    """False if the file is as before already. Raises EditRefused if it is neither."""
    there = Path(touched.target).exists()
    now = look_at(touched.target).hash if there else ""
    if now == touched.before:
        return False
    if now == touched.after or force:
        return True
    how = f"medic undo {record.id} --force"
    if there:
        raise ChangedSince(
            f"the file changed since {record.id}; {how} restores it all the same and keeps what it "
            "holds now",
            f"文件在 {record.id} 之后又有改动；{how} 可强制恢复，并保留现在的内容",
            at=touched.target,
            deleted=False,
        )
    raise ChangedSince(
        f"the file was deleted since {record.id}; {how} writes it as it was before the change",
        f"文件在 {record.id} 之后已被删除；{how} 可按修改前的内容重新写出",
        at=touched.target,
        deleted=True,
    )


def _or_the_one_before(problem: EditRefused, record: ChangeRecord) -> EditRefused:
    """The same, with how to take back the change before it."""
    older = records.newest_before(record)
    if older is None:
        return problem
    files = ", ".join(older.files)
    return EditRefused(
        f"{problem.en}. The change before it, of {files}: medic undo {older.id}",
        f"{problem.zh}。更早的一次修改（{files}）：medic undo {older.id}",
        at=problem.at,
    )


def _stage(record: ChangeRecord, number: int) -> Target | None:
    """The old bytes beside the file; what later edits wrote is kept in the state folder.

    Returns the file as it is now, None if it is gone.
    """
    touched = record.touched[number]
    try:
        data = records.backup(record.id, number).read_bytes()
    except OSError:
        data = b""
    if sha256(data).hexdigest() != touched.before:
        raise EditRefused("the backup is damaged", "备份已损坏", at=touched.target)
    path, temporary = Path(touched.target), Path(touched.temporary)
    if not path.exists():
        write_private(temporary, data)
        temporary.chmod(touched.mode & 0o7777)
        return None
    target = look_at(touched.target)
    if target.hash != touched.after:
        write_private(records.overwritten(record.id, number), target.data)
    stage(path, temporary, data, target.info, touched.target)
    return target


def _put(touched: Touched) -> None:
    try:
        commit(Path(touched.temporary), Path(touched.target))
    except OSError as problem:
        words = problem.strerror or "cannot be written"
        raise EditRefused(
            f"not restored ({words}); nothing was changed",
            f"未能恢复（{words}）；文件保持原样",
            at=touched.target,
        ) from None
