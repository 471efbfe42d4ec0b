"""WebDataset: tar files whose members of one stem make a sample.

Only headers are walked; small text members are read. Layout: POSIX.1-2017 ustar, with GNU and pax
long names; https://github.com/webdataset/webdataset, "The WebDataset Format".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from medic.i18n import Text
from medic.records import dataclass

from .items import Item, Opened
from .windows import head_only

BLOCK = 512
MAX_MEMBERS = 20_000
MAX_TEXT = 64 * 1024
MAX_NAME = 4_096
USUAL = 20  # samples that tell which members every sample has
_TOO_FEW = Text(
    "byte {at}: {told} bytes announced, {have} there",
    "第 {at} 字节：声明了 {told} 字节，实际只有 {have} 字节",
)
_IN_BLOCK = Text("ends at byte {at} inside a block", "在第 {at} 字节处结束，块不完整")
_NO_HEADER = Text("byte {at}: no tar header", "第 {at} 字节：不是 tar 头")
_NO_NUMBER = Text("a header field is no number", "文件头中有字段不是数字")
TEXTS = (".txt", ".text", ".caption")
LABELS = (".cls", ".id")
IMAGES = {
    ".jpg": (b"\xff\xd8",), ".jpeg": (b"\xff\xd8",), ".png": (b"\x89PNG",),
    ".gif": (b"GIF8",), ".webp": (b"RIFF",),
}  # fmt: skip


@dataclass(frozen=True)
class Member:
    name: str
    start: int
    size: int
    regular: bool


class BadTarError(ValueError):
    """Where the walk cannot go on; the words are for a note."""

    def __init__(self, words: Text) -> None:
        super().__init__(words.en)
        self.words = words


def of_tar(file: BinaryIO, size: int) -> Opened:
    opened = Opened("tar", iter(()))
    opened.items = _samples(file, size, opened)
    return opened


def is_tar(head: bytes) -> bool:
    return len(head) >= BLOCK and head[257:262] == b"ustar"


def _samples(file: BinaryIO, size: int, opened: Opened) -> Iterator[Item]:
    stem, members = "", list[Member]()
    count, usual = 0, _Usual()
    try:
        for member in _members(file, size):
            count += 1
            if count > MAX_MEMBERS:
                opened.whole = False
                opened.sampled = head_only(f"{MAX_MEMBERS:,}")
                break
            if not member.regular or PurePosixPath(member.name).name.startswith("."):
                continue
            own = _stem(member.name)
            if own != stem and members:
                yield usual.seen(_sample(file, stem, members), members)
                members = []
            stem = own
            members.append(member)
    except BadTarError as problem:
        yield Item(f"member {count + 1:,}", fault="cut-off", text=problem.words)
    if members:
        yield usual.seen(_sample(file, stem, members), members)


class _Usual:
    """The endings that all of the first samples have: one of their folder that lacks some is told."""

    def __init__(self) -> None:
        self._count = 0
        self._folder = ""
        self._ends: frozenset[str] = frozenset()

    def seen(self, item: Item, members: list[Member]) -> Item:
        own = frozenset(PurePosixPath(m.name).suffix.lower() for m in members)
        folder = members[0].name.rpartition("/")[0]
        if self._count < USUAL:
            self._count += 1
            self._folder = folder
            self._ends = own if self._count == 1 else self._ends & own
            return item
        lacks = sorted(self._ends - own)
        if item.fault or not lacks or folder != self._folder:
            return item
        return Item(item.place, fault="member-lacks", text=", ".join(lacks))


def _stem(name: str) -> str:
    """WebDataset parts a name at the first dot of its last part."""
    folder, _, base = name.rpartition("/")
    return f"{folder}/{base.split('.', 1)[0]}" if folder else base.split(".", 1)[0]


def _sample(file: BinaryIO, stem: str, members: list[Member]) -> Item:
    fields: dict[str, Any] = {}
    place = f"sample {stem[:80]}"
    for member in members:
        end = PurePosixPath(member.name).suffix.lower()
        if member.size == 0:
            return Item(place, fault="empty-member", text=member.name[-80:])
        file.seek(member.start)
        if end in IMAGES:
            if not file.read(8).startswith(IMAGES[end]):
                return Item(place, fault="not-an-image", text=member.name[-80:])
            fields.setdefault("image", "image")
        elif member.size <= MAX_TEXT and end in (*TEXTS, *LABELS, ".json"):
            raw = file.read(member.size)
            try:
                text = raw.decode("utf-8")
                value = json.loads(text) if end == ".json" else text
            except UnicodeDecodeError:
                return Item(place, fault="not-utf-8", text=member.name[-80:])
            except (ValueError, RecursionError):
                return Item(place, fault="broken-line", text=member.name[-80:])
            if isinstance(value, dict):
                fields.update({k: v for k, v in value.items() if k not in fields})
            else:
                fields["label" if end in LABELS else "text"] = value
    return Item(place, fields)


def _members(file: BinaryIO, size: int) -> Iterator[Member]:
    at, longer = 0, ""
    while at + BLOCK <= size:
        file.seek(at)
        head = file.read(BLOCK)
        if not head.strip(b"\0"):
            return
        length = _number(head[124:136])
        _check(head, at)
        kind, start = head[156:157], at + BLOCK
        if start + length > size:
            raise BadTarError(
                _TOO_FEW.fill(at=f"{at:,}", told=f"{length:,}", have=f"{size - start:,}")
            )
        at = start + (length + BLOCK - 1) // BLOCK * BLOCK
        if kind in (b"L", b"x"):
            file.seek(start)
            longer = _long_name(file.read(min(length, MAX_NAME)), kind)
        elif kind not in (b"K", b"g"):
            name = longer or _name(head)
            longer = ""
            yield Member(name, start, length, kind in (b"0", b"\0", b"7"))
    if at > size or size % BLOCK:
        raise BadTarError(_IN_BLOCK.fill(at=f"{size:,}"))


def _check(head: bytes, at: int) -> None:
    """The checksum is that of the header with blanks in its own place."""
    told = _number(head[148:156])
    if told != sum(head[:148]) + 8 * 32 + sum(head[156:]):
        raise BadTarError(_NO_HEADER.fill(at=f"{at:,}"))


def _number(raw: bytes) -> int:
    """Octal digits, or a base-256 number where the first bit is set."""
    if raw[:1] in (b"\x80", b"\xff"):
        return int.from_bytes(raw[1:], "big") % (1 << 62)
    text = raw.split(b"\0", 1)[0].strip()
    try:
        return int(text or b"0", 8)
    except ValueError:
        raise BadTarError(_NO_NUMBER) from None


def _name(head: bytes) -> str:
    name = head[:100].split(b"\0", 1)[0]
    if head[257:263] == b"ustar\0":
        start = head[345:500].split(b"\0", 1)[0]
        name = start + b"/" + name if start else name
    return name.decode("utf-8", "replace")


def _long_name(raw: bytes, kind: bytes) -> str:
    """The name of a GNU "L" member, or the path record of a pax header."""
    if kind == b"L":
        return raw.split(b"\0", 1)[0].decode("utf-8", "replace")
    for record in raw.split(b"\n"):
        key, sign, value = record.partition(b" ")[2].partition(b"=")
        if sign and key == b"path":
            return value.decode("utf-8", "replace")
    return ""
