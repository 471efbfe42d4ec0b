"""Facts: what one probe reads and others build on. Frozen, with their sources.

Each name is loaded with its own module when it is first asked for: a start pays for what it uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medic.facts.checkpoints import (
        CheckpointIndex,
        Checkpoints,
        SkippedKeys,
        StateDictError,
        TensorInfo,
    )
    from medic.facts.curves import Curve, Series
    from medic.facts.data import DataFile, DataNote, DataSets
    from medic.facts.documents import Choice, Command, Document, Node, Problem, Word, Written
    from medic.facts.files import FileKind, GivenFile, Source
    from medic.facts.gpus import Gpu, GpuClocks, GpuProcess, GpuSeries, GpuState
    from medic.facts.host import (
        Cgroup,
        Host,
        HostReport,
        HostReports,
        Machine,
        Mount,
        Place,
        Places,
        PortNamed,
        Ports,
        UnknownPath,
        Variable,
    )
    from medic.facts.launch import Launch, Launches, Option, OtherRuns, Parsers, ParserSpec
    from medic.facts.logs import (
        AttemptEnd,
        Attempts,
        CaptureValue,
        Collective,
        Collectives,
        Counted,
        FailedRank,
        Frame,
        Hit,
        LogHits,
        Preparing,
        Ranks,
        StepLine,
        Traceback,
        Tracebacks,
    )
    from medic.facts.memory import GpuMemory, MemoryEstimate
    from medic.facts.packages import Packages, PrintedStart, Release, Releases
    from medic.facts.recorder import FlightRecords, RankRecord, RecordedCall, RecordVerdict
    from medic.facts.repairs import (
        Added,
        Dropped,
        Removed,
        Renamed,
        Repair,
        Respelt,
        Rewritten,
    )
    from medic.facts.since_good import Difference, SinceGood
    from medic.facts.stacks import GpuUse, Helper, RankStack, Spot, Stacks, Thread

_HOMES = {
    "checkpoints": (
        "CheckpointIndex",
        "Checkpoints",
        "SkippedKeys",
        "StateDictError",
        "TensorInfo",
    ),
    "curves": (
        "Curve",
        "Series",
    ),
    "data": (
        "DataFile",
        "DataNote",
        "DataSets",
    ),
    "documents": (
        "Choice",
        "Command",
        "Document",
        "Node",
        "Problem",
        "Word",
        "Written",
    ),
    "files": (
        "FileKind",
        "GivenFile",
        "Source",
    ),
    "gpus": (
        "Gpu",
        "GpuClocks",
        "GpuProcess",
        "GpuSeries",
        "GpuState",
    ),
    "host": (
        "Host",
        "Cgroup",
        "HostReport",
        "HostReports",
        "Mount",
        "Machine",
        "Place",
        "Places",
        "PortNamed",
        "Ports",
        "Preparing",
        "UnknownPath",
        "Variable",
    ),
    "launch": (
        "Launch",
        "Launches",
        "Option",
        "OtherRuns",
        "ParserSpec",
        "Parsers",
    ),
    "logs": (
        "AttemptEnd",
        "Attempts",
        "CaptureValue",
        "Collective",
        "Collectives",
        "Counted",
        "FailedRank",
        "Frame",
        "Hit",
        "LogHits",
        "Preparing",
        "Ranks",
        "StepLine",
        "Traceback",
        "Tracebacks",
    ),
    "memory": (
        "GpuMemory",
        "MemoryEstimate",
    ),
    "packages": ("Packages", "PrintedStart", "Release", "Releases"),
    "recorder": ("FlightRecords", "RankRecord", "RecordVerdict", "RecordedCall"),
    "repairs": ("Added", "Dropped", "Removed", "Renamed", "Repair", "Respelt", "Rewritten"),
    "since_good": ("Difference", "SinceGood"),
    "stacks": ("GpuUse", "Helper", "RankStack", "Spot", "Stacks", "Thread"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Added",
    "AttemptEnd",
    "Attempts",
    "CaptureValue",
    "Cgroup",
    "CheckpointIndex",
    "Checkpoints",
    "Choice",
    "Collective",
    "Collectives",
    "Command",
    "Counted",
    "Curve",
    "DataFile",
    "DataNote",
    "DataSets",
    "Difference",
    "Document",
    "Dropped",
    "FailedRank",
    "FileKind",
    "FlightRecords",
    "Frame",
    "GivenFile",
    "Gpu",
    "GpuClocks",
    "GpuMemory",
    "GpuProcess",
    "GpuSeries",
    "GpuState",
    "GpuUse",
    "Helper",
    "Hit",
    "Host",
    "HostReport",
    "HostReports",
    "Launch",
    "Launches",
    "LogHits",
    "Machine",
    "MemoryEstimate",
    "Mount",
    "Node",
    "Option",
    "OtherRuns",
    "Packages",
    "ParserSpec",
    "Parsers",
    "Place",
    "Places",
    "PortNamed",
    "Ports",
    "Preparing",
    "PrintedStart",
    "Problem",
    "RankRecord",
    "RankStack",
    "Ranks",
    "RecordVerdict",
    "RecordedCall",
    "Release",
    "Releases",
    "Removed",
    "Renamed",
    "Repair",
    "Respelt",
    "Rewritten",
    "Series",
    "SinceGood",
    "SkippedKeys",
    "Source",
    "Spot",
    "Stacks",
    "StateDictError",
    "StepLine",
    "TensorInfo",
    "Thread",
    "Traceback",
    "Tracebacks",
    "UnknownPath",
    "Variable",
    "Word",
    "Written",
]


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(name)
    found = getattr(import_module(f"medic.facts.{module}"), name)
    globals()[name] = found  # from now on it is found without being asked for
    return found
