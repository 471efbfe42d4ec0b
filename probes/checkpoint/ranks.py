"""Files that one rank of several wrote: what of the model is not in them.

ZeRO-3 (deepspeed/runtime/engine.py, ``_save_checkpoint`` and ``_get_zero_param_shapes``): each rank's
``*_model_states.pt`` holds placeholders without an element and, in ``param_shapes`` and
``frozen_param_shapes``, the true shapes; the weights lie in the ``*_optim_states.pt``. A tensor- or
pipeline-parallel rank (Megatron-LM's ``mp_rank_TT_PPP``) holds its own rows, columns or layers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medic.i18n import Text
from medic.text.patterns import regex

from .values import Opaque, Tensor

# Folders and files of Megatron-LM, DeepSpeed (mp) and NeMo (tp, pp); zero_pp_rank is data-parallel.
_MODEL_RANK = regex(r"(?<!zero_)(?<![a-z])(?:mp|tp|pp|ep)_rank_\d+(?:_\d+)*")
_OPTIMIZER = regex(r"^(?:bf16_|fp16_)?zero_pp_rank_(\d+)_mp_rank_(\d+)_optim_states\.pt$")
_MP = regex(r"mp_rank_(\d+)")
_SIZES = ("tensor_model_parallel_size", "pipeline_model_parallel_size")
MAX_ENTRIES = 10_000
MAX_POINTER = 256  # bytes
_POINTERS = {"latest": "{}", "latest_checkpointed_iteration.txt": "iter_{:07d}"}
_TAG = regex(r"[\w.-]{1,128}")
HOLLOW = Text(
    "{n} of {total} tensors hold no element: DeepSpeed's ZeRO-3 keeps the weights in the *_optim_states.pt "
    "of all ranks. Join them first: python zero_to_fp32.py CHECKPOINT_DIR OUT (the script lies in that folder)",
    "{total} 个张量中有 {n} 个不含任何元素：DeepSpeed ZeRO-3 把权重分存在各 rank 的 *_optim_states.pt 中。"
    "请先合并：python zero_to_fp32.py CHECKPOINT_DIR OUT（脚本就在该目录中）",
)
PARALLEL = Text(
    "one of {n} model-parallel ranks ({names}): each holds a part of the tensors, none the whole model. "
    "Join them first, e.g. with Megatron-LM's tools/checkpoint/convert.py "
    "--target-tensor-parallel-size 1 --target-pipeline-parallel-size 1",
    "这是 {n} 个模型并行 rank 之一（{names}）：各自只有一部分张量，都不是完整模型。请先合并，例如用 Megatron-LM 的 "
    "tools/checkpoint/convert.py --target-tensor-parallel-size 1 --target-pipeline-parallel-size 1",
)


def _mapping(value: Any) -> Mapping[Any, Any]:
    if isinstance(value, Opaque):
        return value.state if isinstance(value.state, dict) else value.items
    return value if isinstance(value, dict) else {}


def true_shapes(root: Any) -> dict[str, tuple[int, ...]]:
    """Name -> shape of the parameters whose placeholders ZeRO-3 saves; {} of any other object."""
    top = _mapping(root)
    groups = top.get("param_shapes")
    found: dict[str, tuple[int, ...]] = {}
    for group in (
        *(groups if isinstance(groups, list) else [groups]),
        top.get("frozen_param_shapes"),
    ):
        for name, shape in _mapping(group).items():
            if isinstance(name, str) and isinstance(shape, (tuple, list)):
                sizes = tuple(n for n in shape if isinstance(n, int) and n >= 0)
                if len(sizes) == len(shape):
                    found[name] = sizes
    return found


def filled(root: Any, tensors: Mapping[str, Tensor]) -> tuple[dict[str, tuple[int, ...]], bool]:
    """(shape of every tensor, whether some are the true ones of empty placeholders)."""
    known = true_shapes(root) if any(0 in t.shape for t in tensors.values()) else {}
    shapes = {n: known.get(n, t.shape) if 0 in t.shape else t.shape for n, t in tensors.items()}
    return shapes, any(shapes[n] != t.shape for n, t in tensors.items())


def hollow(shapes: Mapping[str, tuple[int, ...]]) -> Text | None:
    """Why tensors cannot be copied of which most hold nothing; None where most hold something."""
    empty = sum(math.prod(shape) == 0 for shape in shapes.values())
    if 2 * empty <= len(shapes):
        return None
    return HOLLOW.fill(n=f"{empty:,}", total=f"{len(shapes):,}")


def parallel_size(root: Any) -> int:
    """By how many model-parallel ranks the object says it was written; 1 where it says nothing."""
    top = _mapping(root)
    args = _mapping(top.get("args"))
    sizes = [args.get(name) for name in _SIZES]
    declared = math.prod(n for n in sizes if isinstance(n, int) and 0 < n < 1 << 20)
    world = top.get("mp_world_size")
    return max(declared, world if isinstance(world, int) and world < 1 << 20 else 1)


def data_ranks(root: Any) -> int:
    """Over how many ranks DeepSpeed split the optimizer's states; 0 where nothing says so."""
    world = _mapping(root).get("dp_world_size")
    return world if isinstance(world, int) and 0 < world <= MAX_ENTRIES else 0


def model_ranks(path: str) -> tuple[str, ...]:
    """Names of the model-parallel ranks on disk of which ``path`` is one; () if it is alone."""
    for place in (Path(path), Path(path).parent):
        own = _MODEL_RANK.search(place.name)
        if own:
            form = _MODEL_RANK.sub("#", place.name)
            others = [n for n in _names(place.parent) if _MODEL_RANK.sub("#", n) == form]
            found = sorted({m[0] for n in others for m in _MODEL_RANK.finditer(n)})
            return tuple(found) if len(found) > 1 else ()
    return ()


def parallel(path: str, declared: int) -> Text | None:
    """Why a file is not the whole model: one of several model-parallel ranks; None if it is."""
    names = model_ranks(path)
    count = max(declared, len(names))
    if count < 2:
        return None
    own = _MODEL_RANK.search(path)
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return PARALLEL.fill(n=f"{count:,}", names=shown or (own[0] if own else Path(path).name))


def absent_optimizers(path: str, ranks: int) -> tuple[str, ...]:
    """Optimizer files of data-parallel ranks that are not beside a ``*_model_states.pt``.

    Where none is there the optimizer was not saved, or left out of a copy: nothing is said.
    """
    own = _MP.search(Path(path).name)
    if own is None or ranks < 2:
        return ()
    kept: dict[int, str] = {}
    for name in _names(Path(path).parent):
        found = _OPTIMIZER.match(name)
        if found and found[2] == own[1]:
            kept[int(found[1])] = name
    if not kept:
        return ()
    start = next(iter(kept.values())).partition("zero_pp_rank_")[0]
    gone = (n for n in range(ranks) if n not in kept)
    return tuple(f"{start}zero_pp_rank_{n}_mp_rank_{own[1]}_optim_states.pt" for n in gone)


def dangling(path: str) -> tuple[str, str]:
    """(pointer, what it names) of a file above the checkpoint that names a folder which is not there:
    DeepSpeed's ``latest`` (engine.py, ``save_checkpoint``), Megatron-LM's tracker; ("", "") if none."""
    for folder in list(Path(path).parents)[1:3]:
        for name, form in _POINTERS.items():
            said = _first_word(folder / name)
            numbered = "d}" in form
            if not said or (numbered and not said.isdigit()):
                continue
            tag = form.format(int(said) if numbered else said)
            if not (folder / tag).exists():
                return name, tag
    return "", ""


def _first_word(path: Path) -> str:
    """The only word of a small text; "" for anything else."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_POINTER:
            return ""
        text = path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
    return text if _TAG.fullmatch(text) else ""


def _names(folder: Path) -> list[str]:
    return list(_scan(folder))


def _scan(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= MAX_ENTRIES:
                    return
                yield entry.name
    except OSError:
        return
