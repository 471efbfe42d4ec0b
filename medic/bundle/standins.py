"""What is read in place of the names that a bundle hides: words of the form of what was there.

"<host1>:412:530 [0] NCCL INFO Bootstrap : Using eth0:<ip1><0>" is no line that NCCL prints, and what
reads NCCL's lines would pass it over. The same thing has the same stand-in in all files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from medic.text.patterns import regex

_NAME = regex(rb"<(host|user|home|ip|mac|mail|login|gpu|serial|guid)(\d{1,6})>")
_WORDS: Mapping[str, Callable[[int], str]] = {
    "host": lambda n: f"host{n}",
    "user": lambda n: f"user{n}",
    "home": lambda n: f"/home/home{n}",
    "login": lambda n: f"login{n}",
    "mail": lambda n: f"mail{n}@example.org",  # example.org: RFC 2606
    "ip": lambda n: f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}",
    "mac": lambda n: f"02:00:00:{n >> 16 & 255:02x}:{n >> 8 & 255:02x}:{n & 255:02x}",
    "gpu": lambda n: f"00000000-0000-0000-0000-{n:012d}",
    "serial": lambda n: f"{n:012d}",
    "guid": lambda n: f"0x{n:016x}",
}


def put_in(folder: Path) -> None:
    """Writes the stand-ins into the files below a folder, and into their names; times are kept."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = path.read_bytes()
        read = _read(data)
        if read != data:
            when = path.stat().st_mtime
            path.write_bytes(read)
            os.utime(path, (when, when))
    # Those below a folder before it: a folder that is renamed takes its files along.
    for path in sorted(folder.rglob("*"), key=lambda p: -len(p.parts)):
        name = _read(path.name.encode("utf-8", "surrogateescape")).replace(b"/", b"_")
        target = path.with_name(name.decode("utf-8", "surrogateescape"))
        if target != path and not target.exists():
            path.rename(target)


def _read(data: bytes) -> bytes:
    return _NAME.sub(lambda m: _WORDS[m[1].decode()](int(m[2])).encode(), data)
