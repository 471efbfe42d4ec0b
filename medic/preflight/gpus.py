"""GPUs of this node against the ranks of the launch: enough, free, fit to be used."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Gpu
from medic.facts.memory import gib
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok
from medic.text.patterns import regex

# A CUDA context without tensors takes 0.3 to 0.9 GiB.
HELD_BYTES = 1 << 30
LOOKED = "NVML"
_LIST = regex(r"\d+(?:\s*,\s*\d+)*")


def gpus(scene: Scene) -> Iterator[Result]:
    if scene.gpus is None:
        yield not_seen("gpu-count", scene.reason("gpu"), LOOKED)
        return
    used = visible(scene)
    yield _count(scene, used)
    yield _memory(scene, used)
    yield _health(used)


def visible(scene: Scene) -> list[Gpu]:
    """The GPUs that the launch may use: those of CUDA_VISIBLE_DEVICES that exist, else all."""
    every = list(scene.gpus.gpus) if scene.gpus else []
    listed = scene.variable("CUDA_VISIBLE_DEVICES")
    if listed is None or not _LIST.fullmatch(listed.value.strip()):
        return every
    named = [int(i) for i in listed.value.split(",")]
    return [g for g in every if g.index in named]


def _count(scene: Scene, used: list[Gpu]) -> Result:
    name, have, want = "gpu-count", len(used), scene.ranks()
    listed = scene.variable("CUDA_VISIBLE_DEVICES")
    looked = f"{LOOKED}, CUDA_VISIBLE_DEVICES={listed.value}" if listed else LOOKED
    source = scene.field_source("gpus_per_node", "world_size")
    if want is None:
        needs = scene.config.missing("gpus_per_node", "world_size", "nodes")
        lack = Text("{n} GPUs; how many ranks start here is not known: needs {f}",
                    "{n} 块 GPU；本机启动多少个 rank 未知：需要 {f}")  # fmt: skip
        return not_seen(name, lack.fill(n=have, f=", ".join(needs)), looked)
    if have < want:
        en = f"{want} ranks start here, {have} GPUs can be used"
        return not_ok(name, en, f"本机启动 {want} 个 rank，可用 GPU 只有 {have} 块", looked, source)
    en = f"{have} GPUs for {want} ranks"
    return ok(name, en, f"{have} 块 GPU，{want} 个 rank", looked, source)


def _least(scene: Scene) -> float:
    check = scene.index.checks.get("gpu-processes")
    limit = check.thresholds.get("held-bytes") if check else None
    return limit.value if limit else HELD_BYTES


def _memory(scene: Scene, used: list[Gpu]) -> Result:
    name = "gpu-memory"
    told = [g for g in used if g.used is not None]
    if not told:
        return not_seen(name, Text("the driver does not tell", "驱动未提供"), LOOKED)
    held = [g for g in told if (g.used or 0) >= _least(scene)]
    if not held:
        return ok(name, "no GPU's memory is in use", "没有 GPU 显存被占用", LOOKED)
    en = "; ".join(f"GPU {g.index}: {gib(g.used or 0)} in use{_by(g, 'en')}" for g in held[:8])
    zh = "；".join(f"GPU {g.index}：已占用 {gib(g.used or 0)}{_by(g, 'zh')}" for g in held[:8])
    return not_ok(name, en, zh, LOOKED)


def _by(gpu: Gpu, lang: str) -> str:
    """The processes that hold memory; a container sees those of others without their names."""
    names = [f"{p.name or '?'} (pid {p.pid})" for p in gpu.processes[:3]]
    if not names:
        return " by processes that this user cannot see" if lang == "en" else "（进程不可见）"
    return f" by {', '.join(names)}" if lang == "en" else f"（{'、'.join(names)}）"


def _health(used: list[Gpu]) -> Result:
    name = "gpu-health"
    bad = [(g, *_fault(g)) for g in used if _fault(g)[0]]
    if bad:
        en = "; ".join(f"GPU {g.index}: {words}" for g, words, _ in bad)
        zh = "；".join(f"GPU {g.index}：{words}" for g, _, words in bad)
        return not_ok(name, en, zh, LOOKED)
    en = "no failed row remapping, no compute mode that forbids the ranks"
    return ok(name, en, "没有行重映射失败，计算模式允许使用", LOOKED)


def _fault(gpu: Gpu) -> tuple[str, str]:
    if gpu.row_remap_failed:
        return "row remapping failed: the GPU must be replaced", "行重映射失败，需更换该 GPU"
    if gpu.compute_mode == "Prohibited":
        return "compute mode is Prohibited", "计算模式为 Prohibited"
    if gpu.mig:
        return "MIG is on: a rank sees one slice", "已开启 MIG，一个 rank 只能看到一个切片"
    return "", ""
