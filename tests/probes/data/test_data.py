"""Texts and conversations of data files: what is told of broken ones, and that healthy ones stay silent."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.data import texts

from medic.index.knowledge import load
from medic.probe import Finding

from .records import Look, alpaca, jsonl, prose, run


def chat(*roles: str, text: str = "hello there") -> dict[str, Any]:
    return {"messages": [{"role": r, "content": f"{text} {n}"} for n, r in enumerate(roles)]}


def abnormal(told: dict[str, Finding]) -> dict[str, str]:
    checks = load().checks
    return {n: f.outcome for n, f in told.items() if not checks[n].outcomes[f.outcome].normal}


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
