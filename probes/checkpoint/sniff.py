"""The format of a file from its first bytes; names prove nothing."""

from __future__ import annotations

from typing import BinaryIO, Literal

from .source import Damaged, PointerFile, UnknownFormat, size_of

Format = Literal["zip", "pickle", "safetensors", "index", "tar"]

HEAD = 4096
LFS = b"version https://git-lfs.github.com/spec/"
# First opcodes of a pickle of protocol 0 or 1: MARK, GLOBAL, EMPTY_LIST, EMPTY_DICT.
_OLD_PICKLE = b"(c]}"
_OTHERS = (
    (b"\x1f\x8b", "gzip"),
    (b"\x89HDF\r\n", "HDF5"),
    (b"GGUF", "GGUF"),
    (b"\x93NUMPY", "NumPy"),
    (b"\x7fELF", "ELF"),
)


def sniff(file: BinaryIO, name: str) -> Format:
    """The format. Raises PointerFile, Damaged (empty, zeros) or UnknownFormat.

    ``name`` decides only whether bytes that are no format at all are a damaged checkpoint.
    """
    file.seek(0)
    head = file.read(HEAD)
    size = size_of(file)
    found = _by_magic(head)
    if found is not None:
        return found
    if head.startswith(LFS):
        raise PointerFile(
            "a git-lfs pointer, not the file itself", "这是 git-lfs 指针，不是文件本身"
        )
    if head.lstrip()[:64].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise PointerFile(
            "a web page, not the file: the download failed", "内容是网页而不是文件：下载失败"
        )
    claims = name.lower().endswith((".pt", ".pth", ".ckpt", ".safetensors", ".bin"))
    if claims:
        _refuse_debris(head, size)
    for magic, kind in _OTHERS:
        if head.startswith(magic):
            raise UnknownFormat(f"a {kind} file, no checkpoint", f"{kind} 文件，不是检查点")
    if name.lower().endswith(".safetensors"):
        return "safetensors"  # its reader says what is wrong with the header
    raise UnknownFormat("no checkpoint format that medic knows", "不是可识别的检查点格式")


def _by_magic(head: bytes) -> Format | None:
    if head.startswith(b"PK\x03\x04"):
        return "zip"
    # Before the pickle: a length such as 1,152 begins with the same two bytes.
    if head[8:9] == b"{" and head[4:8] == bytes(4):
        return "safetensors"
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "pickle"
    if head[257:262] == b"ustar":
        return "tar"
    if head[:1] in (b"{", b"\xef") and head.lstrip(b"\xef\xbb\xbf")[:1] == b"{":
        return "index"
    if head[:1] and head[0] in _OLD_PICKLE:
        return "pickle"
    return None


def _refuse_debris(head: bytes, size: int) -> None:
    if size == 0:
        raise Damaged("empty: 0 bytes", "文件为空（0 字节）")
    if not head.strip(b"\x00"):
        raise Damaged("starts with zeros: the data was never written", "开头全为零：数据没有写入")
