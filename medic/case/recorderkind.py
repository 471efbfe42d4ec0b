"""Whether a file is a dump of torch's flight recorder, by its name or by what it holds."""

from __future__ import annotations

from medic.text.patterns import regex

# TORCH_FR_DUMP_TEMP_FILE and its older name: a prefix that torch puts the rank behind.
_RECORDER_NAMES = regex(
    r"(?:nccl|comm(?:_lib)?|fr|flight_recorder)_(?:trace|dump)[\w.-]*?\d+(?:\.(?:json|pkl|pickle))?$"
    r"|fr_trace[\w-]*$"
)
_BARE_RANK = regex(r"[\w.-]*?_?\d{1,5}(?:\.json|\.pkl|\.pickle)?$")
_RECORDER_KEYS = (b"pg_config", b"pg_status", b"profiling_name", b"comm_lib_version", b"record_id")


def names_recorder(lower: str) -> bool:
    """``lower``: the file's name in small letters."""
    return ("trace" in lower or "dump" in lower) and _RECORDER_NAMES.search(lower) is not None


def is_bare_rank(lower: str) -> bool:
    """Whether a name is a prefix of the user's and a rank, so that only the content can tell."""
    stem = lower.removesuffix(".json").removesuffix(".pkl").removesuffix(".pickle")
    return stem[-1:].isdigit() and _BARE_RANK.match(lower) is not None


def is_recorder(head: bytes) -> bool:
    """A dump of torch's flight recorder, as pickle or as JSON, by the keys that it begins with."""
    begins = head.startswith(b"\x80\x02}") or head.lstrip()[:1] == b"{"
    return begins and sum(key in head for key in _RECORDER_KEYS) >= 2
