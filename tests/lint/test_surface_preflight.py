"""``medic preflight``: what this machine has against what the launch asks, from facts made here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.facts import Gpu, GpuProcess, GpuState, Machine, Place, Places, Ports, Source, Variable
from medic.i18n import Text
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.preflight import Result, Scene, look_at
from medic.preflight.network import _written
from medic.preflight.places import checkpoint_bytes
from medic.preflight.scene import judge
from medic.preflight.variables import known
from medic.run_config import Origin, RunConfig, Span, Value

INDEX = load()
GIB = 1 << 30
SPAN = Span("launch.sh", 0, 1, 4, 1, 4, 2)


def config(**values: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("file", SPAN, key=k)) for k, v in values.items()})


MACHINE = Machine(
    interfaces={"lo": True, "eth0": True, "ib0": True, "ib1": False},
    shm_total=64 * GIB,
    shm_free=60 * GIB,
    limits={"n": 65536, "u": None, "l": None},
    compiler="/usr/bin/gcc",
    headers="/usr/include/python3.11",
    python="3.11",
    packages={"torch": "2.6.0", "triton": "3.2.0", "flash-attn": "2.7.4+cu12torch2.6cxx11abiTRUE"},
    torch_cuda="12.4",
    triton_pin="3.2.0",
)
GPUS = GpuState(
    tuple(Gpu(i, total=80 * GIB, used=GIB // 4) for i in range(8)), "this-host", "550.54", "12.4"
)
PLACES = Places(
    Place("save", "/ckpt", True, True, holder="/ckpt", free=900 * GIB),
    (Place("data_path", "/data/a", True, True),),
)
CONFIG = config(
    gpus_per_node=8,
    nodes=2,
    world_size=16,
    master_port=29501,
    num_workers=2,
    parameters=1_000_000_000,
)
LLAMA_LAYERS = {
    "num_layers": 32,
    "hidden_size": 4096,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 14336,
}
SCENE = Scene(
    INDEX, CONFIG, gpus=GPUS, ports=Ports(frozenset({22})), machine=MACHINE, places=PLACES
)


def test_what_only_the_shell_knows_is_named_as_it_is_written(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(
        "cd /srv\ntorchrun --nproc_per_node 2 --master_port 29777 own/train.py "
        "--deepspeed ./conf/zero3.json --output_dir ./out/$NAME\n"
    )
    found = {r.name: r for r in look_at(collect([str(script)]), INDEX).results}
    assert found["output"].state == found["data"].state == "not-seen"
    assert "./out/$NAME" in found["output"].text.en
    assert found["variable"].text.en == "none is set that medic knows"


def test_what_this_shell_has_set_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHARED", str(tmp_path))
    monkeypatch.delenv("DATE", raising=False)
    script = tmp_path / "run.sh"
    script.write_text(
        "DATA=$HOME/data\ntorchrun --nproc_per_node 2 --master_port 29777 run_clm.py "
        '--train_file $DATA/absent.jsonl --validation_file "$SHARED/run.sh" '
        "--test_file $DATE/test.jsonl --output_dir ${HOME}/out\n"
    )
    found = look_at(collect([str(script)]), INDEX).results
    data = {(r.state, r.text.en) for r in found if r.name == "data"}
    assert data == {
        ("not-ok", f"--train_file: {tmp_path}/data/absent.jsonl is not here"),
        ("ok", f"--validation_file: {script}"),
        ("not-seen", "--test_file: only the running shell knows $DATE/test.jsonl"),
    }
    assert [(r.state, r.source.line) for r in found if r.name == "output"] == [("ok", 2)]
    read = lint(collect([str(script)]), INDEX)
    assert not any(str(tmp_path) in f"{one.message}" for one in read.findings)


def states(scene: Scene) -> dict[str, Result]:
    return {r.name: r for r in judge(scene).results}


def machine(**more: Any) -> Scene:
    return replace(SCENE, machine=replace(MACHINE, **more))


def variables(values: Mapping[str, str]) -> Scene:
    source = Source(file="launch.sh", line=2)
    return machine(variables=tuple(Variable(n, v, source) for n, v in values.items()))


def asked(**values: Any) -> Scene:
    return replace(SCENE, config=RunConfig({**CONFIG.values, **config(**values).values}))


def gpu(**more: Any) -> Scene:
    first = replace(GPUS.gpus[0], **more)
    return replace(SCENE, gpus=replace(GPUS, gpus=(first, *GPUS.gpus[1:])))


def test_all_is_well() -> None:
    assert [r.name for r in judge(SCENE).results if r.state != "ok"] == []
    assert judge(SCENE).is_ok


BAD = [
    ("gpu-count", asked(gpus_per_node=16), "16 ranks start here, 8 GPUs"),
    ("gpu-count", variables({"CUDA_VISIBLE_DEVICES": "0,1"}), "8 ranks start here, 2 GPUs"),
    ("gpu-memory", gpu(used=30 * GIB), "GPU 0: 30.0 GiB in use by processes that this user"),
    ("gpu-memory", gpu(used=30 * GIB, processes=(GpuProcess(7, "python", None),)), "by python (pid 7)"),
    ("gpu-health", gpu(row_remap_failed=True), "GPU 0: row remapping failed"),
    ("gpu-health", gpu(compute_mode="Prohibited"), "Prohibited"),
    ("driver", machine(torch_cuda="13.0"), "torch is built for CUDA 13.0; driver 550.54 runs CUDA 12.4"),
    ("packages", machine(packages={**MACHINE.packages, "torch": "2.7.1"}), "is built for torch 2.6"),
    ("packages", machine(packages={**MACHINE.packages, "triton": "3.1.0"}), "asks for triton 3.2.0"),
    ("compiler", replace(asked(compile=True), machine=replace(MACHINE, headers="")), "no Python.h, and compile"),
    ("port", replace(SCENE, ports=Ports(frozenset({29501}))), "port 29501 is taken"),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "eth9"}), "no such interface; there are eth0"),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "=eth"}), "no such interface"),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "ib1"}), "ib1 is down"),
    ("interface", variables({"GLOO_SOCKET_IFNAME": "eth"}), "no such interface"),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "lo"}), "the launch has 2 nodes"),
    ("interface", variables({"GLOO_SOCKET_IFNAME": "lo"}), "reaches no other machine"),
    ("shared-memory", machine(shm_total=GIB // 16, shm_free=GIB // 16), "too little"),
    ("open-files", machine(limits={"n": 256}), "256 open files"),
    ("open-files", replace(asked(num_workers=16), machine=replace(MACHINE, limits={"n": 1024})), "ulimit -n"),
    ("processes", machine(limits={"u": 100}), "8 ranks with their workers take about 768"),
    ("locked-memory", machine(limits={"l": 65536}, infiniband=("mlx5_0",)), "64 KiB of locked memory"),
    ("output", replace(SCENE, places=replace(PLACES, output=Place("save", "/x", False, False, holder="/"))), "/ cannot be written"),
    ("disk-space", replace(asked(parameters=7_000_000_000, zero_stage=1), places=replace(PLACES, output=Place("save", "/c", True, True, free=50 * GIB))), "about 78.2 GiB"),
    ("disk-space", replace(SCENE, places=replace(PLACES, output=Place("save", "/c", True, True, free=900 * GIB, free_files=0))), "no inode left"),
    ("data", replace(SCENE, places=replace(PLACES, inputs=(Place("data", "/d/x", False, False),))), "data: /d/x is not here"),
    ("variable", variables({"NCCL_TIMEOUT": "3600"}), "NCCL_TIMEOUT=3600: nothing reads it"),
    ("variable", variables({"NCCL_IB_DISABLE": "true"}), "NCCL does not take this value"),
    ("variable", variables({"NCCL_DEBUG": "DEBUG"}), "NCCL does not take this value"),
    ("variable", variables({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments=True"}), "does not take this value; expandable_segments:True is meant"),
    ("variable", variables({"CUDA_VISIBLE_DEVICES": "0-7"}), "does not take this value"),
    ("variable", variables({"NCCL_SOCKET_IFNMAE": "eth0"}), "did you mean NCCL_SOCKET_IFNAME?"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["NCCL_SOCKET_IFNAME2", "NCCL_SOCKET_IFNAMS", "NCCL_SOCKET"])
def test_a_name_that_may_be_anothers_is_not_judged(name: str) -> None:
    assert states(variables({name: "eth0"}))["variable"].state == "ok"


@pytest.mark.parametrize(("name", "scene", "words"), BAD)
def test_what_is_not_ok(name: str, scene: Scene, words: str) -> None:
    found = judge(scene)
    wrong = [r for r in found.results if r.state == "not-ok"]
    assert [r.name for r in wrong if r.name == name] == [name]
    assert len(wrong) == 1
    assert words in wrong[0].text.en
    assert re.search(r"[\u4e00-\u9fff]", wrong[0].text.zh)
    assert str(wrong[0].looked)
    assert not found.is_ok


GOOD = [
    ("interface", variables({"NCCL_SOCKET_IFNAME": "eth"})),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "^lo,docker"})),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "=ib0"})),
    ("interface", variables({"GLOO_SOCKET_IFNAME": "eth0,ib0"})),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "$IFACE"})),
    ("interface", variables({"NCCL_SOCKET_IFNAME": "lo,eth0"})),
    ("interface", replace(variables({"NCCL_SOCKET_IFNAME": "lo"}), config=RunConfig({**CONFIG.values, **config(nodes=1, world_size=8).values}))),
    ("driver", machine(torch_cuda="12.8")),
    ("locked-memory", machine(limits={"l": 65536})),
    ("locked-memory", machine(limits={"l": 65536}, infiniband=("mlx5_0",), may_lock=True)),
    ("open-files", machine(limits={"n": 1024})),
    ("variable", variables({"NCCL_IB_DISABLE": "1", "NCCL_DEBUG": "info", "NCCL_P2P_LEVEL": "NVL"})),
    ("variable", variables({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True,max_split_size_mb:128"})),
    ("variable", variables({"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:[256:1,512:2,>:8]"})),
    ("variable", variables({"CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7", "OMP_NUM_THREADS": "8"})),
    ("variable", variables({"NCCL_MY_OWN_SETTING": "x", "NCCL_IB_SL": "3", "NCCL_IB_TC": "106"})),
    ("variable", variables({"TORCH_NCCL_BLOCKING_WAIT": "$WAIT"})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scene"), GOOD)
def test_what_is_ok(name: str, scene: Scene) -> None:
    assert states(scene)[name].state == "ok"
    assert judge(scene).is_ok


UNSEEN = [
    ("gpu-count", replace(SCENE, gpus=None, why={"gpu": Text("no driver", "没有驱动")}), "no driver"),
    ("driver", machine(torch_cuda=""), "no CUDA build of torch"),
    ("gpu-count", replace(SCENE, config=config(world_size=16)), "needs gpus_per_node, nodes"),
    ("port", replace(SCENE, config=config(gpus_per_node=8)), "names no port"),
    ("port", replace(SCENE, ports=None), "could not be looked at"),
    ("compiler", machine(compiler="", headers=""), "no C compiler and no Python.h; nothing"),
    ("packages", machine(packages={}), "no torch in the python on PATH"),
    ("data", replace(SCENE, places=replace(PLACES, inputs=(Place("data", "d/x", False, False, sure=False),))), "in the folder of its program"),
    ("data", replace(SCENE, places=replace(PLACES, inputs=())), "names no local path"),
    ("output", replace(SCENE, places=replace(PLACES, output=None)), "no output folder"),
    ("disk-space", replace(SCENE, config=config(gpus_per_node=8)), "size of a checkpoint is not known"),
    ("shared-memory", replace(SCENE, machine=None), "could not be looked at"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scene", "words"), UNSEEN)
def test_what_is_not_seen_is_no_fault(name: str, scene: Scene, words: str) -> None:
    one = states(scene)[name]
    assert one.state == "not-seen"
    assert words in one.text.en
    assert judge(scene).is_ok


def test_places_of_a_result_are_the_launchs() -> None:
    assert states(asked(gpus_per_node=16))["gpu-count"].source.where() == "launch.sh:4"
    assert states(variables({"NCCL_TIMEOUT": "1"}))["variable"].source.where() == "launch.sh:2"


# ZeRO (arXiv 1910.02054, section 3.1): 2 + 12 bytes a parameter; bitsandbytes: a byte a moment, and
# an fp32 scale for each 256 values.
SAVED: list[tuple[dict[str, Any], float]] = [
    ({"zero_stage": 1, "precision": "bf16"}, 14),
    ({"zero_stage": 3, "precision": "bf16"}, 14),
    ({"zero_stage": 1}, 12),
    ({"precision": "bf16"}, 12),
    ({"precision": "bf16", "parameter_dtype": "bf16"}, 6),
    ({"precision": "bf16", "optimizer": "paged_adamw_8bit"}, 4 + 2 * (1 + 4 / 256)),
    ({"parameter_dtype": "bf16", "optimizer": "adamw_8bit"}, 2 + 2 * (1 + 4 / 256)),
    ({"optimizer": "lion"}, 8),
]


def test_the_size_of_a_checkpoint() -> None:
    for more, each in SAVED:
        assert checkpoint_bytes(asked(**more)) == (int(each * 10**9), True)
    assert checkpoint_bytes(asked(lora_rank=8)) == (None, True)
    assert checkpoint_bytes(replace(SCENE, config=config(gpus_per_node=8)))[0] is None


def test_the_size_of_the_named_models_checkpoint() -> None:
    named = replace(SCENE, config=config(base_model="Qwen/Qwen3-8B"))
    size, whole = checkpoint_bytes(named)
    assert whole
    assert size == pytest.approx(12 * 8.19e9, rel=0.01)  # its card: 8.2B parameters
    full = replace(
        named, places=replace(PLACES, output=Place("save", "/c", True, True, free=64 * GIB))
    )
    assert states(full)["disk-space"].state == "not-ok"


def test_room_for_a_part_is_not_called_enough() -> None:
    part = states(replace(SCENE, config=config(**LLAMA_LAYERS)))["disk-space"]
    assert part.state == "not-seen"
    assert "a checkpoint takes at least 7" in part.text.en
    assert "一个检查点至少 7" in part.text.zh
    small = states(replace(SCENE, config=config(parameters=3_600_000)))["disk-space"]
    assert "a checkpoint takes about 41.2 MiB" in small.text.en


def test_every_accepted_form_is_a_pattern() -> None:
    terms = known(SCENE)
    patterns = {name: term.accepts for name, term in terms.items() if term.accepts}
    assert len(patterns) >= 30
    for name, pattern in patterns.items():
        assert not re.fullmatch(pattern, "no such value!"), name


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe of POSIX")
def test_an_address_in_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "launch.sh")
    assert _written(Span(str(tmp_path / "launch.sh"), 0, 9, 1, 1, 1, 10)) == ""
