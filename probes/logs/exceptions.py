"""Where the first exception was raised, and of what kind it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import LogHits, Traceback, Tracebacks
from medic.probe import Finding, Look, Probe

from .evidence import failure, is_library

PLACE, KIND = "exception-place", "exception-kind"
_LOADER = re.compile(
    r"torch/utils/data/|__getitem__|\bcollate|datasets/(?:arrow_dataset|iterable_dataset|builder)\.py|"
    r"webdataset/|streaming/base/"
)
_PROGRAMMING = frozenset(
    [
        "NameError",
        "AttributeError",
        "TypeError",
        "KeyError",
        "IndexError",
        "ImportError",
        "AssertionError",
        "UnboundLocalError",
        "ZeroDivisionError",
        "NotImplementedError",
        "SyntaxError",
        "IndentationError",
        "RecursionError",
    ]
)
_MISSING = frozenset(
    [
        "FileNotFoundError",
        "ModuleNotFoundError",
        "PermissionError",
        "NotADirectoryError",
        "IsADirectoryError",
        "HFValidationError",
        "RepositoryNotFoundError",
        "EntryNotFoundError",
    ]
)
_DATA = frozenset(
    [
        "UnicodeDecodeError",
        "JSONDecodeError",
        "UnidentifiedImageError",
        "ArrowInvalid",
        "BadGzipFile",
        "DatasetGenerationError",
        "BadZipFile",
        "ParserError",
    ]
)
_DATA_WORDS = re.compile(
    r"decod|corrupt|truncat|malformed|cannot identify|can't parse|invalid sample"
)


def run(look: Look) -> Iterator[Finding]:
    told = failure(look.fact(LogHits), look.fact(Tracebacks))
    if told is None:
        yield Finding(PLACE, "none")
        yield Finding(KIND, "none")
        return
    frame = told.frames[-1] if told.frames else None
    value = {"exception": told.exception.rpartition(".")[2], "message": told.message[:200]}
    if frame is not None:
        value |= {"file": frame.file, "line": str(frame.line), "function": frame.function}
        yield Finding(PLACE, place(told), value=value, source=told.source)
    yield Finding(KIND, kind(told), value=value, source=told.source)


def place(told: Traceback) -> str:
    """data-loader, own-code or library: by the innermost frame, unless samples were being read."""
    if told.worker or any(_LOADER.search(f"{f.file} {f.function}") for f in told.frames):
        return "data-loader"
    return "library" if is_library(told.frames[-1].file) else "own-code"


def kind(told: Traceback) -> str:
    """programming-error, missing-file, bad-data or other, by the exception's type."""
    name = told.exception.rpartition(".")[2]
    if name in _DATA or (place_is_loader(told) and _DATA_WORDS.search(told.message.lower())):
        return "bad-data"
    if name in _MISSING:
        return "missing-file"
    return "programming-error" if name in _PROGRAMMING else "other"


def place_is_loader(told: Traceback) -> bool:
    return bool(told.frames) and place(told) == "data-loader"


PROBE = Probe(
    name="exceptions",
    tells=(PLACE, KIND),
    run=run,
    needs=(LogHits, Tracebacks),
    seconds=0.01,
    limit_seconds=5.0,
)
