"""Context facts of a case: what conditions the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medic.beliefs.conditions import Context
from medic.facts import Counted, GpuSeries, GpuState, LogHits, Packages, Releases, Source, Stacks
from medic.run_config import RunConfig
from medic.versions import pins

# A run is in its first steps until warmup and allocator have settled: discriminators count the
# first hundred steps as a phase of their own.
FIRST_STEPS = 100
RESUME_STEPS = 20


def context_of(facts: Mapping[type[Any], Any]) -> Context:
    """The context that the facts tell; what they do not tell stays unknown."""
    known: dict[str, Any] = {}
    config = facts.get(RunConfig)
    logs = facts.get(LogHits)
    if isinstance(config, RunConfig):
        known |= _of_config(config)
    if versions := stated_versions(facts):
        known["versions"] = {name: version for name, (version, _) in versions.items()}
    gpus = facts.get(GpuState)
    reported = isinstance(gpus, GpuState) and gpus.origin != "this-host"
    if reported or isinstance(facts.get(GpuSeries), GpuSeries):
        known["accelerator"] = "cuda"
    stacks = facts.get(Stacks)
    if isinstance(stacks, Stacks) and "gpus" not in known:
        known["gpus"] = stacks.world_size or len(stacks.ranks)
    if isinstance(stacks, Stacks) and "nodes" not in known and _on_one(stacks):
        known["nodes"] = 1
    if isinstance(logs, LogHits):
        known = _of_logs(logs, resumed=bool(known.get("resumed"))) | known
    return Context(known)


def _on_one(stacks: Stacks) -> bool:
    """Whether every rank of the job was found on the machine that was looked at."""
    found = {stack.rank for stack in stacks.ranks if stack.rank is not None}
    return len(found) == stacks.world_size and len(found) > 1


def stated_versions(facts: Mapping[type[Any], Any]) -> dict[str, tuple[str, Source]]:
    """Version and place by package: what the run printed or its owner told, else the one version
    that its files pin.

    What is installed where medic runs may be another environment, and the version in a model's
    config is the one that saved it.
    """
    releases, packages = facts.get(Releases), facts.get(Packages)
    named = releases.packages if isinstance(releases, Releases) else {}
    pinned = ((name, r) for name, r in named.items() if r.source.line and pins(r.source.file))
    known = {name: (r.version, r.source) for name, r in pinned if r.version}
    if isinstance(packages, Packages):
        places = packages.sources
        known |= {n: (v, places.get(n, Source())) for n, v in packages.versions.items()}
    return known


def _of_config(config: RunConfig) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, field in (("nodes", "nodes"), ("gpus", "world_size"), ("precision", "precision")):
        value = config.get(field)
        if value is not None:
            known[name] = value
    if config.framework:
        known["framework"] = config.framework
    if config.get("num_experts") is not None:
        known["moe"] = (config.integer("num_experts") or 0) > 1
    if config.get("resume_from"):
        known["resumed"] = True
    if (stage := config.integer("zero_stage")) is not None:
        known["zero"] = stage
    if config.stated("fsdp"):
        known["fsdp"] = config.get("fsdp") is True
    if (way := _parallelism(config)) is not None:
        known["parallelism"] = way
    return known


def _parallelism(config: RunConfig) -> str | None:
    """The way that talks most beside the computation: ``fsdp`` or ``zero`` (from stage 2 on), which
    gather and scatter, else ``tensor`` (or context parallelism); None where none is stated."""
    if config.get("fsdp") is True:
        return "fsdp"
    if (config.integer("zero_stage") or 0) >= 2:
        return "zero"
    sizes = (config.integer(f"{name}_parallel_size") or 1 for name in ("tensor", "context"))
    return "tensor" if max(sizes) > 1 else None


def _of_logs(logs: LogHits, *, resumed: bool) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if len(logs.ranks) > 1:
        known["gpus"] = len(logs.ranks)
    if logs.last_step is None:
        return known
    first = logs.steps[0].step if logs.steps else 0
    if resumed and logs.last_step - first < RESUME_STEPS:
        known["phase"] = "after-resume"
    elif logs.last_step >= FIRST_STEPS:
        known["phase"] = "steady"
    elif not Counted.is_count(logs.last_step):  # so many lines are of any number of steps
        known["phase"] = "first-steps"
    return known
