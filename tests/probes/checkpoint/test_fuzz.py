"""Any bytes: the readers refuse them in words, quickly, and run nothing."""

from __future__ import annotations

import io
import pickletools
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.checkpoint import located, safetensors_header, torch_file
from medic.probes.checkpoint.source import file_stream
from medic.probes.checkpoint.units import gather
from medic.probes.checkpoint.walk import Walk

from medic.errors import Unreadable
from medic.facts import GivenFile

FUZZ = settings(
    max_examples=120, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
OPCODES = [op.code.encode("latin-1") for op in pickletools.opcodes]
ARGUMENTS = st.one_of(
    st.just(b""), st.binary(max_size=6), st.just(b"cposix\nsystem\n"), st.just(b"builtins\neval\n"),
    st.just(b"\x04\x00\x00\x00echo"), st.just(b"X\x04\x00\x00\x00echo"), st.just(b"\x01"),
)  # fmt: skip
PROGRAMS = st.lists(st.tuples(st.sampled_from(OPCODES), ARGUMENTS), max_size=40).map(
    lambda ops: b"\x80\x02" + b"".join(code + argument for code, argument in ops) + b"."
)


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was called")

    for name in ("os.system", "os.popen", "subprocess.Popen"):
        monkeypatch.setattr(name, refuse)
    monkeypatch.setattr("pickle.loads", refuse)
    monkeypatch.setattr("pickle.load", refuse)


def refuses_in_words(call: Any, *args: Any) -> None:
    """The call gives a value or refuses in both languages; any other error fails the test."""
    problem = None
    try:
        call(*args)
    except Unreadable as refused:
        problem = refused
    assert problem is None or (problem.en and problem.zh)


@given(PROGRAMS)
@FUZZ
def test_programs_of_pickle_opcodes(data: bytes) -> None:
    stream = file_stream(io.BytesIO(data), 0, len(data), len(data))
    refuses_in_words(Walk().value, stream)


@given(st.binary(max_size=300))
@FUZZ
def test_any_bytes_as_a_safetensors_header(data: bytes) -> None:
    for raw in (data, len(data).to_bytes(8, "little") + data):
        refuses_in_words(safetensors_header.read_header, io.BytesIO(raw))


def archive() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("a/data.pkl", b"\x80\x02}q\x00.")
        file.writestr("a/data/0", bytes(64))
    return made.getvalue()


GOOD = archive()


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=4), st.integers(0, len(GOOD)))
@FUZZ
def test_changed_bytes_of_a_zip(at: int, put: bytes, end: int) -> None:
    changed = GOOD[:at] + put + GOOD[at + len(put) :]
    for data in (changed, GOOD[:end], changed + GOOD):
        refuses_in_words(torch_file.read_zip, io.BytesIO(data), lambda: False)


@given(st.sampled_from(["m.pt", "m.safetensors", "m.bin"]), st.binary(max_size=200))
@FUZZ
def test_any_file_is_located_or_refused(
    make_look: Any, tmp_path: Path, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    unit = gather([GivenFile(str(path), name, "checkpoint")])[0]
    refuses_in_words(located.locate, make_look(path), unit)
