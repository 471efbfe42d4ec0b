"""Token ids that are read as numbers of another width than they were written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

CHECK = "token-file-of-another-width"
READER = """\
import numpy as np
train = np.memmap("train.bin", dtype=np.{kind}, mode="r")
for step in range(600):
    loss = model(batch(train))
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
WRITER = (
    'import numpy as np\nids = tokenize(text)\nnp.array(ids, dtype=np.{kind}).tofile("train.bin")\n'
)
LINE = "data: {read} train tokens, vocab 256 (meta.json: 5,709,610 tokens, {kind})\n"
ROWS = "".join(f"iter {n}/600 | train {3 - n / 400:.3f} | lr 1e-3\n" for n in range(20, 601, 20))


def told(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (root / name).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    found = session.diagnosis()
    both = [*found.causes, *found.also_wrong]
    return [str(e.text) for c in both if c.name == CHECK for e in c.evidence if e.name == CHECK]


def reader(kind: str = "uint16") -> str:
    return READER.format(kind=kind)


def test_the_log_says_another_type_and_half_the_count(tmp_path: Path) -> None:
    line = LINE.format(read="11,419,220", kind="uint32")
    found = told(tmp_path, {"train.py": reader(), "train.log": line + ROWS})
    assert len(found) == 1
    assert "11,419,220 numbers are read of 5,709,610 tokens" in found[0]


def test_the_program_that_writes(tmp_path: Path) -> None:
    found = told(tmp_path, {"train.py": reader(), "prepare.py": WRITER.format(kind="int32")})
    assert found
    assert "prepare.py:3 writes them as int32" in found[0]


@pytest.mark.parametrize(("again", "fires"), [("", True), ("ids = pack(ids)\n", False)])
def test_what_is_written_under_a_name(tmp_path: Path, again: str, fires: bool) -> None:
    named = "import numpy as np\nids = np.array(tokenize(text), dtype=np.uint16)\n"
    writer = f'{named}{again}ids.tofile("train.bin")\n'
    found = told(tmp_path, {"train.py": reader("uint8"), "prepare.py": writer})
    assert bool(found) == fires


def test_a_vocabulary_that_the_type_does_not_hold(tmp_path: Path) -> None:
    config = "vocab_size: 128256\nn_layer: 4\nbatch_size: 8\nblock_size: 512\nmax_steps: 10\n"
    found = told(tmp_path, {"prepare.py": WRITER.format(kind="uint16"), "train.py": reader(),
                            "config.yaml": config})  # fmt: skip
    assert found
    assert "65,535" in found[0]


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": reader(), "train.log": LINE.format(read="5,709,610", kind="uint16") + ROWS},
        {"train.py": reader("uint32"),
         "train.log": LINE.format(read="5,709,610", kind="uint32") + ROWS},
        {"train.py": reader() + "KINDS = [np.uint16, np.uint32]\n",
         "train.log": LINE.format(read="5,709,610", kind="uint32") + ROWS},
        # A batch is int64, whatever the file is.
        {"train.py": reader(), "train.log": "batch of 8192 tokens, dtype int64\n" + ROWS},
        {"train.py": reader(), "prepare.py": WRITER.format(kind="uint16")},
        {"train.py": reader(), "config.yaml": "vocab_size: 50304\nbatch_size: 8\nmax_steps: 10\n"},
    ],
)  # fmt: skip
def test_alike(tmp_path: Path, files: dict[str, str]) -> None:
    assert not told(tmp_path, files)
