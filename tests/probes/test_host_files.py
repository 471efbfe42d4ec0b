"""What saved texts about a node say: of any program, of any node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.case.filekind import kind_of
from medic.facts import GpuState, HostReports, Packages
from medic.facts.interfaces import chosen
from medic.index.knowledge import load
from medic.runner.evidence import Evidence
from medic.runner.registry import all_probes
from medic.runner.run import observe

COLLECT_ENV = """\
Collecting environment information...
PyTorch version: 2.6.0+cu124
Is debug build: False
CUDA used to build PyTorch: 12.4

OS: Ubuntu 22.04.4 LTS (x86_64)
Python version: 3.11.9 (main, Apr  6 2024, 17:59:24) [GCC 11.4.0] (64-bit runtime)
Is CUDA available: True
GPU models and configuration:
GPU 0: NVIDIA A100-SXM4-80GB
GPU 1: NVIDIA A100-SXM4-80GB

Nvidia driver version: 550.54.15

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] nvidia-nccl-cu12==2.21.5
[pip3] transformers==4.51.3
"""
TOPOLOGY = """\
\t\x1b[4mGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\x1b[0m
GPU0\t X \tNV12\tSYS\t0-31\t0
GPU1\tNV12\t X \tSYS\t0-31\t0
GPU2\tSYS\tSYS\t X \t32-63\t1
"""
IP_ADDR = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    inet 127.0.0.1/8 scope host lo
2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default
3: ib0: <BROADCAST,MULTICAST> mtu 4092 qdisc noop state DOWN group default
"""
DF = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  200G  120G   80G  60% /
tmpfs            64M     0   64M   0% /dev/shm
/dev/loop3       64M   64M     0 100% /snap/core
nas:/vol1        10T   10T     0 100% /mnt/out
"""
DF_INODES = """\
Filesystem     Inodes IUsed IFree IUse% Mounted on
/dev/sda1      1000000 1000000 0 100% /mnt/out
"""
FULL = "OSError: [Errno 28] No space left on device: '/mnt/out/ckpt/step_100/model.pt'\n"
Look = Callable[..., Evidence]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    def run(**files: str) -> Evidence:
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text, "utf-8")
        rooms = ("host_files", "packages", "logs", "config", "flags", "gpu")
        probes = [p for p in all_probes(rooms) if p.reads == "artefacts"]
        return observe(collect([str(tmp_path)]), load(), probes)

    return run


def outcomes(evidence: Evidence) -> dict[str, str]:
    rows = [o for o in evidence.observed if o.probe == "host-files-checks"]
    return {o.name: o.outcome for o in rows}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("collect_env.txt", COLLECT_ENV),
        ("nvidia-smi-topo.txt", TOPOLOGY),
        ("node7.txt", IP_ADDR),
        ("df.txt", DF),
        ("out.txt", DF_INODES),
        ("pip-freeze.txt", "".join(f"package{i}==1.{i}\n" for i in range(30))),
    ],
)
def test_texts_are_known_by_their_content(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert kind_of(str(tmp_path / name)) == "host-report"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.log", "Filesystem is slow\nstep 1 loss 2.0\n"),
        ("requirements.txt", "torch==2.6.0\n"),
        ("topology.log", "step 1\n"),
        ("slurm-12.out", DF + "step 1 loss 2.0\n"),
        ("env.log", COLLECT_ENV + "Traceback (most recent call last):\n"),
        ("environment.txt", COLLECT_ENV + "epoch 1: loss=2.5\n"),
    ],
)
def test_other_texts_are_not(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert kind_of(str(tmp_path / name)) != "host-report"


def test_collect_env_tells_versions_and_gpus(look: Look) -> None:
    evidence = look(collect_env__txt=COLLECT_ENV)
    versions = evidence.fact(Packages).versions
    assert versions["torch"] == "2.6.0+cu124"
    assert versions["transformers"] == "4.51.3"
    assert evidence.fact(Packages).sources["transformers"].line == 18
    assert [g.name for g in evidence.fact(GpuState).gpus] == ["NVIDIA A100-SXM4-80GB"] * 2


def test_what_the_log_says_of_a_version_goes_before(look: Look) -> None:
    evidence = look(
        collect_env__txt=COLLECT_ENV, train__log="transformers==4.40.0\nstep 1 loss 2\n"
    )
    assert evidence.fact(Packages).versions["transformers"] == "4.40.0"


def test_topology_and_interfaces(look: Look) -> None:
    reports = look(topo__txt=TOPOLOGY, ip_addr__txt=IP_ADDR).fact(HostReports).reports
    links = next(r.links for r in reports if r.links)
    assert (links[0, 1], links[0, 2], links[2, 1]) == ("NV12", "SYS", "SYS")
    interfaces = next(r.interfaces for r in reports if r.interfaces)
    assert interfaces == {"lo": True, "eth0": True, "ib0": False}


def test_a_full_disk_is_the_one_that_the_message_names(look: Look) -> None:
    evidence = look(df__txt=DF, train__log=FULL)
    finding = next(
        o.finding
        for o in evidence.observed
        if o.name == "disk-space" and o.probe == "host-files-checks"
    )
    assert (finding.outcome, finding.value["path"], finding.source.line) == ("full", "/mnt/out", 5)


def test_inodes_that_ran_out(look: Look) -> None:
    evidence = look(df__txt=DF_INODES, train__log=FULL)
    assert outcomes(evidence)["disk-space"] == "no-inodes"


def test_a_full_disk_without_a_message_is_none(look: Look) -> None:
    assert "disk-space" not in outcomes(look(df__txt=DF, train__log="step 1 loss 2.0\n"))


def test_a_disk_with_space_left_says_nothing_of_a_quota(look: Look) -> None:
    other = FULL.replace("/mnt/out", "/home/x")
    assert "disk-space" not in outcomes(look(df__txt=DF, train__log=other))


def disk(evidence: Evidence) -> set[str]:
    return {o.outcome for o in evidence.observed if o.name == "disk-space"}


ROOMY = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p1  3.5T  1.2T  2.3T  35% /mnt/out
"""


def test_a_refused_write_where_df_shows_room(look: Look) -> None:
    assert disk(look(df__txt=ROOMY, train__log=FULL)) == {"room-shown"}


def test_rows_of_df_below_the_message_are_read_too(look: Look) -> None:
    assert disk(look(train__log=FULL + "$ df -h\n" + ROOMY)) == {"room-shown"}
    row = ROOMY.splitlines()[1] + "\n"
    assert disk(look(train__log=FULL + row)) == {"room-shown"}


def test_a_text_with_an_error_above_its_table_is_a_log(tmp_path: Path) -> None:
    (tmp_path / "seen.txt").write_text("it died:\n" + FULL + ROOMY, "utf-8")
    assert kind_of(str(tmp_path / "seen.txt")) != "host-report"


@pytest.mark.parametrize(
    "table",
    [
        ROOMY.replace("2.3T  35%", "300G  92%"),  # it may have become full and empty again
        ROOMY + "/dev/sdb 1.8T 1.8T 0 100% /mnt/out/ckpt\n",
        ROOMY.replace("/mnt/out", "/home"),  # not where it was written
    ],
)
def test_no_room_is_shown_where_it_was_written(look: Look, table: str) -> None:
    assert "room-shown" not in disk(look(df__txt=table, train__log=FULL))


def test_room_without_a_refused_write_is_nothing(look: Look) -> None:
    assert disk(look(df__txt=ROOMY, train__log="step 1 loss 2.0\n")) == set()


def test_a_small_shared_memory(look: Look) -> None:
    assert outcomes(look(df__txt=DF))["shared-memory-size"] == "too-small"
    large = DF.replace("64M     0   64M", "64G     0   64G")
    assert outcomes(look(df__txt=large))["shared-memory-size"] == "enough"


def test_an_interface_that_a_node_does_not_have(look: Look) -> None:
    launch = "export NCCL_SOCKET_IFNAME=bond0\ntorchrun --nnodes=2 --nproc_per_node=8 train.py\n"
    evidence = look(ip_addr__txt=IP_ADDR, run__sh=launch)
    assert outcomes(evidence)["network-interface"] == "no-such-interface"
    evidence = look(ip_addr__txt=IP_ADDR, run__sh=launch.replace("bond0", "eth"))
    assert "network-interface" not in outcomes(evidence)


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("NCCL_SOCKET_IFNAME", "eth", ["eth0", "eth1"]),
        ("NCCL_SOCKET_IFNAME", "=eth", []),
        ("NCCL_SOCKET_IFNAME", "=eth1", ["eth1"]),
        ("NCCL_SOCKET_IFNAME", "eth0:1", ["eth0"]),
        ("NCCL_SOCKET_IFNAME", "^eth", ["ib0"]),
        ("NCCL_SOCKET_IFNAME", "^=eth0", ["eth1", "ib0"]),
        ("NCCL_SOCKET_IFNAME", "ib,lo", ["lo", "ib0"]),
        ("GLOO_SOCKET_IFNAME", "eth0,ib0", ["eth0", "ib0"]),
        ("GLOO_SOCKET_IFNAME", "eth", []),
    ],
)
def test_how_a_variable_picks_interfaces(name: str, value: str, names: list[str]) -> None:
    assert chosen(name, value, ["eth0", "eth1", "lo", "ib0"]) == names


def test_odd_texts_say_nothing(look: Look) -> None:
    odd = (
        "Filesystem Size Used Avail Use% Mounted on\n"
        + "x " * 20_000
        + "\n/dev/sda 9999999999999999999T 1 1 1% /x\n\x1b[31mGPU0 \x00\n"
    )
    evidence = look(df__txt=odd)
    assert not [r.error for r in evidence.runs.values() if r.error]
