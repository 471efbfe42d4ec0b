"""A launcher of several nodes whose log ends with its own first words: no worker of it began.

torchrun starts its workers when all nodes have joined (torch ``distributed/elastic/agent/server/api.py``);
before that it warns of OMP_NUM_THREADS, and says nothing while it waits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from medic.facts import Launches, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK, FAILED = "rendezvous-address", "rendezvous-failed"
_LAUNCHERS = regex(
    r"torch/distributed/(?:run|launch|launcher)|torch\.distributed\.(?:run|launch)|OMP_NUM_THREADS|"
    r"^\W*\*{5,}\s*$|distributed/elastic/rendezvous"
)
# Where each worker has a log of its own, the launcher's tells nothing of them.
_ELSEWHERE = ("--log-dir", "--log_dir", "--redirects", "-r", "--tee", "-t")
FRESH = 120.0  # seconds: nodes of one job start so far apart


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    nodes = config_of(look).integer("nodes") or 1
    if nodes < 2 or logs.ended not in ("silent", "unknown") or _began(logs) or _is_fresh(logs):
        return
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    words = {(w.value or "").partition("=")[0] for one in launches for w in one.launcher_words}
    said = [line for line in logs.tail if line.text.strip()]
    if not said or not words.isdisjoint(_ELSEWHERE):
        return
    if any(not _LAUNCHERS.search(line.text) for line in said):
        return
    value, last = {"nodes": nodes}, said[-1]
    yield Finding(CHECK, "only-the-launcher", value=value, source=last)
    yield Finding(FAILED, source=last)


def _began(logs: LogHits) -> bool:
    return bool(logs.steps or logs.ranks or logs.exceptions or any(not h.benign for h in logs.hits))


def _is_fresh(logs: LogHits) -> bool:
    return logs.last_time is None or time.time() - logs.last_time < FRESH


PROBE = Probe(
    name="waits-for-nodes",
    title=Text("a launcher that waits for other nodes", "等待其他节点的启动器"),
    tells=(CHECK, FAILED),
    needs=(LogHits,),
    wants=(RunConfig, Launches),
    reliability="heuristic",
    run=run,
    seconds=0.01,
)
