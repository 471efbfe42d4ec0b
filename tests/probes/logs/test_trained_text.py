"""What is trained of a sample, as a program prints it below the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

ROWS = "".join(f"step {n}/400 loss={2 - n / 400:.3f} lr=1e-4\n" for n in range(10, 401, 10))
WHOLE = "'<|user|>what is 17 plus 12?<|assistant|>29<|endoftext|>'"
END, MASK = "end-token-never-learned", "prompt-part-of-loss"
LIMIT = "Namespace(max_new_tokens=16)\n"
LONG, SHORT = "val_loss=1.6 mean_new_tokens=16.0\n", "val_loss=1.6 mean_new_tokens=7.5\n"


def _first(root: Path, log: str) -> str:
    (root / "train.log").write_text(log)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    found = session.diagnosis()
    told = {e.name for c in (*found.causes, *found.also_wrong) for e in c.evidence
            if c.name in (END, MASK)}  # fmt: skip
    return next((c.name for c in (*found.causes, *found.also_wrong)), "") if told else ""


@pytest.mark.parametrize(
    ("trained", "first"),
    [
        ("trained on: '<|user|>what is 17 plus 12?<|assistant|>'", MASK),
        ("labels: '<|user|>what is 17 plus 12?<|assistant|>'", MASK),
        ("trained on: '29<|endoftext|>'", ""),
        ("trained on: '<|user|>what is 17 plus 12?<|assistant|>29<|endoftext|>'", ""),
        ("trained on: '<|user|>what is 17'", ""),  # a print that is cut
        ("trained on: '<|user|>what is 17 plus 12?<|assistant|>", ""),
        ("trained on: '30<|endoftext|>'", ""),  # of another sample
    ],
)
def test_which_part_is_trained(tmp_path: Path, trained: str, first: str) -> None:
    assert _first(tmp_path, f"{LIMIT}example  : {WHOLE}\n{trained}\n{ROWS}{LONG}") == first


@pytest.mark.parametrize(
    ("behind", "first"), [(LONG, END), (SHORT, ""), (LONG + SHORT, ""), ("", "")]
)
def test_an_end_that_is_not_trained(tmp_path: Path, behind: str, first: str) -> None:
    log = f"{LIMIT}example  : {WHOLE}\ntrained on: '29'\n{ROWS}{behind}"
    assert _first(tmp_path, log) == first


def test_lines_that_are_far_apart_are_no_pair(tmp_path: Path) -> None:
    log = f"{LIMIT}example  : {WHOLE}\n" + "loading\n" * 9 + f"trained on: '29'\n{ROWS}{LONG}"
    assert not _first(tmp_path, log)
