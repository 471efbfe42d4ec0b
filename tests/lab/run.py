"""Injects faults into a small training run and asks medic for them: python tests/lab/run.py [NAMES].

Needs an interpreter with torch (CPU is enough), numpy and pyyaml: ``--python PATH`` or
MEDIC_LAB_PYTHON. The folders stay below ``--keep``; ``--again`` diagnoses them without running.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load
from tests.lab.fault import Fault, faults
from tests.lab.launch import leave

FIRST, ESTABLISHED, HEALTHY = 0.95, 0.60, 1.0  # shares that the laboratory asks for


def main(words: Sequence[str]) -> int:
    given = _arguments(words)
    known = faults()
    for name in given.names:
        if name not in known:
            raise SystemExit(f"no fault {name}; there are: {', '.join(known)}")
    chosen = [known[name] for name in given.names or known]
    index = load()
    results: list[Result] = []
    _say(f"{'fault':34} {'first cause':34} {'chance':15} {'verdict':15} right   s")
    for fault in chosen:
        began = time.monotonic()
        place = Path(given.keep) / fault.name
        folder = place / "run" if given.again else leave(place, fault, given.python)
        result = judge(Labelled(fault.name, causes=fault.causes, folder=str(folder)), index)
        results.append(result)
        _row(fault, result, time.monotonic() - began)
    return _totals(results)


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", default=os.environ.get("MEDIC_LAB_PYTHON", sys.executable))
    parser.add_argument("--keep", default="/tmp/medic-lab")
    parser.add_argument("--again", action="store_true")
    return parser.parse_args(words)


def _row(fault: Fault, result: Result, seconds: float) -> None:
    first = result.named[0] if result.named and result.word else "-"
    wanted = "" if result.right else f"  wanted {' or '.join(fault.causes) or 'health'}"
    if result.place > 1:
        wanted += f" (is {result.place}.)"
    right = "yes" if result.right else "NO"
    _say(
        f"{fault.name:34} {first:34} {result.word or '-':15} {result.verdict:15} {right:4} "
        f"{seconds:4.0f}{wanted}"
    )


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _totals(results: list[Result]) -> int:
    """0 if the shares are as asked for."""
    ill = [r for r in results if r.case.causes]
    well = [r for r in results if not r.case.causes]
    first = sum(r.right for r in ill)
    established = sum(r.verdict == "established" for r in ill if r.right)
    wrong = sum(r.established_wrong for r in results)
    healthy = sum(r.right for r in well)
    _say(
        f"\n{len(ill)} faults: first {first}, established {established}, "
        f"established wrongly {wrong}; {len(well)} healthy: {healthy} so"
    )
    enough = first >= FIRST * len(ill) and established >= ESTABLISHED * len(ill)
    return 0 if enough and not wrong and healthy >= HEALTHY * len(well) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
