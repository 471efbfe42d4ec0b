"""Keeps what a fault left as a small case for the suite: python tests/lab/record.py [NAMES].

Copies the run folders of the laboratory (``--keep``) below ``recorded/``, without checkpoints and
data, with paths of no machine.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

RECORDED = Path(__file__).with_name("recorded")
LARGEST = 64 * 1024  # bytes of a file that is kept
_FRAME = re.compile(r"^\S*\s*frame #\d+: .*\n", re.MULTILINE)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--keep", default="/tmp/medic-lab")
    given = parser.parse_args(words)
    for name in given.names:
        record(Path(given.keep) / name / "run", RECORDED / name)
    return 0


def record(run: Path, into: Path) -> None:
    shutil.rmtree(into, ignore_errors=True)
    for file in sorted(run.rglob("*")):
        if file.is_file() and file.stat().st_size <= LARGEST:
            try:
                text = file.read_text("utf-8")
            except UnicodeDecodeError:
                continue
            place = into / file.relative_to(run)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(plain(text, run), "utf-8")


def plain(text: str, run: Path) -> str:
    """Paths as on a cluster, and no frames of C++."""
    text = text.replace(f"{run}/../code", "/home/user/code").replace(str(run.parent), "/data/runs")
    text = re.sub(r"/\S+/lib/python3", "/opt/venv/lib/python3", text)
    text = re.sub(r"/[\w./-]+/bin/(torchrun|python3?)", r"/opt/venv/bin/\1", text)
    return _FRAME.sub("", text)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
