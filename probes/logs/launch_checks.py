"""What the log says about the launch: devices, addresses, interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Hit, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from . import needs
from .evidence import hits

DEVICES, COUNT = "rank-device-map", "gpus-for-ranks"
ADDRESS, INTERFACE = "rendezvous-address", "network-interface"
FAILED = "rendezvous-failed"
LOOKUPS, LOOKUP_SECONDS = 5, 20.0

# Reached from their own machine only: loopback, Docker's and libvirt's bridges, and pairs.
# What the system says where an address does not answer.
_NO_ANSWER = regex(
    r"(?i)refus|timed? ?-?out|connect|unreachable|no route|reset by|closed|\bnot respond"
)
_VIRTUAL = regex(r"^(?:lo|docker\d*|virbr\d*|veth\w*|br-\w+|cni\d*|flannel\S*|tun\d+)$")
_NO_INTERFACE = regex(r"no (?:socket )?interface found|Unable to find address")
_LOCAL_ADDRESS = regex(r"^(?:127\.|localhost|::1|\[::1\]|172\.17\.)")
# Captures of messages that state how many GPUs there are.
_COUNTED = frozenset(["available", "visible", "slot"])


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    yield from _devices(logs)
    yield from _count(logs)
    yield from _address(look, logs)
    yield from _interface(look, logs)


def _devices(logs: LogHits) -> Iterator[Finding]:
    found = next(hits(logs, "duplicate-gpu"), None)
    if found is not None:
        yield Finding(DEVICES, "two-ranks-one-gpu", value=dict(found.captures), source=found.source)
    elif len(logs.ranks) > 1 and logs.steps:
        # NCCL refuses two ranks on one GPU: several ranks that train have their own.
        yield Finding(DEVICES, "distinct")


def _count(logs: LogHits) -> Iterator[Finding]:
    """What a message says about GPUs and ranks; counting them is another probe's part."""
    found = list(hits(logs, "world-size-mismatch", "invalid-device-ordinal"))
    told = next((h for h in found if _COUNTED & h.captures.keys()), None)
    refused = next((h for h in found if h.symptom == "invalid-device-ordinal"), None)
    shown = told or (refused if len(logs.ranks) > 1 else None)
    if shown is not None:
        # An ordinal is refused where a rank's number is beyond the GPUs that its process sees.
        yield Finding(COUNT, "fewer-than-ranks", value=dict(shown.captures), source=shown.source)


def _nodes(look: Look) -> int | None:
    return config_of(look).integer("nodes")


def _address(look: Look, logs: LogHits) -> Iterator[Finding | Skip]:
    found = list(hits(logs, "rendezvous-failed"))
    told = [(address(hit, several_nodes=(_nodes(look) or 1) > 1), hit) for hit in found]
    # That nothing answered is the least that a line can say.
    for outcome, hit in sorted(told, key=lambda t: t[0] == "no-answer"):
        if outcome:
            yield Finding(ADDRESS, outcome, value=dict(hit.captures), source=hit.source)
            return
    if not found and (asked := _asks_again(logs)):
        yield Finding(FAILED, value=dict(asked.captures), source=asked.source)
        yield Finding(ADDRESS, "name-unresolved", value=dict(asked.captures), source=asked.source)
    elif not found:
        yield Finding(ADDRESS, "agrees")
    else:
        yield Skip(needs.ADDRESS, check=ADDRESS)


def _asks_again(logs: LogHits) -> Hit | None:
    """A name that is looked up again and again in vain, in a run that gets no further.

    A host without IPv6 says so once or twice, and connects.
    """
    if logs.steps or logs.ended == "well":
        return None
    asked = [h for h in logs.hits if h.signature == "ipv6-name-not-resolved"]
    times = [h.source.time for h in asked if h.source.time is not None]
    lasting = len(asked) >= LOOKUPS and times and max(times) - min(times) >= LOOKUP_SECONDS
    return asked[-1] if lasting else None


def address(hit: Hit, *, several_nodes: bool) -> str:
    """What a rendezvous failure says about the address; empty if nothing."""
    text = hit.source.text
    if "variable" in hit.captures or "expected, but not set" in text:
        return "not-set"
    if re.search(r"gai ?error|Name or service not known|name resolution|nodename nor", text):
        return "name-unresolved"
    if re.search(r"clients joined|worker_count|num_workers_joined|failed to join", text):
        return "some-never-joined"
    if re.search(r"wait timeout after \d+ms, keys: \S*//(?:cpu|cuda)//\d+/\d+", text):
        return "some-never-joined"  # the key that the rank of this number would have written
    host = str(hit.captures.get("host", ""))
    if several_nodes and _LOCAL_ADDRESS.match(host):
        return "loopback-across-nodes"
    if hit.role in ("root", "either") and _NO_ANSWER.search(text):
        return "no-answer"
    return ""


def _interface(look: Look, logs: LogHits) -> Iterator[Finding | Skip]:
    trouble = list(hits(logs, "network-unreachable"))
    missing = next((h for h in trouble if _NO_INTERFACE.search(h.source.text)), None)
    if missing is not None:
        value = dict(missing.captures)
        yield Finding(INTERFACE, "no-such-interface", value=value, source=missing.source)
        return
    several = bool(trouble) or (_nodes(look) or 1) > 1
    used = [h for h in logs.hits if {"interface", "address"} <= h.captures.keys()]
    for hit in [*used, *trouble]:
        if several and _virtual(hit):
            value = dict(hit.captures)
            yield Finding(INTERFACE, "loopback-or-virtual", value=value, source=hit.source)
            return
    if used:
        yield Finding(INTERFACE, "usable", value=dict(used[0].captures), source=used[0].source)
    elif several:
        yield Skip(needs.NCCL_INFO, check=INTERFACE)


def _virtual(hit: Hit) -> bool:
    interface = str(hit.captures.get("interface", ""))
    place = str(hit.captures.get("address", ""))
    return bool(_VIRTUAL.match(interface) or _LOCAL_ADDRESS.match(place))


PROBE = Probe(
    name="launch-text",
    title=Text("what the log says of the launch", "日志中的启动信息"),
    tells=(DEVICES, COUNT, ADDRESS, INTERFACE, FAILED),
    run=run,
    needs=(LogHits,),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
