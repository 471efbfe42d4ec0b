"""``medic memory --json``: the contract medic.memory/1."""

from __future__ import annotations

from typing import Any

from medic.facts.memory import fitting
from medic.i18n import Text
from medic.memory.remedies import Remedy
from medic.report.memory_notes import notes
from medic.sizing import Sizing

SCHEMA = "medic.memory/1"


def json_data(sizing: Sizing) -> dict[str, Any]:
    """The contract medic.memory/1, in bytes. ``peak`` is what torch reserves; ``device`` counts
    the CUDA context and NCCL as well, and is what is held against the capacity."""
    found = sizing.found
    claimed = not found.not_measured
    return {
        "schema": SCHEMA,
        "peak": {
            "low": found.reserved_low,
            "estimate": found.reserved,
            "high": found.reserved_high if claimed else None,
        },
        "device": {
            "low": found.low,
            "estimate": found.estimate,
            "high": found.high if claimed else None,
        },
        "parts": dict(found.parts),
        "phases": dict(found.phases),
        "phases_not_measured": list(found.by_formula),
        "stages": dict(found.stages),
        "fits": sizing.fits,
        "verdict": sizing.verdict,
        "capacity": sizing.capacity,
        "gpu": sizing.gpu,
        "model": sizing.model,
        "assumed": [f"{name} = {value}" for name, value in found.assumed.items()],
        "choices": [
            {
                "field": c.field,
                "taken": c.taken,
                "other": c.other,
                "device": c.after,
                "bound": c.bound,
            }
            for c in sizing.choices
        ],
        "unknown": list(found.unknown),
        "not_modelled": [str(text) for text in found.not_measured],
        "largest": {
            one.field: {"estimate": one.likely, "high": one.sure} for one in sizing.largest
        },
        "remedies": [remedy_data(one, sizing.capacity) for one in sizing.advice.alone],
        "plan": [remedy_data(one, sizing.capacity) for one in sizing.advice.plan],
        "taken": dict(sizing.advice.taken),
        "diff": sizing.diff,
        "notes": [str(note) for note in notes(sizing)],
        "read": [{"file": file, "bytes": count} for file, count in sizing.read.items()],
        "not_read": [
            {"file": one.file, "why": str(Text(one.en, one.zh))} for one in sizing.not_read
        ],
    }


def remedy_data(one: Remedy, capacity: int | None) -> dict[str, Any]:
    """A remedy with the peaks after it, in bytes. What the formulas alone say is not called fitting."""
    measured = one.bound != "formula"
    return {
        "name": one.name,
        "text": str(one.text),
        "cost": str(one.cost),
        "change": [{"field": c.field, "old": c.old, "new": c.new} for c in one.changes],
        "peak": one.reserved,
        "device": one.peak,
        "bound": one.bound,
        "fits": measured and capacity is not None and one.peak <= fitting(capacity),
    }
