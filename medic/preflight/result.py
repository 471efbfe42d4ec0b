"""One line of a preflight, and what the lines are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.facts import GpuState, Host, Launch, Machine, Places, Ports, Release, Source, Variable
from medic.i18n import Text, plain
from medic.index.knowledge import Index
from medic.records import dataclass, field
from medic.run_config import RunConfig

LEFT = Text("only the running shell knows {t}", "{t} 要到 shell 运行时才能确定")
State = Literal["ok", "not-ok", "not-seen"]


@dataclass(frozen=True)
class Result:
    """``looked`` is what was looked at; ``source`` the line of the launch that asks for it."""

    name: str
    state: State
    text: Text
    looked: Text
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Scene:
    """A launch and the machine it is to run on. None: it could not be looked at; ``why`` tells the
    reason by the name of the probe."""

    index: Index
    config: RunConfig = field(default_factory=RunConfig)
    launches: tuple[Launch, ...] = ()
    gpus: GpuState | None = None
    host: Host | None = None
    ports: Ports | None = None
    machine: Machine | None = None
    places: Places | None = None
    releases: Mapping[str, Release] = field(default_factory=dict)  # of the files, by package
    why: Mapping[str, Text] = field(default_factory=dict)

    def reason(self, probe: str) -> Text:
        return self.why.get(probe, Text("it could not be looked at", "无法查看"))

    def variable(self, name: str) -> Variable | None:
        found = self.machine.variables if self.machine else ()
        return next((v for v in found if v.name == name), None)

    def ranks(self) -> int | None:
        """Ranks that the launch starts on this node; None if that is not known."""
        each = self.config.integer("gpus_per_node")
        world, nodes = self.config.integer("world_size"), self.config.integer("nodes")
        if each:
            return each
        return -(-world // nodes) if world and nodes else None

    def field_source(self, *names: str) -> Source:
        """The first place in the files that states one of these fields."""
        for name in names:
            origin = self.config.origin(name)
            if origin is not None and origin.span is not None:
                return Source(file=origin.span.file, line=origin.span.line)
        return Source()


@dataclass(frozen=True)
class Preflight:
    results: tuple[Result, ...]

    @property
    def is_ok(self) -> bool:
        return all(r.state != "not-ok" for r in self.results)


def ok(name: str, en: str, zh: str, looked: Text | str, source: Source | None = None) -> Result:
    return Result(name, "ok", Text(en, zh), _text(looked), source or Source())


def not_ok(name: str, en: str, zh: str, looked: Text | str, source: Source | None = None) -> Result:
    return Result(name, "not-ok", Text(en, zh), _text(looked), source or Source())


def not_seen(name: str, why: Text, looked: Text | str, source: Source | None = None) -> Result:
    return Result(name, "not-seen", why, _text(looked), source or Source())


def _text(looked: Text | str) -> Text:
    return looked if isinstance(looked, Text) else plain(looked)
