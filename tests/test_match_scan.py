"""The pass over a log: what is found, what is kept, and what a file may do to it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.entries import NotIn, Role, Signature, Symptom
from medic.errors import KnowledgeError, Unreadable
from medic.i18n import Text
from medic.index.knowledge import load
from medic.match import (
    NOTES,
    Limits,
    Matcher,
    Watched,
    iter_lines,
    signature_faults,
    watched,
)
from medic.match.reader import BLOCK, SNIFF
from medic.match.scan import CAP
from medic.match.sieve import loose
from medic.match.units import bytes_of, convert
from medic.probe import Scan

INDEX = load()
SHIPPED = INDEX.symptoms.values()
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.01 GiB is free."
)


def symptom(
    pattern: str, role: Role = "root", not_in: tuple[NotIn, ...] = (), **captures: str
) -> Symptom:
    signature = Signature("own", pattern, role, match=(), captures=captures, not_in=not_in)  # type: ignore[arg-type]
    return Symptom("own-symptom", "family", Text("a", "一"), {"en": ()}, signatures=(signature,))


def of_symptoms(symptoms: Iterable[Symptom]) -> list[Watched]:
    return [Watched(m, s.name, goes_on=s.goes_on) for s in symptoms for m in s.signatures]


NEEDLE = Matcher(of_symptoms([symptom("needle")]))


def scan(text: str | bytes, *symptoms: Symptom, limits: Limits | None = None) -> Scan:
    data = text.encode() if isinstance(text, str) else text
    return Matcher(of_symptoms(symptoms), limits=limits).scan_file(io.BytesIO(data), "train.log")


def test_shipped_signatures_match_their_lines_and_no_other() -> None:
    assert {o.signature.id: f for o in watched(INDEX) if (f := list(signature_faults(o)))} == {}


@pytest.mark.parametrize(
    ("unless", "fault"),
    [
        ("train\\w*\\.py", None),
        ("[Ll]oss|train\\w*\\.py", "words of any training log"),
        ("KeyError|train\\w*\\.py", "words in each line"),
    ],
)
def test_what_parts_a_shared_line_is_no_word_of_any_log(unless: str, fault: str | None) -> None:
    said = ("KeyError: 'x'",)
    one = Signature(
        "own", "KeyError: 'x'", "root", match=said, no_match=("x",), shared=True, unless=unless
    )
    faults = list(signature_faults(Watched(one, "own-symptom")))
    assert (not faults) if fault is None else (len(faults) == 1 and fault in faults[0])


def test_a_late_shared_line_is_parted_by_the_end_of_the_block_before() -> None:
    """Beyond the cap, lines are looked for again: with the same words above them."""
    one = Signature("own", "needle", "root", match=(), shared=True, unless="train\\.py")
    said, parting, fill = (f"{w:63}\n".encode() for w in ("needle", "train.py", "x"))
    lines = BLOCK // 64
    full = (parting + said) * (lines // 2) * (CAP // (lines // 2) + 1)
    head = fill * (SNIFF // 64)  # the first block
    data = head + full + fill * (lines - 1) + parting + said + fill * lines
    found = Matcher([Watched(one, "own-symptom")]).scan_file(io.BytesIO(data), "a.log")
    assert found.hits[-1].source.line == len(head + full) // 64 + lines + 1
    assert not found.hits[-1].shared


def test_the_first_look_at_a_block_misses_nothing() -> None:
    """It takes patterns without the bounds of their repetitions."""
    assert loose(rb"a{2,300}b{0,9}c{3}[{1,2}]\{1,2}") == rb"a{2,}b{0,}c{3}[{1,2}]\{1,2}"
    for own in watched(INDEX):
        pattern = re2.compile(b"(?m)" + loose(own.signature.pattern.encode()))
        for line in own.signature.match:
            assert pattern.search(line.encode()), own.signature.id


def test_captures_have_units() -> None:
    of = symptom(
        r"wanted (?P<size>\S+ \S+) on (?P<gpu>\d+) at (?P<rate>\S+) by (?P<who>\w+)",
        size="bytes",
        gpu="index",
        rate="number",
        who="text",
    )
    hit = scan("x\nwanted 2.50 GiB on 3 at 1.5e-4 by me\n", of).hits[0]
    assert hit.captures == {"size": 2684354560, "gpu": 3, "rate": 1.5e-4, "who": "me"}
    assert hit.source.line == 2
    assert hit.source.file == "train.log"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.00 GiB", 2 << 30),
        ("812.00 MiB", 812 << 20),
        ("512 bytes", 512),
        ("1 KB", 1000),
        ("1,024 KiB", 1 << 20),
        ("16384", 16384),
        ("-", None),
        ("GiB", None),
    ],
)
def test_sizes(text: str, value: int | None) -> None:
    assert bytes_of(text) == value


def test_a_value_that_does_not_read_is_no_capture() -> None:
    assert convert("1_000", "integer") == 1000
    assert convert("many", "integer") is None
    assert convert("60", "pci") == "0000:00:06.0"
    assert convert("1b000", "pci") == "0000:1b:00.0"
    assert convert("1003b000", "pci") == "0100:3b:00.0"
    for other in ("0", "8", "7fff", "cuda:0"):  # ordinals and what has no such device
        assert convert(other, "pci") == other
    assert convert("nan", "number") != convert("nan", "number")


def test_a_pattern_that_re2_lacks_names_its_signature() -> None:
    with pytest.raises(KnowledgeError, match=r"own: not a pattern of RE2"):
        scan("x", symptom(r"(?!never)loss"))


def test_lines_are_matched_one_by_one() -> None:
    assert not scan("alpha\nomega\n", symptom(r"alpha[^x]*omega")).hits
    assert scan("alpha to omega\n", symptom(r"^alpha.*omega$")).hits
    assert scan("first\r\nalpha\r\nlast\r\n", symptom(r"^alpha$")).hits[0].source.line == 2


def test_a_bar_and_a_message_on_one_line() -> None:
    hit = scan(
        " 10%|#  | 1/10\r 20%|## | 2/10\rfailed here\nnext\n", symptom(r"^failed here$")
    ).hits[0]
    assert hit.source.line == 1
    assert hit.source.text == "failed here"


def test_colours_do_not_hide_a_message_and_are_not_kept() -> None:
    found = scan(
        "a\n\x1b[36m(Worker pid=7)\x1b[0m \x1b[1;31mlost\x1b[0m it\x07\n", symptom("lost it")
    )
    assert found.hits[0].source.text == "(Worker pid=7) lost it"


def test_colours_do_not_move_line_numbers() -> None:
    text = "".join(f"\x1b[36m(Worker pid={n})\x1b[0m words\r\n" for n in range(50)) + "needle\n"
    assert [h.source.line for h in scan(text * 2, symptom("needle")).hits] == [51, 102]


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_control_byte_is_ever_kept(tail: bytes) -> None:
    text = b"the needle " + tail.replace(b"\n", b"").replace(b"\r", b"") + b"\n"
    found = NEEDLE.scan_file(io.BytesIO(b"a line of text\n" * 1000 + text), "train.log")
    for hit in found.hits:
        assert not any(ord(c) < 32 and c != "\t" for c in hit.source.text)
        assert not any(127 <= ord(c) < 160 for c in hit.source.text)


@given(st.lists(st.text(alphabet="ab\u4e2d ", max_size=30), max_size=60), st.data())
@settings(max_examples=100, deadline=None)
def test_line_numbers_are_those_of_an_editor(lines: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(lines)))
    lines.insert(place, "the needle")
    found = NEEDLE.scan_text("\n".join(lines))
    assert [h.source.line for h in found.hits] == [place + 1]


def test_first_and_last_hits_are_kept_with_a_count() -> None:
    found = scan(
        "".join(f"needle {n}\n" for n in range(1000)), symptom(r"needle (?P<n>\d+)", n="integer")
    )
    numbers = [h.captures["n"] for h in found.hits]
    assert numbers == [*range(10), *range(960, 1000)]
    assert {h.count for h in found.hits} == {1000}


def test_a_signature_on_every_line_leaves_the_set_and_keeps_the_last() -> None:
    found = scan(
        "".join(f"needle {n}\n" for n in range(30_000)), symptom(r"needle (?P<n>\d+)", n="integer")
    )
    numbers = [h.captures["n"] for h in found.hits]
    assert numbers == [*range(10), *range(29_960, 30_000)]
    assert 2000 <= found.hits[0].count <= 30_000
    assert [h.source.line for h in found.hits][-1] == 30_000


def test_hits_come_in_the_order_of_lines() -> None:
    both = Symptom(
        "both",
        "f",
        Text("a", "一"),
        {"en": ()},
        signatures=(
            Signature("b", "bbb", "root", match=()),
            Signature("a", "aaa", "root", match=()),
        ),
    )
    found = scan("aaa\nbbb\naaa\n", both)
    assert [(h.signature, h.source.line) for h in found.hits] == [("a", 1), ("b", 2), ("a", 3)]


def test_landmarks_are_marks_and_no_evidence() -> None:
    found = scan('x\nTraceback (most recent call last):\n  File "a.py", line 1\n')
    assert [(m.signature, m.role) for m in found.marks] == [("traceback", "context")]
    assert not found.hits


# --- files ----------------------------------------------------------------------------------


def test_a_line_without_end_is_cut_and_memory_stays_flat() -> None:
    class Endless(io.RawIOBase):
        left = 64 << 20

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            size = min(size, self.left)
            self.left -= size
            return b"x" * size

    matcher = Matcher(of_symptoms([symptom("needle")]))
    matcher.scan_text("warm up")
    tracemalloc.start()
    found = matcher.scan_file(Endless(), "one-line.log")  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.notes == (NOTES["long-lines"],)
    assert found.lines == 1
    assert peak < 8 << 20


def test_what_follows_a_long_line_is_found() -> None:
    found = scan(b"x" * 200_000 + b"\nneedle\n" + b"y" * 70_000 + b"\nneedle", symptom("needle"))
    assert [h.source.line for h in found.hits] == [2, 4]
    assert found.lines == 4


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_logs(pack: object) -> None:
    data = pack(b"a\nneedle\n" * 1000)  # type: ignore[operator]
    found = scan(data, symptom("needle"))
    assert found.hits[0].count == 1000
    assert list(iter_lines(io.BytesIO(data), "x"))[1] == (2, "needle")


def test_a_compressed_log_that_breaks_off_keeps_its_beginning() -> None:
    whole = gzip.compress(os.urandom(200_000).hex().encode() + b"\n", 1)
    found = scan(gzip.compress(b"needle\n") + whole[: len(whole) // 2], symptom("needle"))
    assert NOTES["compressed-end"] in found.notes
    assert found.hits


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_logs_that_are_broken(pack: object) -> None:
    """Several members are one log; what stands behind the last is no part of it."""
    data = b"".join(b"%d needle\n" % (n * n) for n in range(30_000))
    packed = pack(data)  # type: ignore[operator]
    for more in (pack(b"needle\n"), b"no member", b"\0" * 99):  # type: ignore[operator]
        found = scan(packed + more, symptom("needle"))
        assert found.lines >= 30_000
    half = (
        scan(packed[: len(packed) // 2 + 1], symptom("needle"))
        if pack is not bz2.compress
        else None
    )
    assert half is None or NOTES["compressed-end"] in half.notes


def test_a_bomb_stops_at_its_budget() -> None:
    found = scan(
        gzip.compress(b"needle\n" * 1_000_000), symptom("needle"), limits=Limits(inflated=100_000)
    )
    assert found.notes == (NOTES["inflate-limit"],)
    assert found.bytes == 100_000


def test_zstd_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unreadable, match="zstd -d"):
        scan(b"\x28\xb5\x2f\xfd....")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        b"\x7fELF\x02\x01\x01" + b"\0" * 4000,
        b"PK\x03\x04 a zip",
        b"text" + b"\0\x01\x02" * 3000,
        b"\x1f\x8b not gzip at all",
    ],
)
def test_binary_is_not_text(data: bytes) -> None:
    with pytest.raises(Unreadable):
        scan(data, symptom("needle"))


def test_any_encoding_of_text_is_read() -> None:
    gbk = "显存不足 needle\n".encode("gbk")
    hit = scan(gbk + b"\xff\xfe needle\n", symptom("needle")).hits[0]
    hit.source.text.encode("utf-8")
    assert scan("\ufeffa\nneedle\n".encode("utf-16"), symptom("needle")).hits[0].source.line == 2
    assert scan(b"\0" * 5000 + b"\nneedle\n", symptom("needle")).hits


def test_a_huge_log_is_read_at_both_ends() -> None:
    limits = Limits(whole=1000, head=300, tail=400)
    data = (
        b"needle first\n"
        + b"filler\n" * 500
        + b"needle middle\n"
        + b"filler\n" * 500
        + b"needle last\n"
    )
    found = scan(data, symptom("needle"), limits=limits)
    assert [h.source.text for h in found.hits] == ["needle first", "needle last"]
    assert [h.source.line for h in found.hits] == [1, 0]
    assert found.notes == (NOTES["head-and-tail"],)
    whole = Matcher(of_symptoms([symptom("needle")]), limits=limits).scan_file(
        io.BytesIO(data), "x", all_of_it=True
    )
    assert len(whole.hits) == 3


def test_a_log_that_grows_or_shrinks_is_one_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"needle\n" * 400_000)
    matcher = Matcher(of_symptoms([symptom("needle")]))
    with path.open("rb") as file:
        matcher.scan_text("x")
        original = file.read

        class Growing(io.BufferedReader):
            def read(self, size: int | None = -1) -> bytes:
                with path.open("ab") as more:
                    more.write(b"later\n")
                return original(size)

        with Growing(file.raw) as growing:
            found = matcher.scan_file(growing, "train.log")
            assert found.notes == (NOTES["grew"],)
            assert found.hits[0].count >= 2000
            assert found.bytes == 2_800_000


def test_a_log_cut_while_it_is_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"line\n" * 600_000)
    with path.open("rb") as file:
        size = path.stat().st_size
        os.truncate(path, size // 2)

        class Told(io.BufferedReader):
            def fileno(self) -> int:
                raise io.UnsupportedOperation

            def seek(self, offset: int, whence: int = 0) -> int:
                return size if whence == os.SEEK_END else super().seek(offset, whence)

        with Told(file.raw) as told:
            assert Matcher([]).scan_file(told, "train.log").notes == (NOTES["shrank"],)


def test_every_note_has_words() -> None:
    keys = {"head-and-tail", "inflate-limit", "compressed-end", "grew", "shrank", "long-lines"}
    keys |= {"own-output", "hole"}
    assert set(NOTES) == keys


def test_lines_are_numbered_and_clean() -> None:
    data = b"a\n\x1b[1mb\x1b[0m\r\n\n" + b"c" * 70_000 + b"\nd"
    rows = list(iter_lines(io.BytesIO(data), "x"))
    assert [n for n, _ in rows] == [1, 2, 3, 4, 5]
    assert [t for _, t in rows][:3] == ["a", "b", ""]
    assert len(rows[3][1]) == 65536


def test_a_text_that_shows_a_symptom_verbatim() -> None:
    matcher = Matcher(of_symptoms(SHIPPED))
    assert matcher.shown_in(OOM) == [("symptoms", "cuda-out-of-memory")]
    assert matcher.shown_in("the run dies with OOM when I resume") == []


@pytest.mark.parametrize("line", [b"", b"x", b"a step of the training run", b"\r", b"y" * 5000])
@pytest.mark.parametrize("count", [0, 1, 7, 3000])
def test_newlines_are_counted_whatever_the_length_of_lines(line: bytes, count: int) -> None:
    from medic.match.reader import _newlines

    data = (line + b"\n") * count
    assert _newlines(data + b"rest") == _newlines(data) == count
    assert _newlines(b"z" * 2000 + data) == count
