"""Identifiers of hardware, machines that differ in a number, and owners in listings."""

from __future__ import annotations

import pytest

from medic.redact.hide import Redactor

UUID = "5f3a1b2c-1234-5678-9abc-def012345678"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"GPU 0: NVIDIA H100 (UUID: GPU-{UUID})", "GPU 0: NVIDIA H100 (UUID: GPU-<gpu1>)"),
        (f"CUDA_VISIBLE_DEVICES=MIG-{UUID}", "CUDA_VISIBLE_DEVICES=MIG-<gpu1>"),
        (f"MIG-GPU-{UUID}/1/0", "MIG-GPU-<gpu1>/1/0"),
        (f"uuid={UUID}, L2_cache_size=50MB", "uuid=<gpu1>, L2_cache_size=50MB"),
        ("Serial Number      : 1654922009999", "Serial Number      : <serial1>"),
        ("node_guid: 0c42:a103:0065:a1b2", "node_guid: <guid1>"),
        # What only looks like one.
        ("PG GUID 0(default_pg) Rank 1", "PG GUID 0(default_pg) Rank 1"),
        ("serial: false", "serial: false"),
        (f"run {UUID}", f"run {UUID}"),
        ("GPU-0 and gpu-1", "GPU-0 and gpu-1"),
    ],
)
def test_what_tells_one_piece_of_hardware(text: str, read: str) -> None:
    assert Redactor().as_read(text) == read


def test_machines_that_differ_in_their_number() -> None:
    text = "HOSTNAME=gpuserver07\nlost gpuserver09, step09 and gpuserver_count=4"
    read = "HOSTNAME=<host1>\nlost <host2>, step09 and gpuserver_count=4"
    assert Redactor().as_read(text) == read


@pytest.mark.parametrize("name", ["worker7", "rank0", "node3"])
def test_what_else_is_numbered_tells_no_machine(name: str) -> None:
    other = name.rstrip("0123456789") + "12"
    assert other in Redactor().as_read(f"HOSTNAME={name}\n{other} started")


def test_a_list_of_nodes_stays_as_long_as_it_is() -> None:
    read = Redactor().as_read("SLURM_JOB_NODELIST=dgx[01-03]\ndgx02: up")
    assert read == "SLURM_JOB_NODELIST=<host1>,<host2>,<host3>\n<host2>: up"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("-rw-r--r-- 1 hliang nlpgroup 4096 Mar  1 a.pt", "-rw-r--r-- 1 <user1> <user2> 4096 Mar  1 a.pt"),
        ("drwxr-xr-x 2 root root 4096 Mar  1 out", "drwxr-xr-x 2 root root 4096 Mar  1 out"),
        ("USER  PID %CPU %MEM COMMAND\nhliang  12  0.0  0.1 python", "USER  PID %CPU %MEM COMMAND\n<user1>  12  0.0  0.1 python"),
        ("USER sees: nothing of it\nhliang", "USER sees: nothing of it\nhliang"),
    ],
)  # fmt: skip
def test_owners_in_listings(text: str, read: str) -> None:
    assert Redactor().as_read(text) == read


def test_addresses_that_every_machine_has() -> None:
    text = "docker0:172.17.0.1<0> lo:127.0.1.1<0> eth0:10.1.2.3<0>"
    assert Redactor().as_read(text) == "docker0:172.17.0.1<0> lo:127.0.1.1<0> eth0:<ip1><0>"
