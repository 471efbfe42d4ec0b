"""Whether driver, CUDA, torch, what is compiled for them, and releases of libraries fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import Machine, Release, Source
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok
from medic.text.patterns import regex
from medic.versions import affected

PACKAGES = Text("packages of the python on PATH", "PATH 上 python 的软件包")
_FLASH = regex(r"cu(\d+)(?:\d)?torch(\d+\.\d+)")


def software(scene: Scene) -> Iterator[Result]:
    machine = scene.machine
    if machine is None:
        yield not_seen("packages", scene.reason("machine"), PACKAGES)
        return
    yield _driver(scene, machine)
    yield _versions(machine)
    yield from _releases(scene, machine)
    yield _compiler(scene, machine)


def _driver(scene: Scene, machine: Machine) -> Result:
    """A driver runs every CUDA of its major version (CUDA minor version compatibility)."""
    name, driver = "driver", scene.gpus.driver if scene.gpus else ""
    looked = Text("NVML, torch/version.py", "NVML、torch/version.py")
    if scene.gpus is None or not scene.gpus.cuda:
        return not_seen(name, scene.reason("gpu"), looked)
    if not machine.torch_cuda:
        lack = Text(
            "no CUDA build of torch in the python on PATH", "PATH 上的 python 中没有 CUDA 版 torch"
        )
        return not_seen(name, lack, looked)
    cuda, built = scene.gpus.cuda, machine.torch_cuda
    if _major(built) > _major(cuda):
        en = f"torch is built for CUDA {built}; driver {driver} runs CUDA {cuda} at most"
        zh = f"torch 为 CUDA {built} 构建，驱动 {driver} 最高只支持 CUDA {cuda}"
        return not_ok(name, en, zh, looked)
    en = f"driver {driver} (CUDA {cuda}) runs torch built for CUDA {built}"
    return ok(name, en, f"驱动 {driver}（CUDA {cuda}）可运行为 CUDA {built} 构建的 torch", looked)


def _major(version: str) -> int:
    return int(version.partition(".")[0] or 0)


def _versions(machine: Machine) -> Result:
    name, have = "packages", machine.packages
    if "torch" not in have:
        lack = Text("no torch in the python on PATH ({v})", "PATH 上的 python（{v}）中没有 torch")
        return not_seen(name, lack.fill(v=machine.python), PACKAGES)
    flash = _FLASH.search(have.get("flash-attn", ""))
    torch = have["torch"]
    if flash and not torch.startswith(flash[2] + "."):
        en = f"flash-attn {have['flash-attn']} is built for torch {flash[2]}, torch is {torch}"
        zh = f"flash-attn {have['flash-attn']} 为 torch {flash[2]} 构建，而 torch 是 {torch}"
        return not_ok(name, en, zh, PACKAGES)
    pin, triton = machine.triton_pin, have.get("triton", "")
    if pin and triton and triton.partition("+")[0] != pin:
        en = f"torch {torch} asks for triton {pin}, triton is {triton}"
        return not_ok(name, en, f"torch {torch} 要求 triton {pin}，而 triton 是 {triton}", PACKAGES)
    told = ", ".join(f"{n} {v}" for n, v in have.items())
    return ok(
        name, f"python {machine.python}: {told}", f"python {machine.python}：{told}", PACKAGES
    )


def _releases(scene: Scene, machine: Machine) -> Iterator[Result]:
    """Two libraries of releases that a cause knows not to work beside each other: each installed, or
    pinned to one version where it is not.

    A fault of one package alone shows itself in some runs only: it is told where it is seen.
    """
    name, found = "releases", False
    exact = {n: r for n, r in scene.releases.items() if r.version}
    have = {n: r.version for n, r in exact.items()} | {**machine.packages, "python": machine.python}
    for cause, raw in scene.index.raw["causes"].items():
        wanted = {fault["package"] for fault in raw.get("versions", ())}
        if len(wanted) < 2 or not wanted <= have.keys():
            continue
        if affected(scene.index.causes[cause].versions, have):
            found, title = True, scene.index.causes[cause].title
            pair = [f"{n} {have[n]}" for n in sorted(wanted)]
            en = f"{', '.join(pair)}: {title.en} ({cause})"
            zh = f"{'、'.join(pair)}：{title.zh}（{cause}）"
            yield not_ok(name, en, zh, PACKAGES, _pin(exact, machine, wanted))
    if not found and machine.packages:
        en = "none of the pairs that are known not to work together"
        yield ok(name, en, "没有已知互不兼容的版本组合", PACKAGES)


def _pin(exact: Mapping[str, Release], machine: Machine, wanted: set[str]) -> Source | None:
    """The line that pins one of them, where it is not installed."""
    return next(
        (exact[n].source for n in sorted(wanted) if n not in machine.packages and n in exact), None
    )


def _compiler(scene: Scene, machine: Machine) -> Result:
    """Triton compiles its launcher with a C compiler and Python.h at the first kernel."""
    name = "compiler"
    looked = Text(
        "CC, gcc, clang, cc on PATH; Python.h", "PATH 上的 CC、gcc、clang、cc，以及 Python.h"
    )
    lacks = [
        w
        for w, there in (("a C compiler", machine.compiler), ("Python.h", machine.headers))
        if there == ""
    ]
    if not lacks and machine.headers is None:
        unknown = Text(
            "{c}; which python runs is not known, so neither is its Python.h",
            "{c}；无法确定实际运行的 python，因此也无法确定是否有 Python.h",
        )
        return not_seen(name, unknown.fill(c=machine.compiler), looked)
    if not lacks:
        return ok(
            name,
            f"{machine.compiler}, {machine.headers}",
            f"{machine.compiler}，{machine.headers}",
            looked,
        )
    en = f"no {' and no '.join(w.removeprefix('a ') for w in lacks)}"
    zh = "缺少 " + "、".join({"a C compiler": "C 编译器"}.get(w, w) for w in lacks)
    why = _compiles(scene)
    if why:
        field = why if why in scene.config.values else ""
        source = scene.field_source(field) if field else None
        return not_ok(
            name,
            f"{en}, and {why} compiles kernels",
            f"{zh}，而 {why} 需要编译 kernel",
            looked,
            source,
        )
    lack = Text("nothing in these files asks for compiled kernels", "这些文件没有要求编译 kernel")
    return not_seen(name, Text(f"{en}; {lack.en}", f"{zh}；{lack.zh}"), looked)


def _compiles(scene: Scene) -> str:
    """The field that asks for Triton or for an extension built at start."""
    config = scene.config
    if config.get("compile") is True:
        return "compile"
    if config.get("fused_loss") is True:
        return "fused_loss"
    offload = config.get("optimizer_offload")
    if offload in ("cpu", "nvme") and config.get("zero_stage") is not None:
        return "optimizer_offload"
    return ""
