"""Facts: what one probe reads and others build on. Frozen, with their sources."""

from medic.facts.checkpoints import CheckpointIndex, Checkpoints, StateDictError, TensorInfo
from medic.facts.curves import Curve, Series
from medic.facts.documents import Command, Document, Node, Problem, Word
from medic.facts.files import FileKind, GivenFile, Source
from medic.facts.gpus import Gpu, GpuProcess, GpuSeries, GpuState
from medic.facts.host import Host, Ports
from medic.facts.launch import Launch, Launches, Option, Parsers, ParserSpec
from medic.facts.logs import (
    CaptureValue,
    Collective,
    Collectives,
    FailedRank,
    Frame,
    Hit,
    LogHits,
    Ranks,
    StepLine,
    Traceback,
    Tracebacks,
)
from medic.facts.memory import GpuMemory, MemoryEstimate

__all__ = [
    "CaptureValue",
    "CheckpointIndex",
    "Checkpoints",
    "Collective",
    "Collectives",
    "Command",
    "Curve",
    "Document",
    "FailedRank",
    "FileKind",
    "Frame",
    "GivenFile",
    "Gpu",
    "GpuMemory",
    "GpuProcess",
    "GpuSeries",
    "GpuState",
    "Hit",
    "Host",
    "Launch",
    "Launches",
    "LogHits",
    "MemoryEstimate",
    "Node",
    "Option",
    "ParserSpec",
    "Parsers",
    "Ports",
    "Problem",
    "Ranks",
    "Series",
    "Source",
    "StateDictError",
    "StepLine",
    "TensorInfo",
    "Traceback",
    "Tracebacks",
    "Word",
]
