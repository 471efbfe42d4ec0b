"""Data files of every kind: what is told of broken ones, and that healthy ones stay silent."""

from __future__ import annotations

import array
import base64
import gzip
import io
import json
import random
import struct
import tarfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.data import data, items, tars, texts, tokens, windows

from medic.facts import DataSets
from medic.index.knowledge import load
from medic.probe import Finding, Unread
from medic.run_config import Origin, RunConfig, Value

Look = Callable[..., Any]
WORDS = [
    f"{a}{b}" for a in ("tra", "mo", "le", "gra", "ba", "sto") for b in ("in", "del", "ns", "ft")
]


@lru_cache(maxsize=1)
def thresholds() -> dict[str, float]:
    return {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}


def prose(seed: int, count: int = 40) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) + str(rng.randrange(99)) for _ in range(count))


def jsonl(records: Sequence[Any]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)


def alpaca(count: int, seed: int = 0) -> list[dict[str, str]]:
    return [
        {"instruction": prose(seed + n, 8), "input": "", "output": prose(seed + n + 10**6)}
        for n in range(count)
    ]


def chat(*roles: str, text: str = "hello there") -> dict[str, Any]:
    return {"messages": [{"role": r, "content": f"{text} {n}"} for n, r in enumerate(roles)]}


def run(
    look: Look, files: Mapping[str, str | bytes], **config: Any
) -> tuple[dict[str, Finding], Any]:
    stated = RunConfig({k: Value(v, Origin("given")) for k, v in config.items()})
    ids = {name.removesuffix(".idx") + ".bin" for name in files if name.endswith(".idx")}
    kinds = {n: "data" for n in files if not n.startswith("bench") and n not in ids}
    kinds |= dict.fromkeys(ids, "note")
    kinds |= {name: "benchmark" for name in files if name.startswith("bench")}
    seen = look(files, facts=[stated], thresholds=thresholds(), kinds=kinds)
    found = list(data.run(seen))
    told = {f.name: f for f in found if isinstance(f, Finding)}
    return told, next((f for f in found if isinstance(f, DataSets)), None)


def abnormal(told: dict[str, Finding]) -> dict[str, str]:
    checks = load().checks
    return {n: f.outcome for n, f in told.items() if not checks[n].outcomes[f.outcome].normal}


# --- healthy ------------------------------------------------------------------------------------


def test_healthy_sets_of_each_shape_show_nothing(look: Look) -> None:
    rng = random.Random(1)
    files = {
        "a/train.jsonl": jsonl(alpaca(200)),
        "a/val.json": json.dumps(alpaca(40, seed=5000)),
        "b/train.jsonl": jsonl([chat(*["user", "assistant"] * rng.randint(1, 3), text=prose(n)) for n in range(60)]),
        "c/train.jsonl": jsonl([{"text": prose(n, 300)} for n in range(9000, 9060)]),
        "d/train.jsonl": jsonl(
            [{"prompt": prose(n), "chosen": prose(n + 1), "rejected": prose(n + 2)} for n in range(0, 90, 3)]
        ),
        "e/train.jsonl": jsonl([{"text": prose(n), "label": n % 3} for n in range(150)]),
        "f/train.jsonl": jsonl(
            [{"input_ids": [rng.randrange(32_000) for _ in range(50)], "labels": [-100, *range(49)]} for _ in range(30)]
        ),
    }  # fmt: skip
    told, facts = run(look, files, sequence_length=2048, vocab_size=32_000)
    assert not abnormal(told)
    assert len(facts.files) == 7
    assert {f.shape for f in facts.files} == {
        "prompt-answer", "chat", "text", "preference", "labelled", "token-ids"
    }  # fmt: skip


@given(st.lists(st.text(min_size=1, max_size=80), min_size=30, max_size=60))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_lines_of_any_text_are_records(look: Look, found: list[str]) -> None:
    records = [{"instruction": "say it", "output": f"words {text}"} for text in found]
    told, facts = run(look, {"train.jsonl": jsonl(records)})
    assert told["data-file"].outcome == "readable"
    assert facts.files[0].records == len(records)


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Ordinary words.", "C'est déjà l'été à Noël — naïve façade", "中文文本没有问题。训练数据质量很好",
        "日本語のテキストです", "Ärger über Öl, 5 €", "a" * 400, "x = [1, 2, 3]\n\treturn x", "👍", "42",
        "Привет, мир", "한국어", "ACGT" * 100, "-" * 200, "x² ≤ y³ ± ½", "Â quoi bon",
        "https://example.org/" + "path/" * 30,
    ],
)  # fmt: skip
def test_what_people_write_is_no_fault(text: str) -> None:
    assert texts.fault_of(text) == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty"), (" \n\t", "empty"), ("\x00\x01\x02", "control-only"), ("\u200b\ufeff", "control-only"),
        (base64.b64encode(bytes(range(256))).decode(), "base64-like"), (bytes(range(200)).hex(), "base64-like"),
        ("café déjà vu".encode().decode("latin-1"), "garbled"),
        ("It’s “so” — isn’t it".encode().decode("cp1252", "replace"), "garbled"),
        ("这是一个测试文本质量很好".encode().decode("gbk", "replace"), "garbled"),
        ("锟斤拷锟斤拷 text", "garbled"), (bytes(range(1, 200)).decode("latin-1"), "binary-like"),
    ],
)  # fmt: skip
def test_what_no_person_wrote(text: str, fault: str) -> None:
    assert texts.fault_of(text) == fault


def test_empty_and_garbled_answers_are_counted(look: Look) -> None:
    records = alpaca(100)
    for n in (3, 40, 77):
        records[n]["output"] = "  "
    told, facts = run(look, {"train.jsonl": jsonl(records)})
    assert told["data-texts"].outcome == "some-empty"
    assert told["data-texts"].source.line == 4
    assert facts.files[0].notes[0].count == 3
    for n in range(0, 100, 3):
        records[n]["output"] = "é à ü".encode().decode("latin-1") * 9
    assert run(look, {"train.jsonl": jsonl(records)})[0]["data-texts"].outcome == "largely-unusable"


def test_one_odd_text_in_many_is_noted_and_no_finding(look: Look) -> None:
    records = alpaca(1000)
    records[500]["output"] = ""
    told, facts = run(look, {"train.jsonl": jsonl(records)})
    assert told["data-texts"].outcome == "usable"
    assert facts.files[0].notes[0].kind == "empty-answer"


# --- broken files -------------------------------------------------------------------------------


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


# --- conversations ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "wrong"),
    [
        (("user", "assistant"), False),
        (("system", "user", "assistant", "user", "assistant"), False),
        (("human", "gpt"), False),
        (("user", "assistant", "tool", "assistant"), False),
        (("user", "user", "assistant"), True),
        (("user", "assistant", "assistant"), True),
        (("assistant", "user"), True),
        (("user",), True),
        (("user", "robot"), True),
        (("user", "system", "assistant"), True),
    ],
)
def test_orders_of_roles(look: Look, roles: tuple[str, ...], wrong: bool) -> None:
    told, _ = run(look, {"train.jsonl": jsonl([chat(*roles), chat("user", "assistant")])})
    assert told["conversation-roles"].outcome == ("out-of-order" if wrong else "in-order")


def test_an_empty_answer_unless_it_calls_a_tool(look: Look) -> None:
    row = chat("user", "assistant")
    row["messages"][1]["content"] = ""
    told, _ = run(look, {"train.jsonl": jsonl([row])})
    assert told["conversation-roles"].outcome == "out-of-order"
    row["messages"][1]["tool_calls"] = [{"name": "f"}]
    told, _ = run(look, {"train.jsonl": jsonl([row])})
    assert told["conversation-roles"].outcome == "in-order"


# --- lengths, ids, classes ----------------------------------------------------------------------


def test_prompts_that_fill_the_sequence(look: Look) -> None:
    records = alpaca(40)
    for n in range(30):
        records[n]["instruction"] = prose(n, 4000)
    told, facts = run(look, {"train.jsonl": jsonl(records)}, sequence_length=512)
    assert told["sample-lengths"].outcome == "most-answers-cut"
    assert facts.files[0].no_answer_left == 30
    told, _ = run(look, {"train.jsonl": jsonl(records)}, sequence_length=65_536)
    assert told["sample-lengths"].outcome == "within"
    told, _ = run(look, {"train.jsonl": jsonl(records)})
    assert "sample-lengths" not in told


def test_long_plain_text_is_cut_into_blocks_anyway(look: Look) -> None:
    books = [{"text": prose(n, 3000)} for n in range(30)]
    told, facts = run(look, {"train.jsonl": jsonl(books)}, sequence_length=512)
    assert "sample-lengths" not in told
    assert facts.files[0].beyond_limit == 30


def test_labels_that_are_all_masked_after_the_cut(look: Look) -> None:
    rows = [{"input_ids": [1] * 80, "labels": [-100] * 60 + [2] * 20} for _ in range(30)]
    told, _ = run(look, {"train.jsonl": jsonl(rows)}, sequence_length=50, vocab_size=100)
    assert told["sample-lengths"].outcome == "most-answers-cut"
    told, _ = run(look, {"train.jsonl": jsonl(rows)}, sequence_length=100, vocab_size=100)
    assert told["sample-lengths"].outcome == "within"


@pytest.mark.parametrize(
    ("masked", "outcome"), [(20, "most-without"), (3, "some-without"), (0, "counted")]
)
def test_samples_without_a_label_need_no_sequence_length(
    look: Look, masked: int, outcome: str
) -> None:
    rows = [{"input_ids": [1] * 8, "labels": [-100] * 8} for _ in range(masked)]
    rows += [{"input_ids": [1] * 8, "labels": [-100] * 7 + [2]} for _ in range(30 - masked)]
    told, _ = run(look, {"train.jsonl": jsonl(rows)})
    assert told["labels-in-data"].outcome == outcome


def megatron(documents: list[list[int]], code: str = "H") -> dict[str, bytes]:
    width, number = {"H": (2, 8), "i": (4, 4)}[code]
    starts = [0]
    for d in documents:
        starts.append(starts[-1] + len(d) * width)
    count = len(documents)
    index = struct.pack("<9sQBQQ", tokens.MAGIC, 1, number, count, count + 1)
    index += struct.pack(f"<{count}i", *map(len, documents)) + struct.pack(
        f"<{count}q", *starts[:-1]
    )
    index += struct.pack(f"<{count + 1}q", *range(count + 1))
    ids = b"".join(array.array(code, d).tobytes() for d in documents)
    return {"corpus.idx": index, "corpus.bin": ids}


@pytest.mark.parametrize("code", ["H", "i"])
def test_ids_of_megatron_beyond_the_vocabulary(look: Look, code: str) -> None:
    files: Any = megatron([[1, 2, 3], [4, 99], [5]], code)
    told, facts = run(look, files, vocab_size=64)
    assert told["token-ids"].outcome == "beyond-vocabulary"
    assert told["token-ids"].value["place"] == "token 5"
    assert facts.files[0].records == 3
    assert run(look, files, vocab_size=128)[0]["token-ids"].outcome == "within-vocabulary"
    assert "token-ids" not in run(look, files)[0]


def test_a_megatron_pair_that_does_not_fit(look: Look) -> None:
    files: Any = megatron([[1, 2, 3], [4, 5]])
    told, _ = run(look, {"corpus.idx": files["corpus.idx"], "corpus.bin": files["corpus.bin"][:-2]})
    assert told["data-file"].outcome == "cut-off"
    told, _ = run(look, {"corpus.idx": files["corpus.idx"][:-9], "corpus.bin": files["corpus.bin"]})
    assert told["data-file"].outcome == "cut-off"


def test_bare_ids_in_two_or_four_bytes(look: Look) -> None:
    ids = [n % 50_257 for n in range(5000)]
    told, facts = run(look, {"train.bin": array.array("H", ids).tobytes()}, vocab_size=50_257)
    assert told["token-ids"].outcome == "within-vocabulary"
    told, facts = run(
        look, {"train.bin": array.array("I", [*ids, 128_300]).tobytes()}, vocab_size=128_256
    )
    assert told["token-ids"].value["largest"] == "128,300"
    assert "uint32" in facts.files[0].unit.en


def test_one_class_that_has_nearly_all_rows(look: Look) -> None:
    rows = [{"text": prose(n), "label": "spam" if n % 50 == 0 else "ham"} for n in range(200)]
    told, _ = run(look, {"train.jsonl": jsonl(rows)})
    assert told["class-balance"].outcome == "one-class-dominates"
    assert told["class-balance"].value["rare"] == "spam"


def test_samples_that_repeat(look: Look) -> None:
    told, _ = run(look, {"train.jsonl": jsonl(alpaca(30) * 3)})
    assert told["repeated-samples"].outcome == "many"


# --- overlap ------------------------------------------------------------------------------------


def test_validation_in_training_word_for_word(look: Look) -> None:
    train, val = alpaca(100), alpaca(30, seed=9000)
    files = {"train.jsonl": jsonl(train), "val.jsonl": jsonl([*val, *train[10:15]])}
    told, _ = run(look, files)
    assert told["overlap-with-training"].outcome == "same-documents"
    assert told["overlap-with-training"].value["count"] == "5"
    files["val.jsonl"] = jsonl(val)
    assert run(look, files)[0]["overlap-with-training"].outcome == "none"


def test_token_ids_that_are_in_both(look: Look) -> None:
    rows = [{"input_ids": [(7 * n + k) % 250 for k in range(40)]} for n in range(50)]
    files = {"train.jsonl": jsonl(rows[:40]), "val.jsonl": jsonl(rows[30:])}
    told, facts = run(look, files)
    assert told["overlap-with-training"].outcome == "same-documents"
    assert told["overlap-with-training"].value["count"] == "10"
    assert "nearly" not in facts.compared.en  # of ids no near-duplicates are looked for
    files["val.jsonl"] = jsonl(rows[40:])
    assert run(look, files)[0]["overlap-with-training"].outcome == "none"


def test_near_duplicates(look: Look) -> None:
    pytest.importorskip("datasketch")
    train = [{"text": prose(n, 120)} for n in range(50)]
    val = [{"text": prose(n, 120)} for n in range(7000, 7020)]
    for n in range(4):
        val[n]["text"] = train[n]["text"] + " and more"
    told, facts = run(look, {"train.jsonl": jsonl(train), "val.jsonl": jsonl(val)})
    assert told["overlap-with-training"].outcome == "same-documents"
    assert "4 nearly" in told["overlap-with-training"].value["others"].en
    assert "nearly" in facts.compared.en


def test_items_of_a_benchmark(look: Look) -> None:
    train = [{"text": prose(n, 100)} for n in range(40)]
    question = prose(3, 100).split()
    bench = jsonl([{"question": " ".join(question[20:50])}, {"question": prose(12_345, 30)}])
    told, _ = run(look, {"train.jsonl": jsonl(train), "bench.jsonl": bench})
    assert told["overlap-with-training"].outcome == "benchmark-items"
    assert told["overlap-with-training"].value["count"] == "1"
    clean = jsonl([{"question": prose(n, 30)} for n in range(60_000, 60_010)])
    told, _ = run(look, {"train.jsonl": jsonl(train), "bench.jsonl": clean})
    assert told["overlap-with-training"].outcome == "none"


# --- tables and tars ----------------------------------------------------------------------------


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


def tar(*members: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as file:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return made.getvalue()


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


# --- large files --------------------------------------------------------------------------------


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


# --- hostile bytes ------------------------------------------------------------------------------

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
