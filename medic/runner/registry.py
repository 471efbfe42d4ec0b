"""Finds the probes. A wheel carries what each of them declares, written down when it is built, and
imports one when it runs; in a checkout all are imported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.i18n import Text, plain
from medic.probe import Fires, Look, Part, Probe, Skip
from medic.run_config import RunConfig

if TYPE_CHECKING:
    from pkgutil import ModuleInfo

TABLE = "probes"  # the kind among the compiled knowledge
_PACKAGE = "medic.probes."
ROOMS = ("config", "flags", "memory_estimate", "training")  # of the probes that report a lint check


@cache
def all_probes(rooms: tuple[str, ...] = (), wanted: tuple[str, ...] = ()) -> tuple[Probe, ...]:
    """Every probe of the installed package, by name; ``rooms`` limits it to these sub-packages
    and modules, which spares what the others declare. ``wanted``: where a table tells what each
    needs, these alone and those that they build on."""
    table = _table()
    if table is not None and wanted:
        table = _built_on(wanted, [row for row in table if _in(rooms, row)])
    found = imported(rooms) if table is None else read(table, rooms)
    unique = {probe.name: probe for probe in found}
    return tuple(unique[name] for name in sorted(unique))


def title_of(name: str) -> Text:
    """What a probe looks at; its name where that is not known."""
    found = next((probe.title for probe in all_probes() if probe.name == name), None)
    return found if found is not None and found.en else plain(name)


def imported(rooms: tuple[str, ...] = ()) -> Iterator[Probe]:
    """The probes that the modules of the package hold."""
    for info in _modules(import_module("medic.probes").__path__, _PACKAGE, rooms):
        module = import_module(info.name)
        one = getattr(module, "PROBE", None)
        if isinstance(one, Probe):
            yield one
        yield from getattr(module, "PROBES", ())


def _modules(path: Iterable[str], prefix: str, rooms: tuple[str, ...]) -> Iterator[ModuleInfo]:
    """Modules below a package; those of other rooms are not even imported."""
    import pkgutil

    for info in pkgutil.iter_modules(path, prefix):
        if rooms and _room(info.name) not in rooms:
            continue
        yield info
        if info.ispkg:
            yield from _modules(import_module(info.name).__path__, f"{info.name}.", rooms)


def _room(module: str) -> str:
    """The sub-package of the probes, or the module, in which a module is."""
    return module.removeprefix(_PACKAGE).partition(".")[0]


def fired(names: Iterable[str], config: RunConfig) -> Iterator[tuple[str, Fires]]:
    """What these lint checks find in the config; the other checks are not even imported."""
    for name in names:
        module = import_module(f"{_PACKAGE}config.checks.{name.replace('-', '_')}")
        if config.missing(*module.NEEDS):
            continue
        result = module.check(config)
        for one in result if isinstance(result, Sequence) else (result,):
            if isinstance(one, Fires):
                yield name, one


# --- what they declare ----------------------------------------------------------------------


def _table() -> Sequence[Any] | None:
    """What the wheel carries. A checkout, whose probes change, has none."""
    folder = Path(import_module("medic.knowledge").__path__[0])
    try:
        rows: Sequence[Any] = json.loads((folder / "compiled" / f"{TABLE}.json").read_bytes())
    except FileNotFoundError:
        return None
    return rows


def written(probes: Iterable[Probe]) -> list[dict[str, Any]]:
    """The probes as JSON data: functions and fact types by their place."""
    return [_row(probe) for probe in probes]


def _row(probe: Probe) -> dict[str, Any]:
    facts = {name: list(map(_place, getattr(probe, name))) for name in ("needs", "wants", "gives")}
    return facts | {
        "name": probe.name,
        "title": [probe.title.en, probe.title.zh],
        "tells": list(probe.tells),
        "run": _place(probe.run),
        "reads": probe.reads,
        "reliability": probe.reliability,
        "seconds": probe.seconds,
        "limit_seconds": probe.limit_seconds,
        "consent": probe.consent,
        "files": list(probe.files),
        "without": [[skip.check, skip.needs.en, skip.needs.zh] for skip in probe.without],
        "parts": [[part.name, list(part.needs), part.module] for part in probe.parts],
    }


def read(rows: Iterable[Any], rooms: tuple[str, ...] = ()) -> Iterator[Probe]:
    """The probes of JSON data, each imported when it runs."""
    for row in rows:
        if not _in(rooms, row):
            continue
        facts = {name: tuple(map(_at, row[name])) for name in ("needs", "wants", "gives")}
        without = tuple(Skip(Text(en, zh), check) for check, en, zh in row["without"])
        parts = tuple(Part(name, tuple(needs), module) for name, needs, module in row["parts"])
        own: dict[str, Any] = facts | {
            "title": Text(*row["title"]),
            "tells": tuple(row["tells"]),
            "run": _late(row["run"]),
            "files": tuple(row["files"]),
            "without": without,
            "parts": parts,
        }
        yield Probe(**(row | own))


def _in(rooms: tuple[str, ...], row: Mapping[str, Any]) -> bool:
    return not rooms or _room(row["run"].partition(":")[0]) in rooms


def _built_on(wanted: Iterable[str], rows: Sequence[Any]) -> list[Any]:
    """The rows of these probes and of all that give what they need or want (``run.with_needs``)."""
    found: dict[str, Any] = {}
    todo = [row for row in rows if row["name"] in wanted]
    while todo:
        row = todo.pop()
        if row["name"] not in found:
            found[row["name"]] = row
            kinds = {*row["needs"], *row["wants"]}
            todo += [one for one in rows if kinds & set(one["gives"])]
    return list(found.values())


def _place(thing: Any) -> str:
    """Module and name of a function or a type. Raises ValueError for one without a name there."""
    place = f"{thing.__module__}:{thing.__qualname__}"
    if _at(place) is not thing:
        raise ValueError(place)
    return place


@cache
def _at(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _late(place: str) -> Any:
    def run(look: Look) -> Iterator[Any]:
        found: Iterator[Any] = _at(place)(look)
        return found

    return run
