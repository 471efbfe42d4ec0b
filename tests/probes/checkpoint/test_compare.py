"""What differs between a checkpoint and a model."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.checkpoint.compare import compare, is_buffer

from medic.text.numbers_in_short import in_short

Shapes = dict[str, tuple[int, ...] | None]


def gpt(layers: int = 4, width: int = 8, rows: int = 512, prefix: str = "") -> Shapes:
    shapes: Shapes = {"embed.weight": (rows, width), "pos.weight": (64, width)}
    for n in range(layers):
        shapes |= {
            f"blocks.{n}.ln1.weight": (width,),
            f"blocks.{n}.qkv.weight": (3 * width, width),
            f"blocks.{n}.qkv.bias": (3 * width,),
            f"blocks.{n}.proj.weight": (width, width),
            f"blocks.{n}.up.weight": (4 * width, width),
        }
    shapes |= {"norm.weight": (width,), "lm_head.weight": (rows, width)}
    return {prefix + n: s for n, s in shapes.items()}


def test_same() -> None:
    result = compare(gpt(), gpt())
    assert (result.outcome, result.matched, result.total) == ("same", 24, 24)
    assert result.value()["snippet"] == ""


def test_prefix_only() -> None:
    value = (result := compare(gpt(prefix="module._orig_mod."), gpt())).value()
    assert result.outcome == "prefix-only"
    assert (value["prefix"], value["matched"], value["total"]) == ("module._orig_mod.", 24, 24)
    assert (value["missing"], value["unexpected"]) == (0, 0)


@pytest.mark.parametrize(("have", "want", "layers"), [(2, 4, "2-3"), (6, 4, "4-5"), (3, 4, "3")])
def test_layers_by_number(have: int, want: int, layers: str) -> None:
    result = compare(gpt(have, prefix="module."), gpt(want))
    assert (result.outcome, result.value()["layers"]) == ("layers-missing", layers)
    assert result.value()["prefix"] == "module."


def test_a_hole_in_the_layers() -> None:
    have = {n: s for n, s in gpt(6).items() if not n.startswith(("blocks.1.", "blocks.4."))}
    assert compare(have, gpt(6)).value()["layers"] == "1, 4"


def test_single_names_missing_are_no_layers() -> None:
    have = {n: s for n, s in gpt().items() if not n.endswith("qkv.bias")}
    result = compare(have, gpt())
    assert (result.outcome, result.layers, len(result.missing)) == ("layers-missing", (), 4)


def test_vocabulary() -> None:
    result = compare(gpt(rows=512), gpt(rows=640))
    value = result.value()
    assert result.outcome == "vocabulary-changed"
    assert (value["checkpoint_shape"], value["model_shape"]) == ("[512, 8]", "[640, 8]")


def test_a_longer_table_of_positions_is_no_vocabulary() -> None:
    have = gpt() | {"pos.weight": (1024, 8)}
    assert compare(have, gpt() | {"pos.weight": (2048, 8)}).outcome == "shapes-differ"


def test_another_number_of_classes_is_no_vocabulary() -> None:
    assert (
        compare(gpt() | {"score.weight": (2, 8)}, gpt() | {"score.weight": (5, 8)}).outcome
        == "shapes-differ"
    )


def test_width_and_layers() -> None:
    result = compare(gpt(4, width=8), gpt(6, width=16))
    assert (result.outcome, result.layers) == ("shapes-differ", (4, 5))


def test_another_model() -> None:
    other: Shapes = {f"encoder.layer.{n}.attention.self.query.weight": (8, 8) for n in range(12)}
    result = compare(other, gpt())
    assert (result.outcome, result.value()["snippet"]) == ("different-model", "")
    assert compare({}, gpt()).outcome == "different-model"


@pytest.mark.parametrize("side", ["checkpoint", "model"])
def test_a_tied_head_is_harmless(side: str) -> None:
    without = {n: s for n, s in gpt().items() if n != "lm_head.weight"}
    result = compare(without, gpt()) if side == "checkpoint" else compare(gpt(), without)
    assert (result.outcome, result.harmless) == ("same", ("lm_head.weight",))


def test_a_head_of_another_shape_is_missed() -> None:
    without = {n: s for n, s in gpt().items() if n != "lm_head.weight"}
    assert compare(without, gpt() | {"lm_head.weight": (700, 8)}).outcome == "layers-missing"


def test_buffers_are_harmless() -> None:
    have = gpt(prefix="module.") | {
        "module.rotary.inv_freq": (4,),
        "module.blocks.0.attn.masked_bias": (),
    }
    assert compare(have, gpt()).outcome == "prefix-only"
    assert is_buffer("h.0.attn.bias", (1, 1, 64, 64))
    assert not is_buffer("h.0.attn.bias", (64,))
    assert not is_buffer("h.0.attn.bias", None)


def test_unknown_shapes_do_not_differ() -> None:
    wanted: Shapes = dict.fromkeys(gpt())
    assert compare(gpt(), wanted).outcome == "same"


def test_ranges() -> None:
    assert in_short([7, 0, 4, 5, 6]) == "0, 4-7"
    assert in_short([]) == ""


def test_partial_lists_of_missing_layers() -> None:
    wanted: Shapes = dict.fromkeys(n for n in gpt(8) if n.startswith(("blocks.6.", "blocks.7.")))
    result = compare({}, wanted, partial=True)
    assert (result.outcome, result.layers) == ("layers-missing", (6, 7))


def test_partial_lists_of_two_models() -> None:
    wanted: Shapes = {f"a.{n}.w": None for n in range(5)}
    assert compare({"x.q": None, "y.q": None}, wanted, partial=True).outcome == "different-model"


EMB, QKV, OUT = "word_embeddings.weight", "layers.0.qkv.weight", "layers.0.proj.weight"


@pytest.mark.parametrize(
    ("have", "wanted", "outcome"),
    [
        # half the ranks, twice the rows of what is cut by rows and the columns of what is by columns
        (
            {EMB: (500, 8), QKV: (12, 8), OUT: (8, 4)},
            {EMB: (1000, 8), QKV: (24, 8), OUT: (8, 8)},
            "split-differs",
        ),
        ({EMB: (900, 8), QKV: (24, 8)}, {EMB: (300, 8), QKV: (8, 8)}, "split-differs"),
        ({EMB: (500, 8), QKV: (12, 8)}, {EMB: (500, 16), QKV: (24, 16)}, "shapes-differ"),  # wider
        ({QKV: (12, 8), OUT: (8, 4)}, {QKV: (24, 8), OUT: (8, 8)}, "shapes-differ"),
        ({EMB: (500, 8), QKV: (12, 8)}, {EMB: (1000, 8), QKV: (36, 8)}, "shapes-differ"),
        ({EMB: (500, 8), QKV: (24, 8)}, {EMB: (1000, 8), QKV: (12, 8)}, "shapes-differ"),
        ({EMB: (500, 8)}, {EMB: (1000, 8)}, "vocabulary-changed"),
    ],
)
def test_another_split_changes_each_size_by_one_factor(
    have: Any, wanted: Any, outcome: str
) -> None:
    assert compare(have, wanted, partial=True).outcome == outcome


@pytest.mark.parametrize(
    ("name", "saved", "current", "outcome"),
    [
        ("layers.0.mlp.linear_fc1.weight", (5504, 4096), (11008, 4096), "evenly-different"),
        ("layers.0.mlp.linear_fc2.weight", (4096, 5504), (4096, 11008), "evenly-different"),
        ("layers.0.mlp.linear_fc1.weight", (5504, 4096), (14336, 4096), "shapes-differ"),
        ("layers.0.mlp.linear_fc1.weight", (5504, 4096), (11008, 8192), "shapes-differ"),
        ("layers.0.mlp.up_proj.weight", (5504, 4096), (11008, 4096), "shapes-differ"),
        ("weight", (5504, 4096), (11008, 4096), "evenly-different"),
    ],
)
def test_one_size_that_a_tensor_split_would_make(
    name: str, saved: tuple[int, ...], current: tuple[int, ...], outcome: str
) -> None:
    """Of a list that may have been cut; one of all tensors would tell."""
    assert compare({name: saved}, {name: current}, partial=True).outcome == outcome
    assert compare({name: saved}, {name: current}).outcome == "shapes-differ"
