"""Bad inputs: what is refused, by which words, and that nothing of it is ever run."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import archive, walk
from medic.probes.checkpoint.source import Damaged, PointerFile, UnknownFormat

from medic.errors import Unreadable


def call(module: str, name: str, *args: str) -> bytes:
    """Opcodes that call ``module.name`` with texts."""
    words = b"".join(b"X" + struct.pack("<I", len(a)) + a.encode() for a in args)
    return f"c{module}\n{name}\n".encode() + b"(" + words + b"tR"


# 1, 4, 5: code in a pickle -------------------------------------------------------------------


def test_a_pickle_that_calls_the_shell_is_listed_and_never_run(
    files: Any, read: Any, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    evil = files.Ops(call("posix", "system", f"touch {canary}"))
    index = read(files.zip("evil.pt", {"model": {"w": files.T((2,))}, "x": evil}))
    assert index.globals_listed == ("posix.system",)
    assert not canary.exists()


@pytest.mark.parametrize("name", ["model.bin", "model.safetensors", "notes.txt", "a.pt"])
def test_a_pickle_is_known_by_its_bytes(files: Any, read: Any, tmp_path: Path, name: str) -> None:
    canary = tmp_path / "canary"
    code = b"\x80\x02" + call("posix", "system", f"touch {canary}") + b"."
    index = read(files.raw(name, code))
    assert (index.format, index.globals_listed) == ("pickle", ("posix.system",))
    assert not canary.exists()


@pytest.mark.parametrize(
    "code",
    [
        b"\x80\x02cpkgutil\nresolve_name\n(X\x09\x00\x00\x00os:systemtR0N.",  # POPped
        b"\x80\x04\x8c\x07pkgutil\x8c\x0cresolve_name\x93)\x81}b.",  # NEWOBJ and BUILD
        b"(S'os:system'\nipkgutil\nresolve_name\n.",  # INST, protocol 0
        b"\x80\x02(cpkgutil\nresolve_name\nX\x02\x00\x00\x00oso.",  # OBJ
    ],
)
def test_no_way_of_calling_goes_unlisted(files: Any, read: Any, code: bytes) -> None:
    assert read(files.raw("a.pt", code)).globals_listed == ("pkgutil.resolve_name",)


def test_a_global_made_of_computed_names(files: Any, read: Any) -> None:
    assert read(files.raw("a.pt", b"\x80\x04K\x01K\x02\x93.")).globals_listed == ("?",)


# 2, 3: old forms, writes into tensors --------------------------------------------------------


def test_a_tar_of_old_torch_is_not_opened(files: Any, read: Any, tmp_path: Path) -> None:
    import tarfile

    path = tmp_path / "old.pt"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("storages"))
    with pytest.raises(Unreadable, match="legacy format, not opened"):
        read(path)


def test_setitem_on_a_tensor_is_refused(files: Any, read: Any) -> None:
    writer_key = b"K\x00K\x01s"  # t[0] = 1
    tensor = pickle_of_tensor(files)
    with pytest.raises(Unreadable, match="writes into a tensor"):
        read(files.raw("a.pt", b"\x80\x02" + tensor + writer_key + b"."))


def pickle_of_tensor(files: Any) -> bytes:
    path = files.zip("t.pt", files.T((2,)))
    with zipfile.ZipFile(path) as z:
        return z.read("archive/data.pkl")[2:-1]


# 6: claims and cuts --------------------------------------------------------------------------


def test_a_cut_pickle_names_the_byte(files: Any, read: Any) -> None:
    whole = pickle.dumps({"step": 1, "text": "x" * 500}, 2)
    with pytest.raises(Damaged, match="truncated at byte 100"):
        read(files.raw("cut.pt", whole[:100]))


@pytest.mark.parametrize(
    "code", [b"\x8e" + struct.pack("<Q", 1 << 60), b"\x8d" + struct.pack("<Q", 1 << 62)]
)
def test_a_length_of_2_to_the_60_allocates_nothing(files: Any, read: Any, code: bytes) -> None:
    with pytest.raises(Damaged, match="truncated at byte 12"):
        read(files.raw("a.pt", b"\x80\x04" + code + b"."))


def test_an_endless_line_is_cut(files: Any, read: Any) -> None:
    with pytest.raises(Unreadable):
        read(files.raw("a.pt", b"\x80\x02I" + b"1" * 200_000))


@pytest.mark.parametrize(
    "code",
    [
        b"h\x05.",
        b"0.",
        b"R.",
        b"u.",
        b"K\x01b.",
        b"(K\x01u.",
        b"}(K\x01u.",
        b"t.",
        b"\x93.",
        b"\xff.",
    ],
)
def test_opcodes_without_their_operands(files: Any, read: Any, code: bytes) -> None:
    with pytest.raises(Unreadable, match="pickle"):
        read(files.raw("a.pt", b"\x80\x02" + code))


def test_deep_and_shared_values_end(files: Any, read: Any) -> None:
    deep = b"]" * 200_000 + b"a" * 199_999
    assert read(files.raw("deep.pt", b"\x80\x02" + deep + b".")).tensors == {}
    bomb = b"}q\x00"
    for level in range(60):  # each dict holds the one before twice: 2^60 paths
        bomb += b"}q" + bytes([level + 1]) + b"(" + b"X\x01\x00\x00\x00ah" + bytes([level])
        bomb += b"X\x01\x00\x00\x00bh" + bytes([level]) + b"u"
    assert read(files.raw("bomb.pt", b"\x80\x02" + bomb + b".")).tensors == {}


@pytest.mark.parametrize(("limit", "value"), [("MAX_OPCODES", 8192), ("MAX_SECONDS", -1.0)])
def test_a_pickle_without_end_is_left(
    files: Any, read: Any, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    path = files.raw("data.pt", b"\x80\x02](" + b"K\x01" * 20_000 + b"e.")
    assert read(path).format == "pickle"
    monkeypatch.setattr(walk, limit, value)
    with pytest.raises(Unreadable, match="too long"):
        read(path)


def test_a_dict_in_itself_ends(files: Any, read: Any) -> None:
    code = b"\x80\x02}q\x00X\x05\x00\x00\x00modelh\x00s."
    assert read(files.raw("a.pt", code)).tensors == {}


def test_tuples_as_keys_do_not_reach_the_hash(files: Any, read: Any) -> None:
    key = b")" + b"\x85" * 300_000
    assert read(files.raw("a.pt", b"\x80\x02}" + key + b"K\x01s.")).tensors == {}


# 7 to 11: zips -------------------------------------------------------------------------------


def test_a_wrong_checksum_is_never_clean(files: Any, read: Any) -> None:
    path = files.zip("a.pt", {"w": files.T((2,)), "note": "marker-text"})
    path.write_bytes(path.read_bytes().replace(b"marker-text", b"marker-tess"))
    with pytest.raises(Damaged, match="checksum"):
        read(path)


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_cut_zip(files: Any, read: Any, keep: float) -> None:
    whole = files.zip("a.pt", {"w": files.T((200, 30))}).read_bytes()
    with pytest.raises(Damaged, match="cut off"):
        read(files.raw("cut.pt", whole[: int(len(whole) * keep)]))


def test_a_broken_directory(files: Any, read: Any) -> None:
    whole = bytearray(files.zip("a.pt", {"w": files.T((2,))}).read_bytes())
    at = whole.find(b"PK\x01\x02")
    whole[at : at + 4] = b"XXXX"
    with pytest.raises(Damaged, match="directory"):
        read(files.raw("b.pt", bytes(whole)))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(read: Any, tmp_path: Path) -> None:
    path = tmp_path / "two.pt"
    with zipfile.ZipFile(path, "w") as two:
        two.writestr("archive/data.pkl", pickle.dumps({"a": 1}, 2))
        two.writestr("archive/data.pkl", pickle.dumps({"b": 1}, 2))
    with pytest.raises(Unreadable, match="two members are called"):
        read(path)


def overlap_bomb(count: int) -> bytes:
    """``count`` directory entries that all point at one packed stream."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(bytes(1_000_000)) + packed.flush()
    name = b"archive/data.pkl"
    local = struct.pack(
        "<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 0, 0, len(body), 1_000_000, len(name), 0
    )
    file = local + name + body
    entries = b""
    for n in range(count):
        own = name if n == 0 else b"archive/data/%05d" % n
        entries += struct.pack(
            "<4s6H3L5H2L",
            b"PK\x01\x02",
            20,
            20,
            0,
            8,
            0,
            0,
            0,
            len(body),
            1_000_000,
            len(own),
            0,
            0,
            0,
            0,
            0,
            0,
        )
        entries += own
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(entries), len(file), 0)
    return file + entries + end


def test_an_overlap_bomb_is_refused_before_reading(
    files: Any, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a member was opened")

    monkeypatch.setattr(archive, "_inflate", never)
    with pytest.raises(Unreadable, match="overlap"):
        read(files.raw("bomb.pt", overlap_bomb(200)))


def test_a_deflate_bomb_stops_at_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("archive/data.pkl", bytes(50_000_000))
    with path.open("rb") as file:
        (member,) = archive.read_directory(file, path.stat().st_size).values()
        stream, checksum = archive.open_member(file, member, budget=1_000_000)
        with pytest.raises(Unreadable, match="more than 1,000,000 bytes"):
            stream.read(40_000_000)
        stream, checksum = archive.open_member(file, member, budget=1_000_000)
        stream.drain()
        assert checksum.value == zlib.crc32(bytes(checksum_length(checksum)))


def checksum_length(checksum: Any) -> int:
    """Bytes that passed before the budget ended the stream; at most one chunk above it."""
    for length in range(1_000_000, 1_000_001 + archive.CHUNK):
        if length % archive.CHUNK == 0 and zlib.crc32(bytes(length)) == checksum.value:
            return length
    raise AssertionError("far more than the budget was unpacked")


def test_a_member_named_out_of_the_folder_is_not_written(
    files: Any, read: Any, tmp_path: Path
) -> None:
    path = tmp_path / "deep" / "a.pt"
    path.parent.mkdir()
    inner = files.zip("x.pt", {"w": files.T((2,))})
    with zipfile.ZipFile(inner) as source, zipfile.ZipFile(path, "w") as z:
        for member in source.infolist():
            z.writestr(member.filename, source.read(member))
        z.writestr("../../x", "escaped")
        z.writestr("/tmp/escaped-by-zip", "escaped")
    before = set(tmp_path.rglob("*"))
    assert set(read(path).tensors) == {"w"}
    assert set(tmp_path.rglob("*")) == before


def test_an_encrypted_member(files: Any, read: Any) -> None:
    whole = bytearray(files.zip("a.pt", {"w": files.T((2,))}).read_bytes())
    whole[whole.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="unknown way"):
        read(files.raw("b.pt", bytes(whole)))


# 16: no files --------------------------------------------------------------------------------


def test_what_is_no_file_is_refused_without_waiting(read: Any, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.pt"
    os.mkfifo(fifo)
    gone = tmp_path / "gone.pt"
    gone.symlink_to(tmp_path / "nowhere")
    folder = tmp_path / "folder.pt"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "sock.pt"))
        for path in (fifo, folder, tmp_path / "sock.pt", Path("/dev/zero")):
            with pytest.raises(Unreadable, match="not a regular file"):
                read(path)
    with pytest.raises(Unreadable, match="No such file"):
        read(gone)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_files_of_the_kernel_are_no_files(read: Any, tmp_path: Path) -> None:
    link = tmp_path / "core.pt"
    link.symlink_to("/proc/self/maps")
    with pytest.raises(Unreadable, match="not a regular file"):
        read(link)


# debris --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"", Damaged, "0 bytes"),
        (bytes(10_000), Damaged, "zeros"),
        (b"<!DOCTYPE html><html>404</html>", PointerFile, "web page"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n",
            PointerFile,
            "git-lfs",
        ),
        (b"\x1f\x8b\x08\x00", UnknownFormat, "gzip"),
        (b"GGUF\x03\x00\x00\x00", UnknownFormat, "GGUF"),
        (b"just some words", UnknownFormat, "no checkpoint format"),
        (b"config = 1\nhello", UnknownFormat, "no checkpoint format"),
    ],
)
def test_what_stands_in_place_of_a_checkpoint(
    files: Any, read: Any, data: bytes, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        read(files.raw("a.pt", data))


def test_token_files_named_bin_are_not_called_damaged(files: Any, read: Any) -> None:
    for data in (
        b"\x80\x02\x11\x00\x95\x07" * 100,
        b"(\x00\x17\x02" * 100,
        struct.pack("<4H", 7, 9, 11, 2) * 50,
    ):
        with pytest.raises(UnknownFormat):
            read(files.raw("train.bin", data))
