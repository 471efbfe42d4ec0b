"""Where the run writes and what it reads: there, writable, with room for its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medic.facts import Place
from medic.facts.host import PROGRAM
from medic.facts.memory import gib, scaled
from medic.i18n import Text
from medic.preflight.result import LEFT, Result, Scene, not_ok, not_seen, ok
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value

_LONGEST = 80  # characters shown of a line
LEAST_FREE = 1 << 30
WEIGHTS = 2  # bytes a parameter of a model that is saved alone
_SHARDING = ("zero_stage", "fsdp")
_ELSEWHERE = Text(
    "{t} is not here, but {w} changes the folder or starts a container: {l}",
    "{t} 在此处不存在，但 {w} 切换了目录或启动了容器：{l}",
)
_BESIDE = Text(
    "{t} is not here; the run starts in the folder of its program, which is not this one",
    "{t} 在此处不存在；训练在其程序所在的目录启动，而不是当前目录",
)
_NO_OUTPUT = Text("the launch names no output folder", "启动未给出输出目录")
_ELSEWHERE_OUT = Text("the run starts in a container", "训练在容器中启动")


def places(scene: Scene) -> Iterator[Result]:
    if scene.places is None:
        yield not_seen("output", scene.reason("places"), "output_dir")
        return
    output = scene.places.output
    if output is None:
        left = scene.places.left
        yield not_seen("output", LEFT.fill(t=left) if left else _NO_OUTPUT, left or "output_dir")
    elif not output.sure:
        yield not_seen("output", _ELSEWHERE_OUT, output.path, output.source)
    else:
        yield _writable(output)
        yield _room(scene, output)
    for other in scene.places.others:
        yield (
            _writable(other)
            if other.sure
            else not_seen("output", _ELSEWHERE_OUT, other.path, other.source)
        )
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
    size, whole = checkpoint_bytes(scene)
    need = max(LEAST_FREE, size or 0)
    en, zh = f"{gib(place.free)} free", f"剩余 {gib(place.free)}"
    if size and only_final(scene.config):
        about, some = ("about", "约") if whole else ("at least", "至少")
        en += f"; no checkpoint is written on the way, the model at the end takes {about} {scaled(size)}"
        zh += f"；途中不保存检查点，最后保存的模型{some} {scaled(size)}"
    elif size:
        about, some = ("about", "约") if whole else ("at least", "至少")
        en += f"; a checkpoint takes {about} {scaled(size)}, and the next one is written before the last one goes"
        zh += f"；一个检查点{some} {scaled(size)}，写完下一个才会删除上一个"
    else:
        en += "; the size of a checkpoint is not known (needs parameters)"
        zh += "；检查点大小未知（需要 parameters）"
    if place.free < need:
        return not_ok(name, en, zh, looked, place.source)
    if not size or not whole:  # there is room for what is counted; whether for all is not known
        return not_seen(name, Text(en, zh), looked, place.source)
    return ok(name, en, zh, looked, place.source)


# How programs call it: Qwen finetune.py --use_lora, TRL --use_peft, LLaVA --lora_enable.
_ADAPTERS = ("use_lora", "use_qlora", "use_peft", "lora_enable", "enable_lora", "q_lora")
_ON = frozenset(("true", "1", "yes"))


def checkpoint_bytes(scene: Scene) -> tuple[int | None, bool]:
    """About the size of a checkpoint that training resumes from, of the sizes that are stated or
    are those of the model that is named; None if it is not known. With LoRA only the adapters are
    saved. And whether all is counted: without a vocabulary embeddings and head are not."""
    config = _with_model(scene)
    if config.number("lora_rank") or _adapts(config):
        return None, True
    count = parameters_of(scene) or 0
    alone = config.setting("save_only_model")
    weights_only = only_final(config) or (alone is not None and alone.value is True)
    whole = config.integer("parameters") is not None or config.integer("vocab_size") is not None
    return int(count * (WEIGHTS if weights_only else _saved(config))) or None, whole


def _adapts(config: RunConfig) -> bool:
    """Whether a switch says that adapters alone are trained, whatever their rank is by default."""
    found = (config.setting(name) for name in _ADAPTERS)
    return any(one is not None and str(one.value).lower() in _ON for one in found)


def _saved(config: RunConfig) -> float:
    """Bytes a parameter of a checkpoint that training resumes from: the weights, an fp32 copy of
    them where the engine keeps one, and what the optimizer holds (``memory.states``): 14 with Adam
    under ZeRO in 16 bits, 12 under autocast and in fp32, 4 of 16-bit weights with 8-bit Adam."""
    from medic.memory import details
    from medic.memory.reading import Reader, optimizer_for, style_of
    from medic.memory.states import WEIGHT

    reader = Reader(config)
    usual = style_of(reader)[1]
    engine = details.deepspeed(config) or details.unread_engine(config)
    style = "master" if engine and usual in ("autocast", "pure") else usual
    moments = optimizer_for(reader)[1].held(style)
    return WEIGHT[style] + (4 if style == "master" else 0) + moments


def parameters_of(scene: Scene) -> int | None:
    """The parameters of the model, as far as its sizes are known."""
    from medic.memory.views import read_setups

    config = _with_model(scene)
    # How states are spread over the ranks does not change what all of them hold.
    values = {name: v for name, v in config.values.items() if name not in _SHARDING}
    values["zero_stage"] = Value(0, Origin("derived"))
    setups = read_setups(replace(config, values=values)).setups
    return min((s.parameters for s in setups), default=0) or None


def _with_model(scene: Scene) -> RunConfig:
    from medic.memory.named import with_model

    return with_model(scene.config, scene.index)[0]


def only_final(config: RunConfig) -> bool:
    """Whether the run writes no checkpoint before the model at its end: ``save_strategy no`` of
    transformers (TrainingArguments), ``save_steps -1`` of OpenRLHF (its trainers' "do not save")."""
    strategy = config.setting("save_strategy")
    if strategy is not None:
        return strategy.value is False or str(strategy.value).lower() in ("no", "none")
    every = [s.value for s in config.settings if s.path[-1:] == ("save_steps",)]
    negative = any(isinstance(n, int | float) and n < 0 for n in every)
    return negative and "openrlhf" in (config.framework, *config.frameworks)


def _inputs(scene: Scene) -> Iterator[Result]:
    given = scene.places.inputs if scene.places else ()
    unknown = scene.places.unknown if scene.places else ()
    for one in unknown:
        words = Text("{k}: {t}", "{k}：{t}").fill(k=one.key, t=LEFT.fill(t=one.text))
        yield not_seen("data", words, one.text, one.source)
    if not unknown and all(place.key == PROGRAM for place in given):
        lack = Text("the launch names no local path to read", "启动未给出要读取的本地路径")
        looked = Text(
            "data, tokenizer, model and checkpoint paths", "数据、分词器、模型与检查点路径"
        )
        yield not_seen("data", lack, looked)
    for place in given:
        name = "program" if place.key == PROGRAM else "data"
        alone = place.key in ("", PROGRAM)
        told = place.path if alone else f"{place.key}: {place.path}"
        if place.exists and place.lacks and place.sure:
            en, zh = f"{told}{place.lacks} is not here", f"{told}{place.lacks} 不存在"
            yield not_ok(name, en, zh, f"{place.path}.bin, .idx", place.source)
        elif place.exists and place.unfit is not None and place.sure:
            en, zh = f"{told} {place.unfit.en}", f"{told} {place.unfit.zh}"
            yield not_ok(name, en, zh, place.path, place.source)
        elif place.exists:
            yield ok(name, told, told, place.path, place.source)
        elif not place.sure:
            yield not_seen(name, _elsewhere(place, told), place.path, place.source)
        elif place.optional and place.absent is not None:
            en, zh = f"{told} is not here", f"{told} 不存在"
            yield ok(
                name,
                f"{en}; {place.absent.en}",
                f"{zh}；{place.absent.zh}",
                place.path,
                place.source,
            )
        else:
            en, zh = f"{told} is not here", f"{told} 不存在"
            if place.absent is not None:
                en, zh = f"{en}: {place.absent.en}", f"{zh}：{place.absent.zh}"
            full = str(Path(place.path).expanduser().absolute())
            yield not_ok(name, en, zh, full, place.source)


def _elsewhere(place: Place, told: str) -> Text:
    at = place.elsewhere
    if not at.text:
        return _BESIDE.fill(t=told)
    return _ELSEWHERE.fill(t=told, w=at.where(), l=at.text[:_LONGEST])
