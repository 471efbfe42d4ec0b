"""A run that names its tokenizer, and the one that its base model was trained with."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import tokenizer_names

from medic.facts import LogHits


def outcome(look: Any, line: str) -> list[str]:
    seen = look({"a.log": f"start\n{line}\n"}, facts=[LogHits()])
    return [one.outcome for one in tokenizer_names.run(seen)]


@pytest.mark.parametrize(
    "line",
    [
        "tokenizer freq-v2 (256 entries), base model trained with bytes-v1",
        "INFO tokenizer: 'meta/llama-2', the checkpoint was saved with meta/llama-3",
        "checkpoint tokenizer: bytes-v1, run tokenizer: freq-v2",
        "Tokenizer=/data/tok/new.json | base checkpoint trained with tokenizer old",
    ],
)
def test_two_tokenizers(look: Any, line: str) -> None:
    assert outcome(look, line) == ["another"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tokenizer bytes-v1 (256 entries), base model trained with bytes-v1", ["same"]),
        ("tokenizer /data/tok/gpt2, base model trained with openai/gpt2", ["same"]),
        ("tokenizer llama-3, base model trained with bf16", []),
        ("tokenizer llama-3, base model trained with 2T tokens", []),
        ("tokenizer: llama-3 loaded, base model trained with the same", []),
        ("model: base, tokenizer: llama-3", []),
    ],
)
def test_one_tokenizer_or_none_told(look: Any, line: str, told: list[str]) -> None:
    assert outcome(look, line) == told
