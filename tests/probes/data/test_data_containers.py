"""Tables, tars and large files of data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from medic.probes.data import data, windows

from medic.probe import Unread

from .records import Look, alpaca, jsonl, prose, run, tar, thresholds


def test_parquet_and_arrow(look: Look, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from importlib import import_module

    parquet = import_module("pyarrow.parquet")
    table = pa.table({"text": [prose(n) for n in range(50)], "label": ["a", "b"] * 25})
    parquet.write_table(table, tmp_path / "train.parquet", row_group_size=20)
    with (
        pa.OSFile(str(tmp_path / "data.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as out,
    ):
        out.write_table(table)
    (tmp_path / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": "data.arrow"}, {"filename": "more.arrow"}]})
    )
    files = {n: (tmp_path / n).read_bytes() for n in ("train.parquet", "data.arrow")}
    told, facts = run(look, dict(files))
    assert {f.format: (f.records, f.whole) for f in facts.files} == {
        "parquet": (50, True), "arrow": (50, True)
    }  # fmt: skip
    assert told["data-file"].outcome == "cut-off"
    assert "more.arrow" in str(facts.files)


def test_samples_of_a_tar(look: Look) -> None:
    good = [(f"a/{n:04d}.{end}", b) for n in range(30)
            for end, b in (("jpg", b"\xff\xd8\xff"), ("txt", prose(n).encode()), ("cls", b"1"))]  # fmt: skip
    long = ("x" * 150 + ".txt", b"a long name")
    told, facts = run(look, {"shard.tar": tar(*good, long)})
    assert told["data-file"].outcome == "readable"
    assert facts.files[0].records == 31
    told, facts = run(look, {"shard.tar": tar(*good, ("b.jpg", b"<html>"), ("b.txt", b"words"))})
    assert told["data-file"].outcome == "broken-records"
    told, _ = run(look, {"shard.tar": tar(*good)[:3000]})
    assert told["data-file"].outcome == "cut-off"


def test_of_a_large_file_head_middle_and_tail_are_read(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "WHOLE", 20_000)
    monkeypatch.setattr(windows, "PART", 5_000)
    records = alpaca(400)
    records[200]["output"] = ""
    records[399]["output"] = ""
    _, facts = run(look, {"train.jsonl": jsonl(records)})
    (fact,) = facts.files
    assert not fact.whole
    assert fact.sampled
    assert 20 < fact.records < 100
    places = fact.notes[0].places
    assert places[-1].startswith("line 400")


def test_what_is_left_out_is_said(look: Look) -> None:
    files: dict[str, str | bytes] = {
        f"train-{n:03d}.jsonl": jsonl(alpaca(2, seed=n)) for n in range(40)
    }
    seen = look(files, facts=[], thresholds=thresholds(), kinds=dict.fromkeys(files, "data"))
    unread = [f for f in data.run(seen) if isinstance(f, Unread)]
    assert "24 of 40" in unread[0].why.en


def test_a_table_of_labelled_rows(look: Look) -> None:
    rows = "".join(f'"{prose(n)}, and ""more""",{"a" if n % 60 else "b"}\n' for n in range(240))
    told, facts = run(look, {"train.csv": "text,label\n" + rows})
    assert facts.files[0].shape == "labelled"
    assert told["data-file"].outcome == "readable"
    assert told["class-balance"].outcome == "one-class-dominates"
    told, _ = run(look, {"train.csv": "text,label\na,b,c\n" + rows})
    assert told["data-file"].source.line == 2


def test_kinds_of_data_files(tmp_path: Path) -> None:
    from medic.case.filekind import kind_of

    known: dict[str, tuple[bytes, str | None]] = {
        "a.csv": (b"text,label\nhello,1\n", "data"),
        "b.csv": (b"step,loss\n1,2.5\n", "metrics"),
        "c.jsonl": (b'{"messages": [{"role": "user"}]}\n', "data"),
        "d.jsonl": (b'{"step": 1, "loss": 2.5, "text": "x"}\n', "metrics"),
        "e.jsonl": (b'{"level": "INFO", "text": "started"}\n', None),
        "f.json": (b'[{"instruction": "a", "output": "b"}]', "data"),
        "g.json": (b'[{"step": 1, "loss": 2.5}]', "metrics"),
        "train.bin": (b"\x01\x00\x02\x00", "data"),
        "model.bin": (b"PK\x03\x04", "checkpoint"),
        "h.parquet": (b"PAR1", "data"),
        "generated_predictions.jsonl": (b'{"prompt": "a", "response": "b"}\n', None),
    }
    for name, (content, kind) in known.items():
        (tmp_path / name).write_bytes(content)
        assert kind_of(str(tmp_path / name)) == kind, name


def test_a_crash_of_the_reader_ends_only_its_own_process(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    from medic.probes.data import apart

    monkeypatch.setattr(apart, "_CHILD", "import os; os.kill(os.getpid(), 11)")
    told, facts = run(look, {"train.parquet": b"PAR1" + bytes(20) + b"PAR1"})
    assert told["data-file"].outcome == "cut-off"
    assert "-11" in str(facts.files[0].notes[0].places[0])
