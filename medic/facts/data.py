"""Training data, as far as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.i18n import Text
from medic.records import dataclass, field

DataFormat = Literal[
    "json-lines", "json", "parquet", "arrow", "tar", "megatron", "token-ids", "csv", "text"
]
Split = Literal["train", "validation"]


@dataclass(frozen=True)
class DataNote:
    """One kind of oddity in a file: how many records have it and the first places.

    ``places`` are "line 12", "row 12", "byte 12", "member NAME", with a few words of the text.
    """

    kind: str
    words: Text
    count: int
    places: tuple[str | Text, ...] = ()
    line: int = 0  # 1-based line of the first one, 0 where it has none


@dataclass(frozen=True)
class DataFile:
    """A data file: ``records`` were looked at; ``whole`` if that is all of it.

    ``lengths`` are counts of records in bins that begin at ``bins`` (tokens), ``unit`` says how a
    token was counted; ``limit`` is the sequence length of the config. ``shape`` is what a record
    is: text, chat, prompt-answer, preference, token-ids, labelled, image-text, unknown.
    """

    file: str
    format: DataFormat
    split: Split
    size: int
    records: int
    whole: bool
    sampled: Text | None = None  # what was read, where it was not all
    shape: str = "unknown"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[DataNote, ...] = ()
    bins: tuple[int, ...] = ()
    lengths: tuple[int, ...] = ()
    unit: Text | None = None
    median: int | None = None
    longest: int | None = None
    limit: int | None = None
    beyond_limit: int = 0
    no_answer_left: int = 0
    duplicates: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    largest_id: int | None = None
    id_place: str = ""


@dataclass(frozen=True)
class DataSets:
    """All data files of the case that were read; ``compared`` tells what the overlap is of."""

    files: tuple[DataFile, ...] = ()
    compared: Text | None = None
