"""TensorBoard events, W&B runs, MLflow files and W&B exports; broken ones of each."""

from __future__ import annotations

import io
import json
import math
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.curve import curve, framed, tensorboard, trackers, wandb_run

from medic.case.filekind import kind_of
from medic.facts import Curve
from medic.probe import Unread

Look = Callable[..., Any]
FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def bytes_field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def event(step: int, tag: str, value: float, *, tensor: bool = False) -> bytes:
    if tensor:
        body = bytes_field(8, varint(8) + varint(1) + bytes_field(4, struct.pack("<f", value)))
    else:
        body = varint(2 << 3 | 5) + struct.pack("<f", value)
    summary = bytes_field(1, bytes_field(1, tag.encode()) + body)
    return (
        varint(1 << 3 | 1)
        + struct.pack("<d", 1.0)
        + varint(16)
        + varint(step)
        + bytes_field(5, summary)
    )


def framed_event(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return (
        head
        + struct.pack("<I", framed.masked(head))
        + data
        + struct.pack("<I", framed.masked(data))
    )


def events(*found: tuple[int, str, float], **more: Any) -> bytes:
    version = framed_event(
        varint(1 << 3 | 1) + struct.pack("<d", 1.0) + bytes_field(3, b"brain.Event:2")
    )
    return version + b"".join(framed_event(event(*e, **more)) for e in found)


def wandb(*rows: dict[str, Any]) -> bytes:
    data = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for row in rows:
        items = b"".join(
            bytes_field(1, bytes_field(1, k.encode()) + bytes_field(16, json.dumps(v).encode()))
            for k, v in row.items()
        )
        put(data, bytes_field(2, items))
    return bytes(data)


def put(data: bytearray, record: bytes) -> None:
    """One record, in parts where a block of 32 KiB ends."""
    first = True
    while True:
        room = framed.BLOCK - len(data) % framed.BLOCK
        if room < framed.HEADER:
            data += b"\0" * room
            continue
        part, record = record[: room - framed.HEADER], record[room - framed.HEADER :]
        kind = (1 if not record else 2) if first else (4 if not record else 3)
        told = zlib.crc32(part, zlib.crc32(bytes([kind])))
        data += struct.pack("<IHB", told, len(part), kind) + part
        first = False
        if not record:
            return


def read(look: Any) -> tuple[Curve | None, list[str]]:
    found = list(curve.run(look))
    made = next((f for f in found if isinstance(f, Curve)), None)
    return made, [f.why.en for f in found if isinstance(f, Unread)]


def test_crc32c_is_castagnoli() -> None:
    assert framed.crc32c(b"123456789") == 0xE3069283


@pytest.mark.parametrize("tensor", [False, True])
def test_events_of_tensorboard(look: Look, tensor: bool) -> None:
    data = events(
        *[(s, "train/loss", 3.0 - s / 10) for s in range(1, 6)],
        (5, "eval/loss", 2.75), (5, "other/thing", 1.0), tensor=tensor,
    )  # fmt: skip
    found, told = read(look({"runs/events.out.tfevents.100.host.1.0": data}))
    assert found is not None
    assert not told
    assert found.series["loss"].steps == (1, 2, 3, 4, 5)
    assert found.series["eval_loss"].values == (2.75,)


def test_events_of_another_run_in_the_same_folder_are_no_restart(look: Look) -> None:
    first = events(*[(s, "train/loss", 6.0) for s in range(1, 9)])
    second = events(*[(s, "train/loss", 3.0) for s in range(1, 6)])
    held = events(*[(s, "eval/loss", 3.5) for s in range(1, 6)])  # a second writer of that run
    made = {"100.a": first, "200.a": second, "200.b": held}
    found, _ = read(look({f"tb/events.out.tfevents.{n}": data for n, data in made.items()}))
    assert found is not None
    assert found.series["loss"].values == (3.0,) * 5
    assert found.series["eval_loss"].values == (3.5,) * 5
    assert (found.resumed_at, found.replaced) == ((), ())


def test_a_folder_of_events_is_one_run_that_was_restarted(look: Look) -> None:
    first = events(*[(s, "loss", 3.0) for s in range(1, 6)])
    second = events(*[(s, "loss", 2.0) for s in range(4, 9)])
    found, _ = read(
        look({"tb/events.out.tfevents.100.a": first, "tb/events.out.tfevents.200.a": second})
    )
    assert found is not None
    assert found.series["loss"].values == (3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0)
    assert found.resumed_at == (4,)
    assert found.replaced[0].steps == (4, 5)


def test_a_metric_that_is_logged_by_epoch_is_no_restart(look: Look) -> None:
    found = []
    for epoch in range(1, 6):
        found += [(s, "loss", 2.0) for s in range(100 * epoch - 99, 100 * epoch + 1)]
        found.append((epoch, "epoch/accuracy", 0.5))
    made, _ = read(look({"events.out.tfevents.1.a": events(*found)}))
    assert made is not None
    assert made.resumed_at == ()
    assert len(made.series["loss"].steps) == 500


def test_events_that_break_off_or_were_changed(look: Look) -> None:
    data = events(*[(s, "loss", 3.0) for s in range(1, 20)])
    made, told = read(look({"events.out.tfevents.1.a": data[:-9]}))
    assert made is not None
    assert len(made.series["loss"].steps) == 18
    assert "cut off" in told[0]
    at = data.rfind(b"loss")
    made, told = read(look({"events.out.tfevents.1.a": data[:at] + b"lost" + data[at + 4 :]}))
    assert made is not None
    assert len(made.series["loss"].steps) == 18
    assert "checksum" in told[0]


def test_bytes_that_are_no_records_are_told_and_passed_over(look: Look) -> None:
    data = events(*[(s, "loss", 3.0) for s in range(1, 20)])
    one = len(framed_event(event(1, "loss", 3.0)))
    begin, end = data[: -9 * one], data[-9 * one :]
    for junk in (b"\0" * 5000, b"\xff" * 70, b"step 1 loss 2\n" * 99, b"\1\0\0\0\0\0\0\0" * 9):
        made, told = read(look({"events.out.tfevents.1.a": begin + junk + end}))
        assert made is not None
        assert list(made.series["loss"].steps) == list(range(1, 20))
        assert "are no records" in told[0]
    made, told = read(look({"events.out.tfevents.1.a": begin + b"\xff" * 5000}))
    assert made is not None
    assert len(made.series["loss"].steps) == 10


def test_the_history_of_wandb(look: Look) -> None:
    rows = [{"_step": s, "train/loss": 3.0 - s / 1000, "note": "x" * 900} for s in range(1, 101)]
    made, told = read(look({"run-1.wandb": wandb(*rows)}))
    assert made is not None
    assert not told
    assert made.series["loss"].steps == tuple(range(1, 101))


def test_a_wandb_file_that_breaks_off(look: Look) -> None:
    rows = [{"_step": s, "loss": 3.0, "note": "x" * 900} for s in range(1, 101)]
    made, told = read(look({"run-1.wandb": wandb(*rows)[:-20]}))
    assert made is not None
    assert len(made.series["loss"].steps) == 99
    assert "cut off" in told[0]


def test_an_export_of_wandb_and_a_file_of_mlflow(look: Look) -> None:
    table = '"Step","a-run - train/loss","a-run - train/loss__MIN"\n1,2.5,0.1\n2,2.25,0.1\n'
    made, _ = read(look({"export.csv": table}))
    assert made is not None
    assert made.series["loss"].values == (2.5, 2.25)
    lines = "".join(f"170000000000{n} {3 - n / 10} {n}\n" for n in range(1, 4))
    made, _ = read(look({"mlruns/0/abc/metrics/loss": lines}))
    assert made is not None
    assert made.series["loss"].steps == (1, 2, 3)


def test_the_load_of_each_expert(look: Look) -> None:
    rows = [
        {"step": s, **{f"moe/expert_{e}_load": 8.0 if e else 24.0 for e in range(4)}}
        for s in (1, 2)
    ]
    made, _ = read(look({"metrics.jsonl": "\n".join(map(json.dumps, rows))}))
    assert made is not None
    assert made.series["expert_ratio"].values == (2.0, 2.0)


def test_kinds_of_tracker_files(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    for name, data in (
        ("events.out.tfevents.1.host", events((1, "loss", 1.0))),
        ("run.wandb", wandb()),
        ("metrics/loss", b"1700000000001 2.5 1\n"),
    ):
        (tmp_path / name).write_bytes(data)
        assert kind_of(str(tmp_path / name)) == "metrics"


# --- hostile bytes ------------------------------------------------------------------------------


@given(st.binary(max_size=400), st.integers(0, 300), st.integers(0, 255))
@FUZZ
def test_changed_bytes_end_quietly(noise: bytes, at: int, byte: int) -> None:
    good = events(*[(s, "loss", float(s)) for s in range(6)])
    changed = good[:at] + bytes([byte]) + good[at + 1 :]
    for data in (noise, good + noise, changed):
        framing = framed.Framing()
        for step, tag, value in tensorboard.scalars(io.BytesIO(data), len(data), framing):
            assert isinstance(step, int)
            assert isinstance(tag, str)
            assert isinstance(value, float)
    run = wandb(*[{"_step": s, "loss": s} for s in range(6)])
    for data in (
        noise,
        run + noise,
        run[:at] + bytes([byte]) + run[at + 1 :],
        b":W&B\0\0\0" + noise,
    ):
        rows = list(wandb_run.history(io.BytesIO(data), len(data), framed.Framing()))
        assert all(isinstance(row, dict) for row in rows)


@given(st.binary(min_size=1, max_size=200))
@FUZZ
def test_any_protobuf_gives_numbers_or_nothing(data: bytes) -> None:
    wrapped = framed_event(bytes_field(5, bytes_field(1, data)))
    found = list(tensorboard.scalars(io.BytesIO(wrapped), len(wrapped), framed.Framing()))
    assert all(isinstance(v, float) or math.isnan(v) for _, _, v in found)


def test_a_claimed_length_is_not_read() -> None:
    head = struct.pack("<Q", 1 << 50)
    data = head + struct.pack("<I", framed.masked(head)) + b"x"
    framing = framed.Framing()
    assert not list(framed.tfrecords(io.BytesIO(data), len(data), framing))
    assert framing.problem is not None
    assert "cut off" in framing.problem.en
    assert trackers.kind(data[:12]) == "events"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("events.out.tfevents.17.host", bytes(range(1, 200))),
        ("run-x.wandb", bytes(range(1, 200))),
        ("metrics.jsonl", b'"loss" is no record\n'),
    ],
)
def test_bytes_that_are_no_metrics_are_not_read(look: Look, name: str, content: bytes) -> None:
    seen = look({name: content})
    unread = [i for i in curve.run(seen) if isinstance(i, Unread)]
    assert len(unread) == 1
    assert not unread[0].partly
