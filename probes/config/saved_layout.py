"""The probe of a checkpoint that a launch goes on from and that lies beside it: whether it is there,
and whether it was saved with the parallel sizes of the launch, where the format does not reshape.

Sources of the names: Megatron-LM training/checkpointing.py get_checkpoint_name (a folder
``mp_rank_TT[_PPP][_EEE]``, of the classic format alone) and get_checkpoint_tracker_filename; DeepSpeed
runtime/engine.py _get_zero_ckpt_name, _get_all_zero_checkpoints (a file a data parallel rank), "latest".
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from medic.facts import Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import Origin, RunConfig
from medic.text.patterns import regex

from .saved_names import last_checkpoint, names_in

ABSENT, ZERO, SPLIT = (
    "no-checkpoint-at-path",
    "zero-checkpoint-other-world-size",
    "parallel-layout-changed",
)
_STEP = regex(r"(.*?)(\d+)")
_MODEL_RANK = regex(r"mp_rank_(\d+)(?:_(\d{3}))?(?:_(\d{3}))?")
_ZERO_RANK = regex(r"(?:bf16_|fp16_)?zero_pp_rank_(\d+)_mp_rank_(\d+)_optim_states\.pt")
_LAST = (True, "True", "true")  # of transformers: the last one in the output folder
_TAKES_SIZES = ("use_checkpoint_args", "use_mp_args_from_checkpoint_args")
_RESHAPES = (
    "load_universal",
    "load_universal_checkpoint",
    "universal_checkpoint",
    "elastic_checkpoint",
)
MAX_BYTES, MAX_SHOWN = 200, 4
_GONE = Text("{path} is not there; {folder} has {names}", "{path} 不存在；{folder} 中有 {names}")
_POINTER = Text(
    "{pointer} names {tag}, and no such folder lies beside it",
    "{pointer} 指向 {tag}，但旁边没有这个目录",
)
_RANKS = Text(
    "{path} was saved by {saved} data parallel ranks, the launch has {now}: ZeRO's states are not "
    "split anew",
    "{path} 由 {saved} 个数据并行 rank 保存，而启动命令有 {now} 个：ZeRO 的状态不会重新切分",
)
_SPLIT = Text(
    "{path} was saved with {name} {saved}, the launch has {now}: this format is not split anew",
    "{path} 保存时 {name} 为 {saved}，而启动命令为 {now}：该格式不会重新切分",
)


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    field = "output_dir" if config.get("resume_from") in _LAST else "resume_from"
    named, origin = config.get(field), config.origin("resume_from")
    if look.has(LogHits) or not isinstance(named, str) or origin is None or "$" in named:
        return  # of a run it is told by its log
    found = _beside(named, _folders(look, origin))
    if found is not None and field == "output_dir":
        named, found = _last(named, found)
    if found is None:
        return
    if not found.is_dir():
        what = None if _is_made(look, config, named) else _gone(named, found)
        if what is not None:
            yield _told(ABSENT, what, origin, named)
        return
    yield from _pointed(config, named, found, origin)


def _last(named: str, path: Path) -> tuple[str, Path | None]:
    last = last_checkpoint(_names(path))
    return f"{named.rstrip('/')}/{last}", path / last if last else None


def _folders(look: Look, origin: Origin) -> list[Path]:
    """Where the launch may be started: beside the file that names it, beside a script, here."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    files = [origin.span.file if origin.span else "", *(one.span.file for one in launches)]
    files += [given.path for given in look.files("script")]
    return [*dict.fromkeys([*(Path(file).parent for file in files if file), Path()])]


def _beside(path: str, folders: Sequence[Path]) -> Path | None:
    """The path below the first folder that has it, else the one that has the folder it lies in."""
    full = [Path(path)] if path.startswith("/") else [folder / path for folder in folders]
    with suppress(OSError, ValueError):
        there = [one for one in full if one.is_dir()]
        near = [one for one in full if one.parent.is_dir() and not one.exists()]
        return next(iter(there or near), None)
    return None


def _is_made(look: Look, config: RunConfig, named: str) -> bool:
    """Whether a launch before this one may save it. Megatron begins with random weights where nothing
    was saved yet."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    return len(launches) > 1 or "megatron" in config.frameworks or named == config.get("output_dir")


def _gone(named: str, path: Path) -> Text | None:
    """Of a missing checkpoint beside others of its kind: ``checkpoint-600`` beside 400 and 500."""
    kind = _STEP.fullmatch(path.name)
    if kind is None:
        return None
    others = [(int(one[2]), n) for n in _names(path.parent) if (one := _STEP.fullmatch(n))]
    same = sorted(pair for pair in others if pair[1].startswith(kind[1]))
    if not same or not kind[1]:
        return None
    shown = ", ".join(name for _, name in same[-MAX_SHOWN:])
    return _GONE.fill(path=named, folder=os.path.dirname(named.rstrip("/")) or ".", names=shown)  # noqa: PTH120


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return names_in(folder)
    return []


def _pointed(config: RunConfig, named: str, path: Path, origin: Origin) -> Iterator[Finding]:
    """What the pointer file of the folder names, or the folder itself."""
    tag, pointer = _first_word(path / "latest"), "latest"
    if tag is None:
        number, pointer = (
            _first_word(path / "latest_checkpointed_iteration.txt"),
            "latest_checkpointed_iteration.txt",
        )
        tag = f"iter_{int(number):07d}" if number and number.isdecimal() else number
    if tag is None:
        tag, pointer = "", ""
    folder = path / tag
    if "/" in tag or tag.startswith("."):
        return
    if not folder.is_dir():
        if pointer:
            what = _POINTER.fill(pointer=f"{named.rstrip('/')}/{pointer}", tag=tag)
            yield _told(ABSENT, what, origin, named)
        return
    shown = f"{named.rstrip('/')}/{tag}".rstrip("/")
    names = _names(folder)
    yield from _zero(config, shown, names, origin)
    yield from _model_ranks(config, shown, names, origin)


def _first_word(file: Path) -> str | None:
    with suppress(OSError, ValueError), file.open(encoding="utf-8", errors="replace") as handle:
        if file.is_file():
            return handle.read(MAX_BYTES).strip() or None
    return None


def _zero(config: RunConfig, path: str, names: Sequence[str], origin: Origin) -> Iterator[Finding]:
    """DeepSpeed ZeRO: one file of optimizer states a data parallel rank."""
    ranks = {int(one[1]) for name in names if (one := _ZERO_RANK.fullmatch(name))}
    now, stage = config.integer("data_parallel_size"), config.integer("zero_stage")
    if not ranks or not stage or now is None or (config.integer("context_parallel_size") or 1) > 1:
        return
    saved = max(ranks) + 1
    if saved == now or any(_is_on(config, key) for key in _RESHAPES):
        return
    what = _RANKS.fill(path=path, saved=str(saved), now=str(now))
    yield _told(ZERO, what, origin, path, _at(config, "gpus_per_node", "world_size"))


def _model_ranks(
    config: RunConfig, path: str, names: Sequence[str], origin: Origin
) -> Iterator[Finding]:
    """Megatron's classic format: one folder a tensor, pipeline and expert rank."""
    ranks = [one for name in names if (one := _MODEL_RANK.fullmatch(name))]
    if not ranks or any(_is_on(config, key) for key in _TAKES_SIZES):
        return
    sizes = [1 + max(int(one[n] or 0) for one in ranks) for n in (1, 2, 3)]
    tensor, pipeline, expert = (
        config.integer(f"{name}_parallel_size") for name in ("tensor", "pipeline", "expert")
    )
    # The second number is of the pipeline, or of the experts where there is no pipeline.
    of_pipeline = (expert or 1) == 1 or ranks[0][3] is not None
    pairs = [("tensor_parallel_size", sizes[0], tensor)]
    pairs += [("pipeline_parallel_size", sizes[1], pipeline)] if of_pipeline else []
    for name, saved, now in pairs:
        if now is not None and saved != now:
            what = _SPLIT.fill(path=path, name=name, saved=str(saved), now=str(now))
            yield _told(SPLIT, what, origin, path, _at(config, name))
            return


def _is_on(config: RunConfig, key: str) -> bool:
    return any(
        one.value is True or str(one.value).lower() in ("true", "1")
        for one in config.settings
        if one.path and one.path[-1].replace("-", "_") == key
    )


def _at(config: RunConfig, *fields: str) -> Origin | None:
    """The first place that states one of these sizes."""
    places = (config.origin(field) for field in fields)
    return next((one for one in places if one is not None and one.span is not None), None)


def _told(check: str, what: Text, origin: Origin, word: str, size: Origin | None = None) -> Finding:
    """At the size that does not fit, where it is written; else at the path."""
    place = size or origin
    source = source_of(place)
    more = (source_of(origin),) if size is not None else ()
    return Finding(
        check,
        "fires",
        {"what": what},
        Source(source.file, source.line, text=word),
        more,
        span=place.span,
    )


PROBE = Probe(
    name="saved-layout",
    title=Text("the checkpoint that the launch goes on from", "启动命令要续训的检查点"),
    tells=(ABSENT, ZERO, SPLIT),
    run=run,
    wants=(RunConfig, Launches, LogHits),
    files=("config", "script"),
    seconds=0.02,
    limit_seconds=10,  # a network file system can hang
)
