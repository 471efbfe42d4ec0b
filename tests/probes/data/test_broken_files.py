"""Data files that are broken, hostile or empty."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.data import items, tars, tokens

from .records import Look, alpaca, jsonl, run, tar


def test_broken_lines_have_their_numbers(look: Look) -> None:
    text = jsonl(alpaca(3)) + '{"instruction": "a, "output": 1}\n' + jsonl(alpaca(2)) + "[1, 2]\n"
    told, facts = run(look, {"train.jsonl": text})
    assert told["data-file"].outcome == "broken-records"
    assert told["data-file"].source.line == 4
    assert [n.places[0][:7] for n in facts.files[0].notes] == ["line 4:", "line 7:"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.jsonl", jsonl(alpaca(3)) + '{"instruction": "cut'),
        ("train.json", json.dumps(alpaca(3))[:-40]),
        ("train.jsonl.gz", gzip.compress(jsonl(alpaca(300)).encode())[:-30]),
        ("train.parquet", b"PAR1" + bytes(100)),
        ("train.arrow", b"\xff\xff\xff\xff\x10"),
        ("shard.tar", bytes(257) + b"ustar" + bytes(300)),
    ],
)
def test_files_that_break_off(look: Look, name: str, content: str | bytes) -> None:
    pytest.importorskip("pyarrow") if name.endswith(".arrow") else None
    told, _ = run(look, {name: content})
    assert told["data-file"].outcome in ("cut-off", "broken-records")


def test_bytes_that_are_no_utf_8(look: Look) -> None:
    text = jsonl(alpaca(2)).encode() + '{"text": "é"}\n'.encode("latin-1")
    told, facts = run(look, {"train.jsonl": text})
    assert facts.files[0].notes[0].kind == "not-utf-8"
    assert told["data-file"].source.line == 3


def test_a_column_that_changes_its_type(look: Look) -> None:
    records: list[dict[str, Any]] = [
        {"question": f"what is {n}", "answer": "four"} for n in range(30)
    ]
    records[20]["answer"] = 4
    told, _ = run(look, {"train.jsonl": jsonl(records)})
    assert told["data-columns"].outcome == "types-differ"
    assert told["data-columns"].source.line == 21
    records[20]["answer"] = None
    assert run(look, {"train.jsonl": jsonl(records)})[0]["data-columns"].outcome == "uniform"


def test_files_of_a_set_with_other_columns(look: Look) -> None:
    other = [{**r, "meta": "x"} for r in alpaca(5, seed=99)]
    files = {"d/train-1.jsonl": jsonl(alpaca(5)), "d/train-2.jsonl": jsonl(other)}
    told, _ = run(look, files)
    assert told["data-columns"].outcome == "files-differ"
    assert told["data-columns"].value["more"] == "meta"


FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TAR = tar(("a.txt", b"hello"), ("b.json", b"{}"))


@given(st.binary(max_size=300), st.integers(0, len(TAR) - 1), st.integers(0, 255))
@FUZZ
def test_any_bytes_are_read_or_noted(noise: bytes, at: int, byte: int) -> None:
    changed = TAR[:at] + bytes([byte]) + TAR[at + 1 :]
    for raw in (noise, changed, TAR + noise):
        assert all(isinstance(i, items.Item) for i in tars.of_tar(io.BytesIO(raw), len(raw)).items)
    for raw in (noise, b"[" + noise, b"[{" + noise):
        for opened in (
            items.of_lines(io.BytesIO(raw), len(raw), packed=False),
            items.of_array(io.BytesIO(raw), len(raw)),
        ):
            assert all(isinstance(i, items.Item) for i in opened.items)
    index = tokens.read_index(io.BytesIO(tokens.MAGIC + noise), 9 + len(noise))
    assert index.problem or index.sequences >= 0


def test_terminal_escapes_do_not_pass(look: Look) -> None:
    rows = [{"\x1b[31mtext": "x", "text": "\x1b[2J" * 3, "label": "\x1b]0;a\x07"} for _ in range(3)]
    _, facts = run(look, {"train.jsonl": jsonl(rows)})
    (fact,) = facts.files
    shown = "".join([*fact.columns, *fact.labels, *(p for n in fact.notes for p in n.places)])
    assert "\x1b" not in shown


def test_a_hole_in_a_file_is_told(look: Look) -> None:
    text = jsonl(alpaca(5)).encode() + bytes(5_000)
    told, _ = run(look, {"train.jsonl": text})
    assert told["data-file"].outcome == "cut-off"


@pytest.mark.parametrize("name", ["train.jsonl", "train.parquet", "shard.tar"])
def test_a_pointer_in_the_place_of_the_file(look: Look, name: str) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 99\n"
    told, facts = run(look, {name: pointer})
    assert told["data-file"].outcome == "cut-off"
    assert facts.files[0].notes[0].kind == "pointer"


@pytest.mark.parametrize(
    "name", ["train.jsonl", "train.csv", "train.txt", "train.json", "train.bin", "train.jsonl.gz"]
)
@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_records_is_not_readable_data(look: Look, name: str, content: bytes) -> None:
    if name.endswith((".bin", ".gz")) and content:
        return
    told, facts = run(look, {name: content})
    (kind,) = [n.kind for n in facts.files[0].notes]
    assert (kind, told["data-file"].outcome) in (("no-records", "empty"), ("cut-off", "cut-off"))


def test_names_without_rows_are_no_records(look: Look) -> None:
    told, _ = run(look, {"train.csv": "text,label\n"})
    assert told["data-file"].outcome == "empty"


def test_an_empty_part_of_the_data_is_not_all_of_it(look: Look) -> None:
    parts = {"train-00000.jsonl": "", "train-00001.jsonl": '{"text": "one line of text"}\n'}
    assert run(look, parts)[0]["data-file"].outcome == "cut-off"
    held = {"train.jsonl": parts["train-00001.jsonl"], "validation.jsonl": ""}
    assert run(look, held)[0]["data-file"].outcome == "cut-off"


@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_quote_that_is_never_closed_is_told_where_it_opens(look: Look, rows: int) -> None:
    """It takes all rows behind it into one cell: readers of tables refuse the file or lose them."""
    after = "plain words,1\n" * rows
    told, _ = run(look, {"train.csv": f'text,label\nhello,1\n"never closed,0\n{after}'})
    assert told["data-file"].outcome == "broken-records"
    assert told["data-file"].source.line == 3


def test_quotes_that_close_are_fine(look: Look) -> None:
    rows = '"two\nlines, ""quoted""",1\n5" pipe,2\n"odd" end,3\n' * 9
    told, _ = run(look, {"train.csv": "text,label\n" + rows + '"last\nrow",1'})
    assert told["data-file"].outcome == "readable"
