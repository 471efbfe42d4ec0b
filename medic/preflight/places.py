"""Where the run writes and what it reads: there, writable, with room for its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Place
from medic.facts.memory import gib
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok

LEAST_FREE = 1 << 30
# Bytes a parameter in a checkpoint that training resumes from: weights of 2, master weights and two
# Adam moments of 4 each (ZeRO, arXiv 1910.02054, section 3.1).
WITH_OPTIMIZER = 14
WEIGHTS = 2
_ELSEWHERE = Text(
    "{t} is not here, but the run starts in another folder or in a container",
    "{t} 在此处不存在，但训练会在别的目录或容器中启动",
)
_NO_OUTPUT = Text("the launch names no output folder", "启动未给出输出目录")
_LEFT = Text("only the running shell knows {t}", "{t} 要到 shell 运行时才能确定")
_ELSEWHERE_OUT = Text("the run starts in a container", "训练在容器中启动")


def places(scene: Scene) -> Iterator[Result]:
    if scene.places is None:
        yield not_seen("output", scene.reason("places"), "output_dir")
        return
    output = scene.places.output
    if output is None:
        left = scene.places.left
        yield not_seen("output", _LEFT.fill(t=left) if left else _NO_OUTPUT, left or "output_dir")
    elif not output.sure:
        yield not_seen("output", _ELSEWHERE_OUT, output.path, output.source)
    else:
        yield _writable(output)
        yield _room(scene, output)
    yield from _inputs(scene)


def _writable(place: Place) -> Result:
    looked = Text("write access to {h}", "{h} 的写权限").fill(h=place.holder)
    if not place.writable:
        en = f"{place.path}: {place.holder} cannot be written to"
        return not_ok("output", en, f"{place.path}：{place.holder} 不可写", looked, place.source)
    new = Text(" (it will be made below {h})", "（将在 {h} 下新建）").fill(h=place.holder)
    new = Text("", "") if place.exists else new
    return ok(
        "output",
        f"{place.path} can be written{new.en}",
        f"{place.path} 可写{new.zh}",
        looked,
        place.source,
    )


def _room(scene: Scene, place: Place) -> Result:
    name = "disk-space"
    looked = Text("free space of {h} (quotas are not seen)", "{h} 的剩余空间（看不到配额）").fill(
        h=place.holder
    )
    if place.free is None:
        return not_seen(
            name, Text("the file system does not tell", "文件系统未提供"), looked, place.source
        )
    if place.free_files == 0:
        return not_ok(
            name,
            "no file can be made: no inode left",
            "inode 已用尽，无法新建文件",
            looked,
            place.source,
        )
    size = checkpoint_bytes(scene)
    need = max(LEAST_FREE, size or 0)
    en, zh = f"{gib(place.free)} free", f"剩余 {gib(place.free)}"
    if size:
        en += f"; a checkpoint takes about {gib(size)}, and the next one is written before the last one goes"
        zh += f"；一个检查点约 {gib(size)}，写完下一个才会删除上一个"
    else:
        en += "; the size of a checkpoint is not known (needs parameters)"
        zh += "；检查点大小未知（需要 parameters）"
    make = not_ok if place.free < need else ok
    return make(name, en, zh, looked, place.source)


def checkpoint_bytes(scene: Scene) -> int | None:
    """About the size of a checkpoint that training resumes from; None if it is not known. With LoRA
    only the adapters are saved."""
    config = scene.config
    if config.number("lora_rank"):
        return None
    from medic.memory.views import read_setups

    count = min((s.parameters for s in read_setups(config).setups), default=0)
    alone = config.setting("save_only_model")
    weights_only = alone is not None and alone.value is True
    return count * (WEIGHTS if weights_only else WITH_OPTIMIZER) or None


def _inputs(scene: Scene) -> Iterator[Result]:
    given = scene.places.inputs if scene.places else ()
    if not given:
        lack = Text("the launch names no local path to read", "启动未给出要读取的本地路径")
        looked = Text(
            "data, tokenizer, model and checkpoint paths", "数据、分词器、模型与检查点路径"
        )
        yield not_seen("data", lack, looked)
    for place in given:
        told = f"{place.key}: {place.path}"
        if place.exists:
            yield ok("data", told, told, place.path, place.source)
        elif not place.sure:
            yield not_seen("data", _ELSEWHERE.fill(t=told), place.path, place.source)
        else:
            en, zh = f"{told} is not here", f"{told} 不存在"
            yield not_ok("data", en, zh, place.path, place.source)
