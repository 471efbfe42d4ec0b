"""The probe of training commands before they start: their layout, their flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import PurePath

from medic.facts import Launch, Launches, LogHits, Parsers
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.records import replace
from medic.run_config import FIELDS, RunConfig, Span

from ..config.documents import readers_of
from . import arguments, layout
from .allotted import beyond_hostfile, devices_without_tasks
from .argument_repairs import one_task
from .array_tasks import RACE, one_folder, one_port
from .behind import BEHIND, behind_script
from .counted_gpus import counted_gpus
from .counts_of_file import of_file
from .device_lists import refused_together
from .first_node import only_first_node
from .job_address import loopback_interface, loopback_of_job
from .launcher_counts import no_counts, no_values
from .launcher_refusals import refused
from .launches import launches_in
from .launchless import launchless
from .machines import fewer_tasks, machines
from .parsed_values import lacking, not_converted
from .parted_lists import parted_lists
from .rank_meeting import FOR_ROOT, addresses_apart, of_root, ports_apart
from .script_text import NEEDS_SCRIPT, ScriptText, read_script
from .shared_gpus import HELD, shared_gpus
from .shared_ports import SHARED, Shared, shared_ports
from .slurm import allocation_of
from .spelling import plain
from .suspects import spec_of
from .visible import hidden_by_file

TELLS = (
    layout.EVERY_TASK,
    layout.NODE_RANK,
    layout.ENDPOINT,
    layout.TOO_MANY,
    layout.OTHERWISE,
    BEHIND,
    arguments.TWICE,
    arguments.VALUE,
    SHARED,
    RACE,
    HELD,
)
PORTS = "rank-ports"
# Other probes tell them, too: that all is well is not known here.
_OTHERS = frozenset((arguments.VALUE, RACE, HELD))
# Causes that have other faces as well: a script without this one does not speak against them.
_WIDER = frozenset((layout.EVERY_TASK, layout.NODE_RANK, layout.ENDPOINT, layout.TOO_MANY, SHARED))

# Counts that a script may find out itself.
_FOUND_OUT = frozenset(("nodes", "gpus_per_node", "world_size", "master_port"))


def run(look: Look) -> Iterator[Finding | Skip]:
    told: set[str] = set()
    read = False
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is None:
            continue
        launches = launches_in(look, given.path)
        here: set[str] = set()
        scalars = cache(partial(_scalars, look))
        for launch in launches:
            read = True
            for finding in _findings(look, script, launch, scalars, alone=len(launches) == 1):
                here.add(finding.name)
                yield finding
        for one in (*_ports(look, script, launches), *one_port(script, launches)):
            told.add(SHARED)
            yield replace(_finding(script, SHARED, one.what, one.span), repair=one.repair)
        for found in launchless(script, look.parse(given.path)):
            here.add(found.name)
            yield _finding(script, found.name, found.what, found.span)
        for fault in shared_gpus(script, look.parse(given.path), launches):
            yield _finding(script, fault.name, fault.what, fault.span)
        for fault in _of_job(script, launches, address=layout.ENDPOINT not in here):
            here.add(fault.name)
            yield _finding(script, fault.name, fault.what, fault.span)
        for fault in ports_apart(launches):
            here.add(fault.name)
            yield Finding(PORTS, "apart", source=script.at(fault.span))
            yield _finding(script, fault.name, fault.what, fault.span)
        told |= here
    for name in TELLS:
        if name in told or (name in _WIDER and look.has(LogHits)) or name in _OTHERS:
            continue
        yield Finding(name, "passes") if read else Skip(needs=NEEDS_SCRIPT, check=name)


def _of_job(
    script: ScriptText, launches: Sequence[Launch], *, address: bool
) -> Iterator[layout.Fault]:
    """``address``: whether no launch has told of its own; another variable is told in any case."""
    allocation = allocation_of(script)
    for what, span in one_folder(script, launches):
        yield layout.Fault(RACE, what, span)
    yield from addresses_apart(script, launches)
    if launches:
        yield from fewer_tasks(allocation)
    if address:
        yield from loopback_of_job(script, allocation)
    yield from loopback_interface(script, allocation, launches)


def _ports(look: Look, script: ScriptText, launches: Sequence[Launch]) -> Iterator[Shared]:
    if launches:
        yield from shared_ports(script, look.parse(script.file), launches)


def _findings(
    look: Look,
    script: ScriptText,
    launch: Launch,
    scalars: Callable[[], frozenset[str]],
    *,
    alone: bool,
) -> Iterator[Finding]:
    parsers = look.fact(Parsers) if look.has(Parsers) else Parsers()
    spec = spec_of(launch, parsers, alone=alone)
    allocation = allocation_of(script)
    faults = layout.faults(script, launch, allocation, alone=alone)
    for fault in (
        *faults,
        *only_first_node(script, launch, allocation),
        *of_file(script, launch, allocation, config_of(look) if alone else None),
        *devices_without_tasks(launch, allocation, config_of(look), look.frameworks),
        *beyond_hostfile(script, launch, look.parse(script.file)),
        *counted_gpus(script, launch, allocation, alone=alone),
        *machines(script, launch),
    ):
        tasks = allocation.place("ntasks-per-node") if fault.name == layout.EVERY_TASK else None
        repair = one_task(fault.span) if fault.span == tasks else None
        yield replace(_finding(script, fault.name, fault.what, fault.span), repair=repair)
    for what, span in hidden_by_file(script, launch, config_of(look)):
        yield _finding(script, layout.TOO_MANY, what, span)
    for what, span in of_root(launch):
        finding = _finding(script, layout.ENDPOINT, what, span)
        yield replace(finding, value={**finding.value, "mild": FOR_ROOT})
    for what, span in refused_together(launch):
        yield _finding(script, arguments.VALUE, what, span)
    for found in (
        *behind_script(launch, spec, _launchers_files(look, launch)),
        *arguments.twice(launch, script, scalars),
        *arguments.outside_choices(launch, spec),
        *arguments.without_value(launch, scalars, partial(_numbers, look)),
        *arguments.glued(launch, lambda: scalars() | _flags(look)),
        *not_converted(launch, spec),
        *lacking(launch, spec),
        *no_counts(launch),
        *no_values(launch),
        *refused(launch),
        *parted_lists(launch),
    ):
        finding = _finding(script, found.name, found.what, found.span)
        yield replace(finding, repair=found.repair)


def _launchers_files(look: Look, launch: Launch) -> frozenset[str]:
    """Names of the files that accelerate reads."""
    if launch.launcher != "accelerate":
        return frozenset()
    read = readers_of(config_of(look)).items()
    return frozenset(PurePath(file).name for file, name in read if name == launch.launcher)


def _scalars(look: Look) -> frozenset[str]:
    """Flags that set a canonical field: a run has one value of each."""
    keys = (key.key for framework in look.frameworks for key in framework.keys)
    return frozenset(plain(key.removeprefix("**.")) for key in keys)


def _numbers(look: Look) -> frozenset[str]:
    """Flags whose text some framework makes a number of."""
    kinds = ("number", "converted-number", "converted-whole")
    typed = (key for one in look.frameworks for kind in kinds for key in one.types.get(kind, ()))
    stated = (
        key.key
        for one in look.frameworks
        for key in one.keys
        if FIELDS[key.field][0] in (int, float) and key.field not in _FOUND_OUT
    )
    return frozenset(plain(key.removeprefix("**.")) for key in chain(typed, stated))


def _flags(look: Look) -> frozenset[str]:
    """Every flag of several words that some framework's parser has."""
    every = (
        n for one in look.frameworks for n in (*one.switches, *one.valued, *one.known, *one.beside)
    )
    return frozenset(name for name in map(plain, every) if "-" in name)


def _finding(script: ScriptText, name: str, what: Text, span: Span) -> Finding:
    source = script.at(span)
    return Finding(name, "fires", {"what": what}, source, span=span)


PROBE = Probe(
    name="launch-lint",
    title=Text("checks of the launch command", "启动命令检查"),
    tells=(*TELLS, PORTS),
    run=run,
    wants=(Launches, RunConfig, Parsers, LogHits),
    files=("script", "log"),
    without=tuple(Skip(NEEDS_SCRIPT, name) for name in TELLS if name not in _OTHERS),
    seconds=0.05,
    limit_seconds=10,
)
