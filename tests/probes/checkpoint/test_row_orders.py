"""Fused projections whose order of rows no name and no shape tells are not cut by guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import diffing, located, remap, row_orders
from medic.probes.checkpoint.units import gather

from medic.errors import UsageError
from medic.facts import GivenFile

PARTS = {"l.q_proj.weight": (4, 3), "l.k_proj.weight": (2, 3), "l.v_proj.weight": (2, 3)}


def unit(path: Path) -> Any:
    return gather([GivenFile(str(path), path.name, "checkpoint")])[0]


def model(files: Any, folder: str, kind: str, shapes: Any) -> Path:
    path: Path = files.safetensors(f"{folder}/model.safetensors", shapes)
    if kind:
        (path.parent / "config.json").write_text(json.dumps({"model_type": kind}))
    return path


def plan(make_look: Any, have: Path, wanted: Path) -> Any:
    look = make_look(have, wanted)
    orders = row_orders.orders_of(look, unit(have), unit(wanted))
    shapes = {n: one.shape for n, one in located.locate(look, unit(wanted)).items()}
    return remap.by_model(located.locate(look, unit(have)), shapes, orders)


@pytest.mark.parametrize("kind", ["", "codegen", "internlm2", "foo"])
@pytest.mark.parametrize("name", ["qkv_proj", "qkv"])
def test_rows_of_an_unknown_order_stay_together(
    files: Any, make_look: Any, kind: str, name: str
) -> None:
    fused = model(files, "a", kind, {f"l.{name}.weight": (8, 3)})
    parts = model(files, "b", "llama", PARTS)
    cut = plan(make_look, fused, parts)
    assert (len(cut.outputs), len(cut.missing), len(cut.notes)) == (0, 3, 1)
    assert "--in-order" in str(cut.notes[0])
    joined = plan(make_look, parts, fused)
    assert (len(joined.outputs), len(joined.missing)) == (0, 1)
    found = diffing.diff(make_look(fused, parts), unit(fused), unit(parts))
    assert (found.comparison.outcome, found.fused, found.unordered) == ("fused-or-split", 3, 3)


def test_a_config_that_names_the_model_tells_the_order(files: Any, make_look: Any) -> None:
    fused = model(files, "a", "phi3", {"l.qkv_proj.weight": (8, 3)})
    parts = model(files, "b", "llama", PARTS)
    assert len(plan(make_look, fused, parts).outputs) == 3
    assert len(plan(make_look, parts, fused).outputs) == 1
    assert diffing.diff(make_look(fused, parts), unit(fused), unit(parts)).unordered == 0


def test_a_name_of_one_order_only_tells_it(files: Any, make_look: Any) -> None:
    fused = model(files, "a", "", {"l.W_pack.weight": (8, 3), "l.gate_up_proj.weight": (4, 3)})
    halves = {"l.gate_proj.weight": (2, 3), "l.up_proj.weight": (2, 3)}
    assert len(plan(make_look, fused, model(files, "b", "", PARTS | halves)).outputs) == 5


def test_the_word_of_the_user_is_not_taken_against_the_config(files: Any, make_look: Any) -> None:
    other = model(files, "a", "codegen", {"l.qkv_proj.weight": (8, 3)})
    with pytest.raises(UsageError, match="codegen"):
        row_orders.told_by_user(make_look(other), unit(other))
    plain = model(files, "b", "foo", {"l.qkv_proj.weight": (8, 3)})
    assert row_orders.told_by_user(make_look(plain), unit(plain)).have
