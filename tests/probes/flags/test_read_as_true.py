"""A flag that is given a no and is on: by what the run printed, or by how the script reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

CAUSE = "boolean-flag-with-value"
LAUNCH = "python sft.py --lr 2e-2 --full_finetune False\n"
ROWS = "".join(f"step {n}/400 loss={2 - n / 400:.3f} lr=1e-4\n" for n in range(10, 401, 10))
ON, OFF = "Namespace(lr=0.02, full_finetune=True)\n", "Namespace(lr=0.02, full_finetune=False)\n"
READ = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float)
p.add_argument("--full_finetune", {how})
args = p.parse_args()
"""


def _told(root: Path, files: dict[str, str]) -> bool:
    for name, text in files.items():
        (root / name).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    found = session.diagnosis()
    return CAUSE in {c.name for c in (*found.causes, *found.also_wrong)}


@pytest.mark.parametrize(
    ("launch", "printed", "told"),
    [
        (LAUNCH, ON, True),
        (LAUNCH.replace("tune False", "tune=false"), ON, True),
        (LAUNCH, OFF, False),
        (LAUNCH, "", False),
        (LAUNCH.replace("False", "True"), ON, False),
        (LAUNCH.replace("False", "0"), ON, False),  # the digit may be a number
        (LAUNCH.replace("--full_finetune False", "--no False"), ON, False),
        (LAUNCH.replace("\n", " --full_finetune True\n"), ON, False),  # the last one counts
        (LAUNCH + LAUNCH.replace("False", "True"), ON, False),  # the log is of one of them
    ],
)
def test_what_the_run_printed(tmp_path: Path, launch: str, printed: str, told: bool) -> None:
    assert _told(tmp_path, {"launch.sh": launch, "train.log": printed + ROWS}) == told


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("type=bool, default=False", True),
        ("default=False,\n               type=bool", True),
        ("type=boolean", False),
        ("type=str2bool", False),
        ("type=lambda word: word == 'True'", False),
        ("type=str", False),
    ],
)
def test_how_the_script_reads_it(tmp_path: Path, how: str, told: bool) -> None:
    files = {"launch.sh": LAUNCH, "sft.py": READ.format(how=how), "train.log": ROWS}
    assert _told(tmp_path, files) == told
