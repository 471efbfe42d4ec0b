"""This machine: disk, port, cores and memory."""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from medic.probes import host

from medic.facts import Hit, Host, LogHits, Ports, Source
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Value

GIB = 1 << 30


def asked(skip: Any) -> tuple[str, str]:
    """What a skip says that it needs, and for which check."""
    assert isinstance(skip, Skip)
    return skip.needs.en, skip.check


def hit(symptom: str, text: str = "", **captures: Any) -> LogHits:
    return LogHits(
        (Hit("s", symptom, "root", Source("train.log", 7, text=text), captures, (0.0, 0, 7)),)
    )


FULL = hit("disk-full", "OSError: [Errno 28] No space left on device")
IN_USE = "The server socket has failed to listen on any local network address. port: {}, useIpv6: 0"


def config(**fields: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("file")) for k, v in fields.items()})


def disk(
    monkeypatch: pytest.MonkeyPatch, free: int, total: int = 1000 * GIB, files: int = 1000
) -> None:
    monkeypatch.setattr(
        host.shutil, "disk_usage", lambda _: SimpleNamespace(free=free, total=total)
    )
    monkeypatch.setattr(host.os, "statvfs", lambda _: SimpleNamespace(f_favail=files, f_files=2000))


def told(items: Any) -> Finding | Skip:
    (item,) = items
    assert isinstance(item, (Finding, Skip))
    return item


@pytest.mark.parametrize(
    ("free", "files"),
    [(0, 1000), (9 * GIB, 1000), (400 * GIB, 0)],
    ids=["none", "below 1%", "inodes"],
)
def test_a_full_disk(
    look: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, free: int, files: int
) -> None:
    disk(monkeypatch, free, files=files)
    seen = look(facts=[FULL, config(output_dir=str(tmp_path))], host_is_the_runs=True)
    found = told(host.disk(seen))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["path"]) == ("full", str(tmp_path))
    assert found.source.line == 7


def test_below_a_gib_of_a_small_disk(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    disk(monkeypatch, GIB - 1, total=20 * GIB)
    found = told(host.disk(look({"train.log": "x"}, facts=[FULL], host_is_the_runs=True)))
    assert isinstance(found, Finding)
    assert found.outcome == "full"


def test_space_left(look: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    disk(monkeypatch, 500 * GIB)
    found = told(host.disk(look({"train.log": "x"}, facts=[FULL], host_is_the_runs=True)))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["path"], found.value["free"]) == (
        "space-left",
        str(tmp_path),
        "500.00 GiB",
    )


def test_a_low_disk_without_a_message_is_not_called_full(
    look: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(monkeypatch, 0)
    assert isinstance(told(host.disk(look({"train.log": "x"}, host_is_the_runs=True))), Skip)


@pytest.mark.parametrize("here", [None, False])
def test_another_machines_disk(look: Any, here: bool | None) -> None:
    found = told(host.disk(look({"train.log": "x"}, facts=[FULL], host_is_the_runs=here)))
    assert asked(found) == ("the run to be on this machine", "disk-space")


def test_a_quota_cannot_be_seen(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    disk(monkeypatch, 500 * GIB)
    logs = hit("disk-full", "OSError: [Errno 122] Disk quota exceeded")
    found = told(host.disk(look({"train.log": "x"}, facts=[logs], host_is_the_runs=True)))
    assert asked(found) == ("the user's quota", "disk-space")


def test_a_folder_that_is_not_here(look: Any) -> None:
    seen = look(facts=[FULL, config(output_dir="/no/such/folder")], host_is_the_runs=True)
    assert asked(told(host.disk(seen))) == ("the run's output folder", "disk-space")


# --- port -----------------------------------------------------------------------------------


@pytest.fixture
def listening() -> Any:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_held_port(look: Any, listening: int) -> None:
    logs = hit("port-in-use", IN_USE.format(listening), port=listening)
    found = told(host.port_owner(look(facts=[logs], host_is_the_runs=True)))
    assert isinstance(found, Finding)
    assert found.outcome == "held-by-a-process"
    assert found.value == {
        "port": str(listening),
        "pid": str(os.getpid()),
        "name": psutil.Process().name(),
    }


@pytest.mark.parametrize("way", ["text", "bound", "config"])
def test_where_the_port_is_told(look: Any, listening: int, way: str) -> None:
    facts: list[Any] = [config(master_port=listening)]
    if way == "text":
        facts = [hit("port-in-use", IN_USE.format(listening))]
    elif way == "bound":
        facts = [hit("port-in-use", "failed to bind", bound=listening)]
    else:
        facts.append(hit("port-in-use", "RuntimeError: Address already in use"))
    found = told(host.port_owner(look(facts=facts, host_is_the_runs=True)))
    assert isinstance(found, Finding)
    assert found.value["port"] == str(listening)


def test_a_free_port(look: Any, listening: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))  # bound, but nothing listens on it
        logs = hit("port-in-use", port=other.getsockname()[1])
        found = told(host.port_owner(look(facts=[logs], host_is_the_runs=True)))
    assert isinstance(found, Finding)
    assert found.outcome == "free"


def test_without_a_message_the_port_is_not_judged(look: Any, listening: int) -> None:
    """A live run holds its own port."""
    seen = look(facts=[config(master_port=listening)], host_is_the_runs=True)
    assert asked(told(host.port_owner(seen))) == ("a message that the port is in use", "port-owner")


def test_port_of_another_machine(look: Any, listening: int) -> None:
    seen = look(facts=[hit("port-in-use", port=listening)], host_is_the_runs=None)
    assert asked(told(host.port_owner(seen))) == ("the run to be on this machine", "port-owner")


def test_access_denied(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(**_: Any) -> None:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil, "net_connections", denied)
    monkeypatch.setattr(host, "_tables", lambda: None)  # as where there is no /proc
    seen = look(facts=[hit("port-in-use", port=29500)], host_is_the_runs=True)
    assert asked(told(host.port_owner(seen))) == ("permission to list connections", "port-owner")
    assert isinstance(told(host.ports(seen)), Skip)


def test_another_users_process(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = SimpleNamespace(
        status=psutil.CONN_LISTEN, laddr=SimpleNamespace(port=29500), pid=None
    )
    monkeypatch.setattr(psutil, "net_connections", lambda **_: [connection])
    found = told(
        host.port_owner(look(facts=[hit("port-in-use", port=29500)], host_is_the_runs=True))
    )
    assert isinstance(found, Finding)
    assert found.value == {"port": "29500", "pid": "?", "name": "?"}


# --- the machine ----------------------------------------------------------------------------


def test_ports(look: Any, listening: int) -> None:
    (fact,) = host.ports(look())
    assert isinstance(fact, Ports)
    assert listening in fact.listening


def test_the_machine(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "gpu_count", lambda: 8)
    (fact,) = host.describe(look())
    assert isinstance(fact, Host)
    assert (fact.name, fact.gpus) == (socket.gethostname(), 8)
    assert fact.cores >= 1
    assert fact.memory_total == psutil.virtual_memory().total


def test_every_probe_of_this_machine_says_so() -> None:
    assert {p.reads for p in host.PROBES} == {"this-host"}
