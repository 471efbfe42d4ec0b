"""Where the first exception was raised, and of what kind it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import LogHits, Traceback, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .evidence import failure, is_library

PLACE, KIND, LOOKUP = "exception-place", "exception-kind", "index-range-clue"
EMPTY, SETTING = "data-set-empty", "config-lookup"
_LOADER = regex(
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
# What a library's own check of settings or inputs raises too: with a sentence, no mistake of a programmer.
_CHECKS = frozenset(["AssertionError", "NotImplementedError"])
_MISSING = frozenset(
    [
        "FileNotFoundError",
        "ModuleNotFoundError",
        "PackageNotFoundError",
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
_NETWORK = frozenset(
    [
        "ConnectTimeout",
        "ReadTimeout",
        "ConnectError",
        "ReadError",
        "ConnectionError",
        "ClientConnectorError",
        "ServerDisconnectedError",
        "ServerTimeoutError",
        "MaxRetryError",
        "NewConnectionError",
        "RemoteDisconnected",
        "RemoteProtocolError",
        "URLError",
        "APIConnectionError",
        "APITimeoutError",
    ]
)
# Builtin exceptions, of the network where its modules stand on the way.
_SOCKET = frozenset(["TimeoutError", "ConnectionResetError", "ConnectionRefusedError", "gaierror"])
_SOCKETS = regex(
    r"(?:^|/)(?:socket|ssl)\.py$|/(?:urllib|http|requests|httpx|httpcore|aiohttp|grpc)/"
)
# Services that a cause of its own is about.
_OTHERS = regex(
    r"/(?:huggingface_hub|datasets|wandb|mlflow|ray|vllm|sglang)/|torch/distributed/|/transformers/utils/hub"
)
_FAILING = ("root", "either")
# Of a tuple of the code's own; behind a shape it is a tensor's dimensions that were counted.
_UNPACKS = regex(r"^(?:too many|not enough) values to unpack|^cannot unpack non-iterable")
_OF_SHAPE = regex(r"\.shape\b|\.size\(|\bshape\b")
_RAISES = regex(r"\braise\b")
_LOOKUPS = regex(r"\bself\.(\w+(?:\.\w+)*)\(")
_POSITIONS = regex(r"position|pos_emb|(?:^|\.)wpe$")
_INDEX = regex(r"index out of range|device-side assert")
_ROTARY = regex(r"rope|rotary")
_CONFIG = regex(r"(?:\w+_)?(?:cfg|config|conf|args|hparams|settings|options|opts?)", re.IGNORECASE)
# Mappings that are none, whatever keys they have.
_NO_CONFIG = regex(
    r"state|ckpt|check_?point|batch|sample|row|item|example|record|input|output|metric|result|log|loss",
    re.IGNORECASE,
)
_EVALUATES = regex(r"(?i)eval|valid|test_?loop|predict")
LEAST_LINES, LEAST_STEPS = 3, 10  # steps that show that the data has what the script asks for
_LAZY_ROW = "datasets/formatting/"
DATA_WORDS = regex(r"decod|corrupt|truncat|malformed|cannot identify|can't parse|invalid sample")


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
        where = place(told)
        # A guard of the script that says what it saw is no mistake of the code.
        named = where == "own-code" and _names_a_symptom(look.fact(LogHits), told)
        if not named and not _loader_ended(told):
            yield Finding(PLACE, where, value=value, source=told.source)
    asked = _asked(told)
    outcome = _key_kind(look, told, *asked) if asked else kind(told)
    yield Finding(KIND, outcome, value=value, source=told.source)
    if asked and outcome == "config-key" and (file := _config_without(look, asked[1])):
        yield Finding(SETTING, "absent", value={"key": asked[1], "file": file}, source=told.source)
    if _no_first_batch(look.fact(LogHits), told):
        yield Finding(EMPTY, source=told.source)
    if _position_lookup(told):
        yield Finding(LOOKUP, "position-lookup", source=told.source)
    elif _INDEX.search(told.message) and _beyond_table(look):
        yield Finding(LOOKUP, "positions", source=told.source)


def _names_a_symptom(logs: LogHits, told: Traceback) -> bool:
    if not _RAISES.search(told.frames[-1].code):
        return False
    at = (told.source.file, told.source.line)
    return any(
        (h.source.file, h.source.line) == at and h.role in _FAILING and not h.benign
        for h in logs.hits
    )


def place(told: Traceback) -> str:
    """By the innermost frame: library, own-code, or own-data-code where samples were being read;
    what a library raised as they were is data-loader."""
    library = is_library(told.frames[-1].file)
    if told.worker or any(_LOADER.search(f"{f.file} {f.function}") for f in told.frames):
        return "data-loader" if library else "own-data-code"
    return "library" if library else "own-code"


def kind(told: Traceback) -> str:
    """programming-error, tuple-length, missing-file, bad-data, network, own-check or other, by the
    exception's type."""
    name = told.exception.rpartition(".")[2]
    if _is_network(told, name):
        return "network"
    if name in _DATA or (place_is_loader(told) and DATA_WORDS.search(told.message.lower())):
        return "bad-data"
    if name in _MISSING or (name == "ImportError" and "install" in told.message):
        return "missing-file"
    library = bool(told.frames) and is_library(told.frames[-1].file)
    if name in _CHECKS and library and " " in told.message.strip():
        return "other"
    if _unpacks(told):
        return "tuple-length"
    if name in _PROGRAMMING:
        return "programming-error"
    own = bool(told.frames) and not library
    return "own-check" if own and _RAISES.search(told.frames[-1].code) else "other"


def _unpacks(told: Traceback) -> bool:
    """Whether a line of the code takes a tuple apart that has another length."""
    if not told.frames or is_library(told.frames[-1].file):
        return False
    code = told.frames[-1].code
    return bool(code and _UNPACKS.search(told.message)) and not _OF_SHAPE.search(code)


def _is_network(told: Traceback, name: str) -> bool:
    """Whether a call of the run's own to a service over the network failed."""
    files = [f.file for f in told.frames]
    if any(_OTHERS.search(f) for f in files):
        return False
    return name in _NETWORK or (name in _SOCKET and any(_SOCKETS.search(f) for f in files))


def _position_lookup(told: Traceback) -> bool:
    """Whether the table that has too few rows is the positions', by the line that looks up."""
    own = [f.code for f in told.frames if not is_library(f.file)]
    if "index out of range" not in told.message or not own:
        return False
    lookups = _LOOKUPS.findall(own[-1])
    return bool(lookups) and all(_POSITIONS.search(name) for name in lookups)


def _no_first_batch(logs: LogHits, told: Traceback) -> bool:
    """Whether the loader had ended before any step: not one whole batch is in it."""
    return _loader_ended(told) and not logs.steps


def _loader_ended(told: Traceback) -> bool:
    """The loader has no further batch: nothing failed while a sample was read."""
    return told.exception.rpartition(".")[2] == "StopIteration" and place_is_loader(told)


def _beyond_table(look: Look) -> bool:
    """Whether the sequences are longer than the positions of a model that may have a table of them.

    Rotary positions have none; a model of one's own script that names none is taken for learned.
    """
    config = config_of(look)
    length, limit = (config.number(n) for n in ("sequence_length", "max_position_embeddings"))
    rotary = any(_ROTARY.search(".".join(s.path).lower()) for s in config.settings)
    return bool(length and limit and length > limit and config.nobodys and not rotary)


def _asked(told: Traceback) -> tuple[str, str] | None:
    """(mapping, key) of a KeyError whose failing line subscripts that mapping with that key.

    A library's line is the data's where samples are being read; a lazy row of datasets looks up
    in its own file.
    """
    if told.exception != "KeyError" or not told.frames:
        return None
    key, last = told.message.strip("'\""), told.frames[-1]
    if _LAZY_ROW in last.file:
        return "row", key
    if is_library(last.file) and not place_is_loader(told):
        return None
    parts = rf"(\w+)(?:\[['\"][\w.-]+['\"]\])*\[['\"]{re.escape(key)}['\"]\]"  # of a section, too
    found = re.search(parts, told.frames[-1].code)
    return (found.group(1), key) if found else None


def _key_kind(look: Look, told: Traceback, mapping: str, key: str) -> str:
    """config-key: a setting was asked for that the configuration has not; the mapping's name says
    that it is a configuration, or a framework's configuration has a key of this name. record-key:
    a sample was asked for it while the data was read; record-lacks-key: and those before had it."""
    if _CONFIG.fullmatch(mapping):
        return "config-key"
    if place_is_loader(told):
        return "record-lacks-key" if _had_it(look.fact(LogHits), told) else "record-key"
    known = {k.key.rpartition(".")[2] for f in look.frameworks for k in f.keys}
    return "config-key" if key in known and not _NO_CONFIG.search(mapping) else kind(told)


def _had_it(logs: LogHits, told: Traceback) -> bool:
    """Whether the samples of many steps had been read before, from the same data: those of an
    evaluation are others."""
    if any(_EVALUATES.search(f"{f.file} {f.function}") for f in told.frames):
        return False
    at = told.source
    before = {s.step for s in logs.steps if s.source.file != at.file or s.source.line < at.line}
    return bool(before) and len(before) >= LEAST_LINES and max(before) - min(before) >= LEAST_STEPS


def _config_without(look: Look, key: str) -> str:
    """The run's configuration file, if it was read and has the key nowhere."""
    config = config_of(look)
    files = [s.origin.span.file for s in config.settings if s.origin.span is not None and s.path]
    named = {part for s in config.settings for part in s.path}
    return files[0] if files and key not in named else ""


def place_is_loader(told: Traceback) -> bool:
    return bool(told.frames) and place(told) in ("data-loader", "own-data-code")


PROBE = Probe(
    name="exceptions",
    title=Text("the first exception", "首个异常"),
    tells=(PLACE, KIND, LOOKUP, EMPTY, SETTING),
    run=run,
    needs=(LogHits, Tracebacks),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
