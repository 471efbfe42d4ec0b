"""Renamed copies: which bytes go where, what is refused, and that nothing is overwritten."""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.checkpoint import diffing, fusing, located, remap, renaming, writing
from medic.probes.checkpoint.row_orders import TOLD
from medic.probes.checkpoint.units import gather

from medic.errors import Unreadable, UsageError
from medic.facts import GivenFile


def unit(path: Path, *more: Path) -> Any:
    return gather([GivenFile(str(p), p.name, "checkpoint") for p in (path, *more)])[0]


def save(path: Path, tensors: Mapping[str, tuple[int, ...]]) -> Path:
    """A safetensors file whose elements count on through the whole file."""
    outputs, at, data = [], 0, path.with_suffix(".raw")
    values = b""
    for name, shape in tensors.items():
        count = 1
        for n in shape:
            count *= n
        values += struct.pack(f"<{count}f", *range(at // 4, at // 4 + count))
        outputs.append(
            remap.Output(name, "float32", shape, (remap.Range(str(data), at, 4 * count),), (name,))
        )
        at += 4 * count
    data.write_bytes(values)
    writing.write(remap.Plan(tuple(outputs), renaming.Rule()), str(path))
    return path


def contents(path: Path) -> dict[str, tuple[dict[str, Any], bytes]]:
    """Name -> (its header entry, its bytes)."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    assert header.pop("__metadata__") == {"format": "pt"}
    assert start % 8 == 0
    found = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        found[name] = (entry, raw[start + first : start + end])
    return found


def floats(path: Path) -> dict[str, tuple[float, ...]]:
    return {
        name: struct.unpack(f"<{len(data) // 4}f", data)
        for name, (_, data) in contents(path).items()
    }


def copy(look: Any, source: Path, to: Path, **how: Any) -> remap.Plan:
    have = located.locate(look, unit(source))
    plan = (
        remap.by_model(have, **how, orders=TOLD) if "wanted" in how else remap.by_rule(have, **how)
    )
    writing.write(plan, str(to))
    return plan


def test_wrapper_parts_go_and_the_bytes_stay(tmp_path: Path, make_look: Any) -> None:
    names = {"module._orig_mod.a.weight": (2, 3), "module._orig_mod.b.bias": (4,)}
    source, to = save(tmp_path / "in.safetensors", names), tmp_path / "out.safetensors"
    copy(make_look(source), source, to)
    before, after = floats(source), floats(to)
    assert set(after) == {"a.weight", "b.bias"}
    assert after["a.weight"] == before["module._orig_mod.a.weight"]


def test_a_start_is_taken_off_and_put_on(tmp_path: Path, make_look: Any) -> None:
    source = save(tmp_path / "in.safetensors", {"net.a": (2,), "other.b": (2,)})
    plan = copy(make_look(source), source, tmp_path / "o.safetensors", strip="net.", add="model.")
    assert [o.name for o in plan.outputs] == ["model.a", "other.b"]


def test_names_that_would_fall_together_are_refused(tmp_path: Path, make_look: Any) -> None:
    source = save(tmp_path / "in.safetensors", {"module.a": (2,), "a": (2,)})
    with pytest.raises(UsageError, match=r"module\.a and a would both become a"):
        copy(make_look(source), source, tmp_path / "o.safetensors")


Q, K = (4, 3), (2, 3)


def test_a_fused_projection_is_cut_into_its_rows(tmp_path: Path, make_look: Any) -> None:
    source = save(
        tmp_path / "in.safetensors", {"module.l.0.qkv_proj.weight": (8, 3), "module.n": (2,)}
    )
    parts = {"q_proj": Q, "k_proj": K, "v_proj": K}
    wanted = {f"l.0.{p}.weight": s for p, s in parts.items()} | {"n": (2,)}
    to = tmp_path / "out.safetensors"
    plan = copy(make_look(source), source, to, wanted=wanted)
    assert not plan.missing
    before, after = floats(source), floats(to)
    whole = before["module.l.0.qkv_proj.weight"]
    assert after["l.0.q_proj.weight"] == whole[:12]
    assert after["l.0.k_proj.weight"] == whole[12:18]
    assert after["l.0.v_proj.weight"] == whole[18:]


def test_split_projections_are_joined(tmp_path: Path, make_look: Any) -> None:
    names = {"l.q_proj.bias": (4,), "l.k_proj.bias": (2,), "l.v_proj.bias": (2,), "n": (2,)}
    source, to = save(tmp_path / "in.safetensors", names), tmp_path / "out.safetensors"
    copy(make_look(source), source, to, wanted={"l.qkv_proj.bias": (8,), "n": (2,)})
    assert floats(to)["l.qkv_proj.bias"] == tuple(float(n) for n in range(8))


def test_what_no_shape_proves_is_left_alone(tmp_path: Path, make_look: Any) -> None:
    names = {"h.query_key_value.weight": (8, 3), "n": (2,), "m": (2,)}
    source = save(tmp_path / "in.safetensors", names)
    wanted = {f"h.{p}.weight": s for p, s in (("q_proj", Q), ("k_proj", K), ("v_proj", K))}
    plan = copy(make_look(source), source, tmp_path / "o.safetensors", wanted=wanted | {"n": (2,)})
    assert len(plan.missing) == 3
    assert "order" in dict(plan.left_out)["h.query_key_value.weight"].en


def test_rows_that_do_not_add_up_prove_nothing() -> None:
    have = {"a.qkv_proj.weight": (9, 3)}
    wanted = {"a.q_proj.weight": Q, "a.k_proj.weight": K, "a.v_proj.weight": K}
    assert fusing.split_for("a.q_proj.weight", have, wanted, TOLD) is None
    have = {"a.qkv_proj.weight": (8, 5)}
    assert fusing.split_for("a.q_proj.weight", have, wanted, TOLD) is None


def test_another_shape_is_told_and_not_written(tmp_path: Path, make_look: Any) -> None:
    source = save(tmp_path / "in.safetensors", {"emb": (5, 2), "n": (2,)})
    plan = copy(
        make_look(source), source, tmp_path / "o.safetensors", wanted={"emb": (6, 2), "n": (2,)}
    )
    assert "[5, 2]" in dict(plan.missing)["emb"].en
    assert [o.name for o in plan.outputs] == ["n"]


def test_a_torch_file_is_copied_without_unpickling(
    files: Any, make_look: Any, tmp_path: Path
) -> None:
    tensor = files.T
    state = {
        "module.a": tensor((2, 3)),
        "module.b": tensor((4,), "BFloat16Storage"),
        "module.c": tensor((2,), key="0"),
    }
    source = files.zip("model.pt", {"model": state, "step": 3})
    plan = copy(make_look(source), source, tmp_path / "out.safetensors")
    made = contents(tmp_path / "out.safetensors")
    shapes = {n: (e["shape"], e["dtype"]) for n, (e, _) in made.items()}
    assert shapes == {"a": ([2, 3], "F32"), "b": ([4], "BF16"), "c": ([2], "F32")}
    assert not plan.left_out


def test_a_legacy_file_and_a_folder_of_shards_are_refused_in_words(
    files: Any, make_look: Any, tmp_path: Path
) -> None:
    old = files.legacy("old.pt", {"a": files.T((2,))})
    with pytest.raises(Unreadable, match=r"torch >= 1\.6"):
        located.locate(make_look(old), unit(old))
    index = files.index("model.safetensors.index.json", {"a": "model-00001-of-00002.safetensors"})
    with pytest.raises(Unreadable, match="missing"):
        located.locate(make_look(index), unit(index))


def test_shards_become_one_file(files: Any, make_look: Any, tmp_path: Path) -> None:
    for n, name in ((1, "module.a"), (2, "module.b")):
        save(tmp_path / f"m-0000{n}-of-00002.safetensors", {name: (2,)})
    weights = {f"module.{c}": f"m-0000{n}-of-00002.safetensors" for n, c in ((1, "a"), (2, "b"))}
    index = files.index("m.safetensors.index.json", weights)
    copy(make_look(index), index, tmp_path / "out.safetensors")
    assert set(floats(tmp_path / "out.safetensors")) == {"a", "b"}


def test_nothing_is_overwritten_and_nothing_left_behind(tmp_path: Path, make_look: Any) -> None:
    source = save(tmp_path / "in.safetensors", {"module.a": (2,)})
    to = tmp_path / "out.safetensors"
    to.write_bytes(b"mine")
    with pytest.raises(UsageError, match="exists"):
        copy(make_look(source), source, to)
    assert to.read_bytes() == b"mine"
    have = located.locate(make_look(source), unit(source))
    short = remap.Output("a", "float32", (2,), (remap.Range(str(source), 10**6, 8),), ("a",))
    with pytest.raises(UsageError, match="too early"):
        writing.write(remap.Plan((short,), renaming.Rule()), str(tmp_path / "new.safetensors"))
    assert have
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(("new", ".new"))]


def test_a_full_disk_is_told_before_a_byte_is_written(
    tmp_path: Path, make_look: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = save(tmp_path / "in.safetensors", {"module.a": (2,)})
    monkeypatch.setattr(writing.shutil, "disk_usage", lambda _: type("D", (), {"free": 10}))
    with pytest.raises(UsageError, match="are free"):
        copy(make_look(source), source, tmp_path / "out.safetensors")
    assert not (tmp_path / "out.safetensors").exists()


def test_a_header_length_that_looks_like_a_pickle(tmp_path: Path, make_look: Any) -> None:
    """1,152 is 0x0480: its bytes begin as a pickle of protocol 4 does."""
    names: dict[str, tuple[int, ...]] = {}
    for n in range(40):
        names[f"layer.{n}.w"] = (1,)
    source = save(tmp_path / "in.safetensors", names)
    raw = source.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    wanted = (length // 256 + 1) * 256 * 1
    wanted = next(
        n for n in range(wanted, wanted + 65536) if n & 0xFF == 0x80 and n >> 8 & 0xFF == 4
    )
    padded = wanted.to_bytes(8, "little") + raw[8 : 8 + length].ljust(wanted) + raw[8 + length :]
    source.write_bytes(padded)
    assert padded[:2] == b"\x80\x04"
    assert len(located.locate(make_look(source), unit(source))) == 40


@given(st.dictionaries(st.text("abc.", min_size=1, max_size=8), st.integers(0, 5), max_size=6))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_names_survive_a_round_trip(
    tmp_path: Path, make_look: Any, names: dict[str, int]
) -> None:
    for old in tmp_path.glob("*"):
        old.unlink()
    full = {f"x{n}": (1,) for n in range(len(names))}  # a file of empty ones is refused
    source = save(tmp_path / "in.safetensors", {n: (c,) for n, c in names.items()} | full)
    copy(make_look(source), source, tmp_path / "out.safetensors", strip="zz")
    assert floats(tmp_path / "out.safetensors") == floats(source)


def test_a_difference_that_is_only_fusing(tmp_path: Path, make_look: Any) -> None:
    fused = save(tmp_path / "a.safetensors", {"module.l.qkv_proj.weight": (8, 3), "module.n": (2,)})
    parts = {"l.q_proj.weight": Q, "l.k_proj.weight": K, "l.v_proj.weight": K, "n": (2,)}
    other = save(tmp_path / "b.safetensors", parts)
    found = diffing.diff(make_look(fused, other), unit(fused), unit(other))
    assert found.comparison.outcome == "fused-or-split"
    assert found.fused == 3
    back = diffing.diff(make_look(fused, other), unit(other), unit(fused))
    assert back.comparison.outcome == "fused-or-split"


def test_an_adapter_beside_its_model_and_another(tmp_path: Path, make_look: Any) -> None:
    name = "base_model.model.model.layers.0.q_proj.lora_{}.weight"
    a = save(tmp_path / "a.safetensors", {name.format("A"): (2, 3), name.format("B"): (4, 2)})
    own = save(tmp_path / "own.safetensors", {"model.layers.0.q_proj.weight": (4, 3), "n": (2,)})
    wide = save(tmp_path / "wide.safetensors", {"model.layers.0.q_proj.weight": (8, 3)})
    none = save(tmp_path / "none.safetensors", {"h.0.attn.weight": (4, 3)})
    look = make_look(a, own, wide, none)
    assert diffing.diff(look, unit(a), unit(own)).comparison.outcome == "adapter"
    assert diffing.diff(look, unit(own), unit(a)).comparison.outcome == "adapter"
    other = diffing.diff(look, unit(a), unit(wide)).comparison
    assert other.outcome == "adapter-of-other"
    assert other.mismatched == (("model.layers.0.q_proj", (4, 3), (8, 3)),)
    assert diffing.diff(look, unit(a), unit(none)).comparison.missing == ("model.layers.0.q_proj",)
    assert diffing.diff(look, unit(a), unit(a)).comparison.outcome == "same"


def test_a_checkpoint_beside_itself(files: Any, make_look: Any) -> None:
    a = files.safetensors("a.safetensors", {"w": (2,)}, "F32")
    assert diffing.diff(make_look(a), unit(a), unit(a)).is_one_file
    empty = files.raw("b.pt", pickle.dumps({"note": 1}))
    with pytest.raises(Unreadable, match="without a tensor"):
        diffing.diff(make_look(empty), unit(empty), unit(empty))


def test_dtypes_of_two_checkpoints(files: Any, make_look: Any) -> None:
    a = files.safetensors("a.safetensors", {"w": (2,)}, "F32")
    b = files.safetensors("b.safetensors", {"w": (2,)}, "BF16")
    found = diffing.diff(make_look(a, b), unit(a), unit(b))
    assert found.dtypes == (("float32", "bfloat16", 1),)


def test_a_tensor_of_another_shape_is_told_as_such_on_both_sides() -> None:
    names = "head.weight", "body.weight"
    have = {n: located.Located(n, "float32", (100, 16), "a.bin", 0, 6400) for n in names}
    plan = remap.by_model(have, {"module.head.weight": (128, 16), "module.body.weight": (100, 16)})
    assert [o.name for o in plan.outputs] == ["module.body.weight"]
    told = [why.en for _, why in (*plan.left_out, *plan.missing)]
    assert told == [
        "the other model has module.head.weight with shape [128, 16], not [100, 16]",
        "head.weight has shape [100, 16], not [128, 16]",
    ]
