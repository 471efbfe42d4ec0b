"""Looks at the launch and this machine, and judges."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from medic.case.collect import Case
from medic.facts import GpuState, Host, Launches, Machine, Places, Ports, Releases
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.lint.files import probes_for_lint
from medic.preflight.caches import caches
from medic.preflight.gpus import gpus
from medic.preflight.network import network
from medic.preflight.places import places
from medic.preflight.result import Preflight, Result, Scene
from medic.preflight.software import software
from medic.preflight.system import system
from medic.preflight.variables import variables
from medic.records import replace
from medic.run_config import RunConfig
from medic.runner.evidence import Evidence
from medic.runner.registry import all_probes
from medic.runner.run import observe

PROBES = ("gpu", "host", "machine", "places", "ports")
JUDGES: Sequence[Callable[[Scene], Iterator[Result]]] = (
    gpus,
    software,
    network,
    system,
    places,
    caches,
    variables,
)


def look_at(case: Case, index: Index, cancel: threading.Event | None = None) -> Preflight:
    """Every result of the launch on this machine, read-only."""
    every = {p.name: p for p in all_probes()}
    probes = {p.name: p for wave in probes_for_lint(case, index) for p in wave}
    probes |= {name: every[name] for name in PROBES}
    evidence = observe(replace(case, this_host=True), index, list(probes.values()), cancel=cancel)
    return judge(scene_of(evidence, index))


def judge(scene: Scene) -> Preflight:
    return Preflight(tuple(result for one in JUDGES for result in one(scene)))


def scene_of(evidence: Evidence, index: Index) -> Scene:
    launches = evidence.fact(Launches)
    state, releases = evidence.fact(GpuState), evidence.fact(Releases)
    return Scene(
        index=index,
        config=evidence.fact(RunConfig) or RunConfig(),
        launches=launches.launches if launches else (),
        gpus=state if state is not None and state.origin == "this-host" else None,
        host=evidence.fact(Host),
        ports=evidence.fact(Ports),
        machine=evidence.fact(Machine),
        places=evidence.fact(Places),
        releases=releases.packages if releases else {},
        why=dict(_reasons(evidence)),
    )


def _reasons(evidence: Evidence) -> Iterator[tuple[str, Text]]:
    """Why a probe of this machine gave nothing."""
    for name in PROBES:
        run = evidence.runs.get(name)
        if run is not None and not run.facts and (run.error or run.skips):
            needs = run.skips[0].needs if run.skips else Text(run.error, run.error)
            yield name, needs
