"""Fused projections whose order of rows no name and no shape tells are not cut by guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import by_head, diffing, located, remap, row_orders
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


GROUPED = {"hidden_size": 8, "num_attention_heads": 4, "num_key_value_heads": 2}  # heads of 2 rows
OF_HEADS = {
    # query heads a group, groups: rows of q, k, v by number
    "internlm2": ("wqkv", GROUPED, [*range(4), *range(8, 12)], [4, 5, 12, 13], [6, 7, 14, 15]),
    "gpt_neox": (
        "query_key_value", {"hidden_size": 4, "num_attention_heads": 2},
        [0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11],
    ),
    "bloom": (
        "query_key_value", {"hidden_size": 4, "n_head": 2},
        [0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11],
    ),
    "falcon": (
        "query_key_value",
        {"hidden_size": 4, "num_attention_heads": 2, "multi_query": True, "new_decoder_architecture": False},
        [0, 1, 2, 3], [4, 5], [6, 7],
    ),
}  # fmt: skip


def rows_of(output: Any, start: int, width: int) -> list[int]:
    """The rows of the source that an output is made of."""
    found: list[int] = []
    for one in output.ranges:
        first = (one.start - start) // width
        found += range(first, first + one.size // width)
    return found


@pytest.mark.parametrize("kind", sorted(OF_HEADS))
def test_heads_that_a_config_counts_are_taken_apart(files: Any, make_look: Any, kind: str) -> None:
    name, config, *parts = OF_HEADS[kind]
    count = sum(len(rows) for rows in parts)
    fused = model(files, "a", kind, {f"l.{name}.weight": (count, 3)})
    (fused.parent / "config.json").write_text(json.dumps({"model_type": kind, **config}))
    shapes = {f"l.{p}_proj.weight": (len(r), 3) for p, r in zip("qkv", parts, strict=True)}
    apart = model(files, "b", "llama", shapes)
    cut = plan(make_look, fused, apart)
    assert not cut.missing
    start = located.locate(make_look(fused), unit(fused))[f"l.{name}.weight"].start
    by_name = {one.name: rows_of(one, start, 12) for one in cut.outputs}
    assert [by_name[f"l.{p}_proj.weight"] for p in "qkv"] == parts
    joined = plan(make_look, apart, fused)
    assert not joined.missing
    (made,) = joined.outputs
    assert made.size == count * 12
    assert diffing.diff(make_look(fused, apart), unit(fused), unit(apart)).unordered == 0


def test_joining_undoes_taking_apart() -> None:
    heads = by_head.Heads(2, 2, 2, ("wqkv",))
    places = [row for part in range(3) for row in heads.places(part)]
    rows = {
        part: [r for first, n in heads.places(part) for r in range(first, first + n)]
        for part in range(3)
    }
    joined = [rows[part][first + n] for part, first, count in heads.order() for n in range(count)]
    assert joined == [*range(16)]
    assert sum(n for _, n in places) == 16


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gpt_neox"},  # no sizes
        {"model_type": "gpt_neox", "hidden_size": 8, "num_attention_heads": 2},  # of another model
        {"model_type": "chatglm", "hidden_size": 4, "num_attention_heads": 2},
    ],
)
def test_heads_that_no_config_counts_stay_together(
    files: Any, make_look: Any, config: dict[str, Any]
) -> None:
    fused = model(files, "a", "x", {"l.query_key_value.weight": (12, 3)})
    (fused.parent / "config.json").write_text(json.dumps(config))
    apart = model(files, "b", "llama", {f"l.{p}_proj.weight": (4, 3) for p in "qkv"})
    assert len(plan(make_look, fused, apart).missing) == 3


def test_megatrons_own_name_with_the_sizes_of_the_other_side(files: Any, make_look: Any) -> None:
    fused = files.safetensors("a/model.safetensors", {"l.linear_qkv.weight": (16, 3)})
    shapes = {"l.q_proj.weight": (8, 3), "l.k_proj.weight": (4, 3), "l.v_proj.weight": (4, 3)}
    apart = model(files, "b", "llama", shapes)
    assert len(plan(make_look, fused, apart).missing) == 3
    (apart.parent / "config.json").write_text(json.dumps({"model_type": "llama", **GROUPED}))
    cut = plan(make_look, fused, apart)
    assert {one.name: len(one.ranges) for one in cut.outputs} == dict.fromkeys(shapes, 2)
