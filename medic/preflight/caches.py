"""What the run fills beside its output: caches and offloaded states, writable and with room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medic.facts import Place
from medic.facts.memory import gib, scaled
from medic.i18n import Text
from medic.preflight.places import LEAST_FREE, parameters_of
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok

CACHE, OFFLOAD = "cache", "offload"
NVME = "nvme_path"
# Bytes a parameter of Adam in fp32, with its master weights (ZeRO, arXiv 1910.02054, section 3.1),
# and of a weight in 16 bits: what ZeRO-Infinity keeps on NVMe (arXiv 2104.07857).
_STATES, _WEIGHTS = 12, 2
_MADE = Text(" (it will be made below {h})", "（将在 {h} 下新建）")
_TAKES = Text("; the offloaded states take at least {n}", "；卸载的状态至少占 {n}")
_IN_CONTAINER = Text("the run starts in a container", "训练在容器中启动")


def caches(scene: Scene) -> Iterator[Result]:
    for place in scene.places.beside if scene.places else ():
        yield _judged(scene, place)


def _judged(scene: Scene, place: Place) -> Result:
    name = OFFLOAD if place.key.endswith(NVME) else CACHE
    told = f"{place.key}: {place.path}"
    looked = Text("{p} and the free space there", "{p} 及其剩余空间").fill(p=place.path)
    if not place.sure:
        return not_seen(name, _IN_CONTAINER, looked, place.source)
    if place.exists and place.holder != _folder(place):
        return not_ok(name, f"{told} is no folder", f"{told} 不是文件夹", looked, place.source)
    if name == OFFLOAD and not place.exists:
        en = f"{told} is not here; it would be made below {place.holder}, on that disk"
        zh = f"{told} 不存在；会建在 {place.holder} 下，用的是那里的磁盘"
        return not_ok(name, en, zh, looked, place.source)
    if not place.writable:
        en = f"{told}: {place.holder} cannot be written to"
        return not_ok(name, en, f"{told}：{place.holder} 不可写", looked, place.source)
    new = Text("", "") if place.exists else _MADE.fill(h=place.holder)
    en, zh = f"{told} can be written{new.en}", f"{told} 可写{new.zh}"
    if place.free is None:
        return ok(name, en, zh, looked, place.source)
    need = _need(scene, place) if name == OFFLOAD else None
    if need:
        more = _TAKES.fill(n=scaled(need))
        en, zh = en + more.en, zh + more.zh
    left = gib(place.free)
    if place.free < max(LEAST_FREE, need or 0):
        return not_ok(name, f"{en}; only {left} free", f"{zh}；只剩 {left}", looked, place.source)
    if place.free_files == 0:
        return not_ok(name, f"{en}; no inode left", f"{zh}；inode 已用尽", looked, place.source)
    return ok(name, f"{en}; {left} free", f"{zh}；剩余 {left}", looked, place.source)


def _folder(place: Place) -> str:
    """The path as it is told of a folder that is there."""
    return str(Path(place.path).expanduser())


def _need(scene: Scene, place: Place) -> int | None:
    """Bytes on this node; its ranks hold their share of all states."""
    count, nodes = parameters_of(scene), scene.config.integer("nodes") or 1
    each = _STATES if "optimizer" in place.key else _WEIGHTS
    return count * each // nodes if count else None
