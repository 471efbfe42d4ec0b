"""Weights that do not change between two checkpoints, and a checkpoint that holds NaN."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import change, loaded_keys, samples

from medic.facts import Curve, LogHits, Series, SkippedKeys, Source, StepLine
from medic.probe import Finding

ENDED = LogHits(ended="well", last_time=1.0)
SHAPES = {"model.embed.weight": (16, 16), "model.up.weight": (4, 4), "model.down.weight": (4, 4)}


def outcomes(look: Any) -> dict[str, str]:
    return {f.name: f.outcome for f in change.run(look) if isinstance(f, Finding)}


def written(path: Path, at: int, value: float) -> Path:
    """``value`` as the element of the data that lies ``at`` elements from its begin."""
    raw = bytearray(path.read_bytes())
    start = 8 + struct.unpack("<Q", raw[:8])[0] + 4 * at
    raw[start : start + 4] = struct.pack("<f", value)
    path.write_bytes(bytes(raw))
    return path


@pytest.mark.parametrize(
    ("changed", "config", "outcome"),
    [
        ((), {}, "unchanged"),
        ((256,), {}, "mostly-unchanged"),  # of the two small tensors one
        ((256,), {"lora_rank": 8}, "changed"),
        ((0,), {}, "changed"),
        ((0, 256, 272), {}, "changed"),
    ],
)
def test_whether_weights_change(
    files: Any, make_look: Any, changed: tuple[int, ...], config: Any, outcome: str
) -> None:
    early = files.safetensors("checkpoint-50/model.safetensors", SHAPES)
    late = files.safetensors("checkpoint-100/model.safetensors", SHAPES)
    for at in changed:
        written(late, at, 0.5)
    assert outcomes(make_look(early, late, logs=ENDED, **config)) == {"checkpoint-change": outcome}


@pytest.mark.parametrize(
    ("moved", "steps", "outcome"),
    [(10, 50, "mostly-rounded-away"), (40, 50, "changed"), (10, 10, "changed")],
)
def test_updates_that_are_rounded_away(
    files: Any, make_look: Any, moved: int, steps: int, outcome: str
) -> None:
    """Of 256 numbers in bf16; over few steps a rounded copy of fp32 weights stays, too."""
    shapes = {"model.up.weight": (16, 16)}
    early = files.safetensors("checkpoint-50/model.safetensors", shapes, dtype="BF16")
    late = files.safetensors(f"checkpoint-{50 + steps}/model.safetensors", shapes, dtype="BF16")
    raw = late.read_bytes()
    late.write_bytes(raw[: -2 * moved] + b"\x80\x3f" * moved)
    assert outcomes(make_look(early, late, logs=ENDED)) == {"checkpoint-change": outcome}


@pytest.mark.parametrize(
    ("loss", "tensor", "told"),
    [
        (2.5, "model.up.weight", {"checkpoint-values": "not-finite"}),
        (2.5, "model.attn.mask", {}),
        (math.nan, "model.up.weight", {}),  # the log tells why
    ],
)
def test_infinity_in_a_checkpoint_of_a_run_whose_losses_are_numbers(
    files: Any, make_look: Any, loss: float, tensor: str, told: dict[str, str]
) -> None:
    late = files.safetensors("checkpoint-60/model.safetensors", {tensor: (4, 4)})
    written(late, 3, math.inf)
    logs = LogHits(ended="well", steps=(StepLine(60, {"loss": loss}, Source("train.log", 3)),))
    assert outcomes(make_look(late, logs=logs)) == told


@pytest.mark.parametrize(
    ("first", "config", "random"),
    [
        (6.24, {"vocab_size": 512}, True),
        (3.1, {"vocab_size": 512}, False),  # trained weights: a part of them may be meant
        (6.24, {"vocab_size": 512, "lora_rank": 8}, False),
    ],
)
def test_random_weights_of_which_few_move(
    files: Any, make_look: Any, first: float, config: Any, random: bool
) -> None:
    early = files.safetensors("checkpoint-50/model.safetensors", SHAPES)
    written(late := files.safetensors("checkpoint-100/model.safetensors", SHAPES), 256, 0.5)
    loss = Series("loss", "m.jsonl", (1, 100), (first, first - 0.1), (1, 2))
    look = make_look(early, late, logs=ENDED, facts=[Curve({"loss": loss})], **config)
    told = outcomes(look).get("trainable-share")
    assert told == ("few-of-random-weights" if random else None)


def test_what_two_checkpoints_do_not_tell(files: Any, make_look: Any) -> None:
    early = files.safetensors("checkpoint-50/model.safetensors", SHAPES)
    other = files.safetensors("checkpoint-60/model.safetensors", {"a": (2,)})
    broken = files.safetensors("checkpoint-70/model.safetensors", SHAPES)
    written(written(early, 3, math.nan), 4, 1.0)
    written(broken, 3, math.nan)
    assert outcomes(make_look(early, other, logs=ENDED)) == {}
    assert outcomes(make_look(early, broken, logs=ENDED)) == {}  # what is NaN stays NaN


def test_a_checkpoint_given_for_itself(files: Any, make_look: Any) -> None:
    early = files.safetensors("checkpoint-50/model.safetensors", SHAPES)
    late = files.safetensors("checkpoint-60/model.safetensors", SHAPES)
    assert outcomes(make_look(early, late)) == {}
    written(late, 3, math.nan)
    assert outcomes(make_look(early, late)) == {"checkpoint-values": "not-finite"}
    assert outcomes(make_look(late)) == {"checkpoint-values": "not-finite"}


@pytest.mark.parametrize(
    ("name", "outcome"), [("checkpoint-50", "not-finite"), ("checkpoint-100", "finite")]
)
def test_the_checkpoint_that_is_resumed(
    files: Any, make_look: Any, name: str, outcome: str
) -> None:
    """Of two files of one name the one in the folder that is named."""
    bad = files.safetensors("checkpoint-50/model.safetensors", SHAPES)
    written(bad, 258, math.nan)
    good = files.safetensors("checkpoint-100/model.safetensors", SHAPES)
    look = make_look(good, bad, logs=ENDED, resume_from=f"out/{name}/model.safetensors")
    assert outcomes(look)["checkpoint-values"] == outcome


@pytest.mark.parametrize(
    ("dtype", "data", "nan"),
    [
        ("float32", struct.pack("<3f", 1.0, -math.inf, 2.5), False),
        ("float32", struct.pack("<3f", 1.0, math.nan, 2.5), True),
        ("float32", b"\x01\x00\x80\xff", True),
        ("bfloat16", b"\x80\x7f\x00\x3f", False),  # infinity
        ("bfloat16", b"\xc0\x7f\x00\x3f", True),
        ("float16", b"\x00\x7c\x00\x3c", False),
        ("float16", b"\x01\x7c", True),
        ("float16", b"\x00\xfe", True),
        ("int32", b"\xff\xff\xff\xff", False),
    ],
)
def test_bytes_of_a_nan(dtype: str, data: bytes, nan: bool) -> None:
    assert samples.holds_nan(samples.Sample(dtype, (1,), data, len(data))) is nan


def test_weights_of_a_zip_change(files: Any, make_look: Any) -> None:
    from tests.probes.checkpoint.conftest import T

    state = {"model": {"wte.weight": T((4, 4)), "up.weight": T((2, 2))}, "step": 5}
    one = files.zip("checkpoint-5/state.pt", state)
    two = files.zip("checkpoint-9/state.pt", state)
    assert outcomes(make_look(one, two, logs=ENDED)) == {"checkpoint-change": "unchanged"}


@pytest.mark.parametrize(
    ("missing", "unexpected", "told"),
    [
        (("wte.weight", "head.weight"), ("module.wte.weight", "module.head.weight"), True),
        (("wte.weight",), ("_orig_mod.wte.weight", "_orig_mod.more.weight"), True),
        (("lm_head.weight",), (), False),
        (("score.weight",), ("lm_head.weight",), False),
    ],
)
def test_names_that_a_load_left_out(
    make_look: Any, missing: tuple[str, ...], unexpected: tuple[str, ...], told: bool
) -> None:
    look = make_look(facts=[SkippedKeys(missing, unexpected, Source("train.log", 3))])
    assert bool(list(loaded_keys.run(look))) is told
