"""Over what NCCL sends between the nodes of a run, as its own lines tell."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Hit, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK = "nccl-network"
IN_USE = "nccl-network-in-use"
_HOST = regex(r"([A-Za-z][\w.-]{0,60}):\d+:\d+ \[\d+\] NCCL ")
SHOWN = 4  # hosts by name
TOLD = "rdma-told"
_SET = regex(r"\b(NCCL_(?:IB_\w+|NET)) set by environment to (\S+?)[.,]?$")
# Variables that speak of RDMA alone, and values that ask for it (NCCL documentation, environment variables).
_ASKS = regex(
    r"^NCCL_(?:IB_(?:HCA|GID_INDEX|TC|SL|TIMEOUT|QPS_PER_CONNECTION|CUDA_SUPPORT)=.|IB_DISABLE=0$|NET=\"?IB)"
)
_OFF = "NCCL_IB_DISABLE=1"


def run(look: Look) -> Iterator[Finding]:
    by_host: dict[str, tuple[str, Source]] = {}
    for hit in look.fact(LogHits).hits:
        host = _HOST.search(hit.source.text) if hit.signature == IN_USE else None
        if host is not None:
            by_host[host[1]] = (str(hit.captures.get("network", "")), hit.source)
    if not by_host:
        return
    sockets = [host for host, (network, _) in by_host.items() if network.lower() == "socket"]
    # A log of one node tells of all, where the run has more: NCCL sends over one kind of network.
    nodes = max(len(sockets), config_of(look).integer("nodes") or 1)
    if not sockets or nodes < 2 or len(sockets) < len(by_host):
        yield Finding(CHECK, "usual")
        return
    value = {"n": nodes, "hosts": ", ".join(sorted(sockets)[:SHOWN])}
    at, told = by_host[sockets[0]][1], _told(look)
    off = next((one for one in told if one[0] == _OFF), None)
    asks = next((one for one in told if one[0] != _OFF), None)
    if off is not None:
        yield Finding(CHECK, "switched-off", {**value, "told": off[0]}, off[1], more=(at,))
    elif asks is not None:
        yield Finding(
            CHECK, "sockets-though-rdma-told", {**value, "told": asks[0]}, at, more=(asks[1],)
        )
    else:
        yield Finding(CHECK, "sockets-between-nodes", value, at)


def _told(look: Look) -> list[tuple[str, Source]]:
    """What the run's environment, or its nodes' own lists, tell of RDMA: as words, with their place."""
    found = [one for hit in look.fact(LogHits).marks if (one := _of_line(hit)) is not None]
    for launch in look.fact(Launches).launches if look.has(Launches) else ():
        place = Source(launch.span.file, launch.span.line)
        words = (f"{name}={value}" for name, value in launch.environment.items())
        found += [(one, place) for one in words if one == _OFF or _ASKS.search(one)]
    return found


def _of_line(hit: Hit) -> tuple[str, Source] | None:
    if hit.signature != TOLD:
        return None
    text = hit.source.text.strip()
    setting = _SET.search(text)
    if setting is None:
        return None if " set by environment to" in text else (text[:60], hit.source)
    words = f"{setting[1]}={setting[2]}"
    return (words, hit.source) if words == _OFF or _ASKS.search(words) else None


PROBE = Probe(
    name="nccl-network",
    title=Text("the network that NCCL uses", "NCCL 使用的网络"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(RunConfig, Launches),
    seconds=0.01,
    run=run,
)
