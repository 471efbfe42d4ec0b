"""Over what NCCL sends between the nodes of a run, as its own lines tell."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK = "nccl-network"
IN_USE = "nccl-network-in-use"
_HOST = regex(r"([A-Za-z][\w.-]{0,60}):\d+:\d+ \[\d+\] NCCL ")
SHOWN = 4  # hosts by name


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
    yield Finding(CHECK, "sockets-between-nodes", value, by_host[sockets[0]][1])


PROBE = Probe(
    name="nccl-network",
    title=Text("the network that NCCL uses", "NCCL 使用的网络"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(RunConfig,),
    seconds=0.01,
    run=run,
)
