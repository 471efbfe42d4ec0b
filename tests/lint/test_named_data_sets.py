"""Data sets that a configuration names, against those that lie beside it."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint

NAMES = ("data-set-not-found", "column-names-not-mapped")
FACTORY = (
    "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
    "dataset: {name}\ntemplate: qwen\noutput_dir: out\nlearning_rate: 1.0e-4\n"
)
AXOLOTL = (
    "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: data/rows.jsonl\n    {kind}\n"
    "sequence_len: 2048\nmicro_batch_size: 1\nnum_epochs: 1\nlearning_rate: 2.0e-5\n"
)
CHAT = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
ALPACA = {"instruction": "q", "input": "", "output": "a"}


def _told(tmp_path: Path, config: str, files: dict[str, str]) -> list[tuple[str, str, int]]:
    for name, text in {"run.yaml": config, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = lint(collect([str(tmp_path / "run.yaml")]), load()).findings
    return [(f.name, PurePath(f.file).name, f.line) for f in found if f.name in NAMES]


@pytest.mark.parametrize(
    ("name", "fires"), [("mine", False), ("mine,other", False), ("mine, their", True)]
)
def test_the_list_of_llama_factory(tmp_path: Path, name: str, fires: bool) -> None:
    info = {"mine": {"file_name": "a.json"}, "other": {"hf_hub_url": "a/b"}}
    files = {"data/dataset_info.json": json.dumps(info)}
    told = _told(tmp_path, FACTORY.format(name=name), files)
    assert told == ([("data-set-not-found", "run.yaml", 5)] if fires else [])


def test_no_list_beside_says_nothing(tmp_path: Path) -> None:
    assert _told(tmp_path, FACTORY.format(name="mine"), {}) == []
    other = FACTORY.format(name="mine") + "dataset_dir: ONLINE\n"
    assert _told(tmp_path, other, {"data/dataset_info.json": "{}"}) == []


SHAREGPT = {"file_name": "a.json", "formatting": "sharegpt"}


@pytest.mark.parametrize(
    ("entry", "row", "line"),
    [
        ({"file_name": "a.json"}, ALPACA, 0),
        ({"file_name": "a.json"}, CHAT, 5),
        ({"file_name": "a.json", "columns": {"prompt": "instruction"}}, ALPACA, 0),
        ({"file_name": "a.json", "columns": {"prompt": "question"}}, ALPACA, 1),
        ({"file_name": "absent.json", "columns": {"prompt": "question"}}, ALPACA, 0),
        ({**SHAREGPT, "columns": {"messages": "messages"}}, CHAT, 5),  # role and content
        (
            {**SHAREGPT, "columns": {"messages": "messages"},
             "tags": {"role_tag": "role", "content_tag": "content"}},
            CHAT,
            0,
        ),
        ({**SHAREGPT, "columns": {"messages": "conversations"}}, CHAT, 1),
    ],
)  # fmt: skip
def test_columns_of_llama_factory(
    tmp_path: Path, entry: dict[str, Any], row: dict[str, Any], line: int
) -> None:
    files = {
        "data/dataset_info.json": json.dumps({"mine": entry}),
        "data/a.json": json.dumps([row, row]),
    }
    told = _told(tmp_path, FACTORY.format(name="mine"), files)
    assert {(name, place) for name, _, place in told} == (
        {("column-names-not-mapped", line)} if line else set()
    )


@pytest.mark.parametrize(
    ("kind", "row", "line"),
    [
        ("type: alpaca", ALPACA, 0),
        ("type: alpaca", CHAT, 4),
        ("type: completion", {"text": "a"}, 0),
        ("type: completion\n    field: body", {"text": "a"}, 5),
        ("type: chat_template", CHAT, 0),
        ("type: chat_template\n    field_messages: conversations", CHAT, 5),
        ("type: chat_template\n    message_property_mappings:\n      role: from", CHAT, 6),
        ("type: chat_template\n    message_property_mappings:\n      role: role", CHAT, 0),
        ("type:\n      field_instruction: q\n      field_output: a", {"q": "1", "a": "2"}, 0),
        ("type:\n      field_instruction: q\n      field_output: b", {"q": "1", "a": "2"}, 6),
        ("type: pygmalion", {"x": 1}, 0),
    ],
)
def test_fields_of_axolotl(tmp_path: Path, kind: str, row: dict[str, Any], line: int) -> None:
    files = {"data/rows.jsonl": f"{json.dumps(row)}\n" * 3}
    told = _told(tmp_path, AXOLOTL.format(kind=kind), files)
    assert {place for _, _, place in told} == ({line} if line else set())


def test_a_column_of_a_later_row_is_there(tmp_path: Path) -> None:
    rows = f"{json.dumps({'text': 'a'})}\n{json.dumps({'text': 'b', 'body': 'c'})}\n"
    config = AXOLOTL.format(kind="type: completion\n    field: body")
    assert _told(tmp_path, config, {"data/rows.jsonl": rows}) == []


@pytest.mark.parametrize("text", ["", "not json", "{", "[" * 5000, '["a"]'])
def test_what_is_no_list_of_rows_says_nothing(tmp_path: Path, text: str) -> None:
    config = AXOLOTL.format(kind="type: completion")
    assert _told(tmp_path, config, {"data/rows.jsonl": text}) == []
