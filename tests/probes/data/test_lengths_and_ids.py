"""Lengths, ids, classes and overlap of data files."""

from __future__ import annotations

import array
import struct
from typing import Any

import pytest
from medic.probes.data import tokens

from .records import Look, alpaca, jsonl, prose, run


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
