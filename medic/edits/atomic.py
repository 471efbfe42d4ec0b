"""Replacing a file's bytes in one step: a kill at any moment leaves the old or the new file.

The new bytes go to a file in the same folder, to disk, and then take the old one's place; mode,
owner and extended attributes stay. A link is followed and stays a link.
"""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import sha256
from pathlib import Path

from medic.errors import EditRefused
from medic.records import dataclass


@dataclass(frozen=True)
class Target:
    """A user's file as it is now. ``path`` is the real file behind links."""

    file: str
    path: Path
    data: bytes
    info: os.stat_result

    @property
    def hash(self) -> str:
        return sha256(self.data).hexdigest()


def look_at(file: str) -> Target:
    """The file as it is. Raises EditRefused if it is no regular file or cannot be rewritten."""
    path = Path(file).resolve()
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as opened:
            info = os.fstat(opened.fileno())
            if not stat.S_ISREG(info.st_mode):
                raise EditRefused("not a regular file", "不是普通文件", at=file)
            data = opened.read()
    except OSError as problem:
        raise _refused(file, problem) from None
    if not os.access(path, os.W_OK):
        raise EditRefused(
            "the file is read-only; write a .patch and apply it yourself",
            "文件只读；请导出 .patch 后自行应用",
            at=file,
        )
    if info.st_nlink > 1:
        raise EditRefused(
            "the file has several hard links, of which only one would change",
            "该文件有多个硬链接，只会改到其中一个",
            at=file,
        )
    return Target(file, path, data, info)


def stage(target: Path, temporary: Path, data: bytes, info: os.stat_result, file: str) -> None:
    """Writes the new bytes beside the target. Raises EditRefused, and leaves nothing then."""
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as new:
            new.write(data)
            new.flush()
            _keep_owner(new.fileno(), info)
            _keep_attributes(target, new.fileno())
            os.fsync(new.fileno())
    except OSError as problem:
        discard(temporary)
        raise _refused(file, problem) from None


def _keep_owner(handle: int, info: os.stat_result) -> None:
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (info.st_uid, info.st_gid):
        os.fchown(handle, info.st_uid, info.st_gid)
    os.fchmod(handle, stat.S_IMODE(info.st_mode))


def _keep_attributes(target: Path, handle: int) -> None:
    """Extended attributes, which hold access control lists; as far as the file system lets."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(target):
            with contextlib.suppress(OSError):
                os.setxattr(handle, name, os.getxattr(target, name))


def commit(temporary: Path, target: Path) -> None:
    """Puts the new file in the old one's place, on disk. Raises OSError."""
    os.replace(temporary, target)  # noqa: PTH105 - the system call that is meant
    with contextlib.suppress(OSError):  # a file system that cannot sync folders
        handle = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def discard(temporary: Path) -> None:
    with contextlib.suppress(OSError):
        temporary.unlink()


def _refused(file: str, problem: OSError) -> EditRefused:
    words = problem.strerror or "cannot be written"
    return EditRefused(
        f"not written ({words}); nothing was changed",
        f"未写入（{words}）；文件保持原样",
        at=file,
    )
