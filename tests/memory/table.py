"""Prints how the estimate fares on the measured rows, for the tables of docs/memory.md.

    python tests/memory/table.py

A line for each file and half: steps that ran, peak reserved within 10%, range that holds it, median
error, out of memory and predicted. ``then`` is what was said before the measurement.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from statistics import median
from typing import Any

from medic.memory.estimate import estimate
from medic.memory.overheads import CONTEXT
from medic.memory.usual import with_usual

HERE = Path(__file__).parent
OF = runpy.run_path(str(HERE / "rows.py"))
CARD = 85_017_493_504  # bytes of an H100
Row = dict[str, Any]
FIRST = (
    "fresh",
    "regions",
    "everyday",
    "kernels",
    "corners",
    "draws",
)  # their rows were predicted before they ran
LOOKED_AT = ("trainers", "h100", "h200", "histories")


def said(row: Row) -> tuple[int, int, int] | None:
    """Reserved, low and high now; None where only a lower bound is claimed."""
    limit = row["limit"] + CONTEXT[1] if row.get("limit") else row.get("device_total", CARD)
    config = (
        with_usual(OF["trainer_config"](row))[0] if row.get("trainer") else OF["config_of"](row)
    )
    found = estimate(config, limit)
    if found.not_measured:
        return None
    return found.reserved or 0, found.reserved_low or 0, found.reserved_high or 0


def line(name: str, pairs: list[tuple[Row, tuple[int, int, int]]]) -> None:
    ran = [(row, told) for row, told in pairs if row["ok"]]
    errors = [abs(told[0] / row["peak_reserved"] - 1) for row, told in ran]
    held = [told[1] <= row["peak_reserved"] <= told[2] for row, told in ran]
    failed = [(row, told) for row, told in pairs if not row["ok"]]
    right = sum(
        told[0] > (row.get("limit") or row["device_total"] - CONTEXT[1]) for row, told in failed
    )
    if ran:
        near = sum(error <= 0.10 for error in errors)
        print(  # noqa: T201
            f"{name:42s} ran {len(ran):3d} near {near:3d} held {sum(held):3d} "
            f"median {median(errors):.1%} out of memory {right} of {len(failed)}"
        )


def kind(row: Row) -> str:
    mode: str = row.get("mode", "")
    if mode.startswith(("fsdp", "zero")):
        return mode[:4]
    for name in ("mode", "quant", "fp8", "lora", "experts"):
        if row.get(name):
            return mode or name
    return "dense"


def main() -> None:
    every: list[tuple[str, Row, tuple[int, int, int]]] = []
    for file in FIRST + LOOKED_AT:
        rows = [
            json.loads(text) for text in (HERE / f"{file}.jsonl").read_text("utf-8").splitlines()
        ]
        rows = [row for row in rows if "failed" not in row]
        groups = {
            "": rows,
            " test": [row for row in rows if row.get("half") == "test"],
            " H200": [row for row in rows if file == "fresh" and row.get("card") == "H200"],
            " H100": [row for row in rows if file == "fresh" and row.get("card") == "H100"],
            " hf": [row for row in rows if row.get("trainer") == "hf"],
            " trl": [row for row in rows if row.get("trainer") == "trl"],
        }
        for group, some in groups.items():
            pairs = [(row, told) for row in some if (told := said(row)) is not None]
            line(f"{file}{group}, now", pairs)
            before = [row for row in some if "predicted" in row]
            then = [
                (row, (told["reserved"], told["low"], told["high"]))
                for row in before
                for told in [row["predicted"]]
            ]
            line(f"{file}{group}, then", then)
            every += [(file, row, told) for row, told in pairs if not group]
    for name in sorted({kind(row) for _, row, _ in every}):
        first = [(r, t) for f, r, t in every if kind(r) == name and f in FIRST]
        other = [(r, t) for f, r, t in every if kind(r) == name and f not in FIRST]
        line(f"{name}, predicted first", first)
        line(f"{name}, looked at", other)


if __name__ == "__main__":
    main()
