"""A tokenizer with more tokens than the embedding has rows, beside a lookup that failed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

STEPS = "{'loss': 2.1, 'grad_norm': 0.8, 'learning_rate': 1e-4, 'epoch': 0.1}\n"
FAILED = (
    "Indexing.cu:1292: indexSelectLargeIndex: block: [12,0,0], thread: [0,0,0] Assertion "
    "`srcIndex < srcSelectDimSize` failed.\n"
    "Traceback (most recent call last):\n"
    '  File "/w/train.py", line 88, in <module>\n'
    "    out = model(**batch)\n"
    "RuntimeError: CUDA error: device-side assert triggered\n"
)
SAID = "INFO len(tokenizer) = 32006\n"
MODEL = "INFO model vocab_size: {n}\n"
ADDED = {f"<extra_{n}>": 32000 + n for n in range(6)}


def outcome(folder: Path, files: dict[str, str]) -> str | None:
    for name, text in files.items():
        (folder / name).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    assert session.evidence.runs["tokenizer-size"].state != "failed"
    return next((h.seen.outcome for h in session.found if h.seen.name == "token-ids"), None)


def config(rows: int) -> str:
    return json.dumps({"model_type": "llama", "vocab_size": rows, "hidden_size": 4096})


@pytest.mark.parametrize(
    ("files", "larger"),
    [
        ({"train.log": SAID + MODEL.format(n=32000) + STEPS + FAILED}, True),
        ({"train.log": SAID + STEPS + FAILED, "config.json": config(32000)}, True),
        (
            {
                "train.log": STEPS + FAILED,
                "config.json": config(32000),
                "added_tokens.json": json.dumps(ADDED),
            },
            True,
        ),
        ({"train.log": SAID + MODEL.format(n=32064) + STEPS + FAILED}, False),  # rows were added
        ({"train.log": SAID + MODEL.format(n=32000) + 4 * STEPS}, False),  # nothing failed
    ],
)
def test_sizes_that_are_at_hand(tmp_path: Path, files: dict[str, str], larger: bool) -> None:
    assert (outcome(tmp_path, files) == "tokenizer-larger") is larger


@pytest.mark.parametrize(
    "added",
    [None, "[" * 100_000, json.dumps({"added_tokens_decoder": {"9" * 5000: {}}}), "[]"],
)
def test_tokens_that_cannot_be_read_tell_nothing(tmp_path: Path, added: str | None) -> None:
    folder, file = tmp_path / "run", tmp_path / "run" / "tokenizer_config.json"
    folder.mkdir()
    if added is None:
        os.mkfifo(file)  # nobody writes into it
    else:
        file.write_text(added)
    files = {"train.log": STEPS + FAILED, "config.json": config(32000)}
    assert outcome(folder, files) in (None, "usual")
