"""Broken and hostile dumps: one clear line each, nothing run."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from medic.probes.recorder import plain, waiting
from medic.probes.recorder.dump import record_of

from medic.errors import Unreadable
from medic.runner.evidence import Evidence

DATA = Path(__file__).parent / "data"
GOOD = (DATA / "extra" / "nccl_trace_rank_0").read_bytes()
GOOD_JSON = (DATA / "extra-json" / "nccl_trace_rank_0.json").read_bytes()
Case = Callable[..., Evidence]


class Canary:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.path}",)


def why(evidence: Evidence) -> str:
    lines = [n.en for n in evidence.not_read]
    assert len(lines) == 1
    assert "\n" not in lines[0]
    return lines[0]


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_pickle_that_calls_is_not_opened(case: Case, tmp_path: Path, protocol: int) -> None:
    canary = tmp_path / "canary"
    evil = pickle.dumps({"entries": [Canary(str(canary))]}, protocol=protocol)
    assert "holds more than data" in why(case({0: evil}))
    assert not canary.exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (GOOD[:500], "truncated at byte 500"),
        (b"\x80\x02X" + struct.pack("<I", 2**31) + b"abc", "truncated"),
        (b"\x80\x04\x8e" + struct.pack("<Q", 2**60) + b"abc", "holds more than data|truncated"),
        (b"hello\x1b[2J world", "neither a pickle nor JSON"),
        (pickle.dumps([1, 2], protocol=2), "no dump"),
        (pickle.dumps({"a": 1}, protocol=2), "no dump"),
        (GOOD_JSON[:700], "no valid JSON"),
        (b"{" + b'"a":[' * 100_000, "nested too deep|no valid JSON"),
        (b"\x80\x02" + b"]" * 10 + b"u.", "no valid pickle"),
    ],
)
def test_broken_dumps(case: Case, data: bytes, words: str) -> None:
    line = why(case({0: data}))
    assert any(word in line for word in words.split("|")), line


def test_an_empty_dump_beside_others_is_named(case: Case) -> None:
    assert "empty" in why(case({0: b"", 1: GOOD}))


def test_a_huge_file_is_not_read(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(GOOD)
    os.truncate(path, plain.MAX_BYTES + 1)
    assert "larger than" in why(case({}))


def test_control_bytes_are_shown_as_symbols() -> None:
    row = {"collective_seq_id": 1, "profiling_name": "nccl:\x1b[2Jx", "process_group": ("\x1b", "")}
    record = record_of({"entries": [row]}, 0, "f", 0.0)
    assert record.calls[0].operation == "␛[2Jx"
    assert record.calls[0].group == "␛"


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
KEYS = ("frames", "pg_id", "process_group", "collective_seq_id", "p2p_seq_id", "profiling_name",
        "time_created_ns", "input_sizes", "input_dtypes", "state", "retired", "timeout_ms", "is_p2p")  # fmt: skip
ROWS = st.dictionaries(st.sampled_from(KEYS), ODD | st.integers(0, 3) | st.just([[4]]))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.lists(ROWS | ODD, max_size=4), ODD, ODD), min_size=1, max_size=3))
def test_any_value_is_read_or_refused(dumps: list[tuple[Any, Any, Any]]) -> None:
    records = []
    for rank, (entries, status, config) in enumerate(dumps):
        root = {"entries": entries, "pg_status": status, "pg_config": config}
        records.append(record_of(root, rank, "f", 1e9))
    waiting.verdict(records)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([GOOD, GOOD_JSON]),
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6),
    st.integers(0, 4000),
)
def test_any_bytes_are_read_or_refused(
    good: bytes, changes: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(good)
    for place, byte in changes:
        data[place % len(data)] = byte
    with contextlib.suppress(Unreadable):
        root = plain.read_plain(io.BytesIO(bytes(data[: cut or None])))
        waiting.verdict([record_of(root, 0, "f", 1e9)])


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        | st.tuples(inner)
        | st.tuples(inner, inner, inner, inner)
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(PLAIN, st.integers(2, 5))
def test_what_pickle_writes_of_data_is_read_as_it_was(value: Any, protocol: int) -> None:
    wrapped = {"x": value}
    found = plain.read_plain(io.BytesIO(pickle.dumps(wrapped, protocol=protocol)))
    assert repr(found) == repr(wrapped)


@pytest.mark.parametrize("cut", range(2, len(GOOD) - 1, 37))
def test_wherever_a_dump_is_cut_off_it_is_said(cut: int) -> None:
    with pytest.raises(Unreadable, match=f"truncated at byte {cut:,}"):
        plain.read_plain(io.BytesIO(GOOD[:cut]))


def test_a_flood_of_containers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_CONTAINERS", 30_000)
    with pytest.raises(Unreadable, match="too long"):
        plain.read_plain(io.BytesIO(b"\x80\x02" + b"}" * 100_000 + b"."))


def test_numbers_of_any_length_as_keys_or_ids(case: Case) -> None:
    huge = 10**5000
    row = {"collective_seq_id": 1, "pg_id": huge, "profiling_name": "x:y", "timeout_ms": huge}
    root = {"entries": [row], "pg_status": {huge: {}}, "pg_config": {huge: {"ranks": [huge]}}}
    assert case({0: pickle.dumps(root, protocol=2)}).facts
