"""``nvidia-smi -q -x``: parsed with expat, which is told to refuse entities."""

from __future__ import annotations

from typing import Any

from medic.errors import Unreadable
from medic.facts import GpuProcess
from medic.records import dataclass, field

from .fields import Fields, size, whole

MAX_DEPTH = 32
MAX_NODES = 2_000_000  # a report of 16 GPUs has some 20,000


@dataclass
class Device:
    """One ``<gpu>``: its fields by path and its processes. ``line``: the one of a text that tells
    most of it, 0 if none does."""

    fields: dict[str, str] = field(default_factory=dict)
    processes: list[GpuProcess] = field(default_factory=list)
    line: int = 0
    text: str = ""


@dataclass
class Report:
    """Fields above the devices (timestamp, driver_version, …) and the devices in order."""

    fields: dict[str, str] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)


def parse_xml(data: bytes) -> Report:
    """The last whole report in ``data`` (a loop writes several). Raises Unreadable."""
    starts = _all(data, b"<?xml") or [0]
    for start, end in reversed(list(zip(starts, [*starts[1:], len(data)], strict=True))):
        piece = data[start:end]
        if b"</nvidia_smi_log>" in piece or start == starts[0]:
            return _Builder().parse(piece[: _end(piece)])
    raise AssertionError("the first piece is always taken")


def _all(data: bytes, word: bytes) -> list[int]:
    found, at = [], data.find(word)
    while at >= 0:
        found.append(at)
        at = data.find(word, at + 1)
    return found


def _end(piece: bytes) -> int:
    at = piece.find(b"</nvidia_smi_log>")
    return len(piece) if at < 0 else at + len(b"</nvidia_smi_log>")


class _Builder:
    """Keeps the text of leaves by path; a process is one record."""

    def __init__(self) -> None:
        self.report = Report()
        self._path: list[str] = []
        self._text: list[str] = []
        self._nodes = 0
        self._process: dict[str, str] | None = None

    def parse(self, data: bytes) -> Report:
        from xml.parsers import expat

        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._stop
        parser.CharacterDataHandler = self._text.append
        parser.EntityDeclHandler = self._entity
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, UnicodeError, ValueError):
            raise Unreadable("XML that is cut off or broken", "XML 不完整或已损坏") from None
        return self.report

    def _entity(self, *_: Any) -> None:
        raise Unreadable("XML with entity declarations: not read", "XML 含实体声明：未读取")

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._nodes += 1
        self._path.append(name.lower())
        if len(self._path) > MAX_DEPTH or self._nodes > MAX_NODES:
            raise Unreadable("XML nested too deep or too large", "XML 嵌套过深或过大")
        self._text.clear()
        if self._path[1:] == ["gpu"]:
            self.report.devices.append(Device())
        elif name == "process_info":
            self._process = {}

    def _stop(self, name: str) -> None:
        text = "".join(self._text).strip()
        self._text.clear()
        path = self._path[1:]
        self._path.pop()
        if name == "process_info":
            self._add_process()
        elif text and self._process is not None:
            self._process[name] = text
        elif text and path[:1] == ["gpu"] and self.report.devices:
            self.report.devices[-1].fields.setdefault("/".join(path[1:]), text)
        elif text and path:
            self.report.fields.setdefault("/".join(path), text)

    def _add_process(self) -> None:
        found, self._process = self._process or {}, None
        made = process(found.get("pid"), found.get("process_name"), found.get("used_memory"))
        if made and self.report.devices:
            self.report.devices[-1].processes.append(made)


def process(pid: str | None, name: str | None, used: str | None) -> GpuProcess | None:
    """A process from its texts; None without a process id."""
    number = whole(pid)
    return None if number is None else GpuProcess(number, (name or "")[:200], size(used))


__all__ = ["Device", "Fields", "Report", "parse_xml", "process"]
