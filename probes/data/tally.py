"""What adds up over the records of one file."""

from __future__ import annotations

import hashlib
from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from typing import Any

from medic.facts import DataNote
from medic.i18n import Text
from medic.records import dataclass, field
from medic.text.patterns import regex
from medic.text.safetext import one_line

from . import lengths, roles, texts
from .kinds import kind_words
from .mixed import Carriers
from .records import IGNORED_LABEL, Record

SHOWN = 3
MAX_HASHES = 2_000_000
KEPT_TEXTS = 4_000  # of a file, for near-duplicates
MIN_COMPARED = 40  # characters: shorter texts are equal by chance
MIN_IDS = 16  # tokens, likewise
MAX_LABELS = 100
MAX_COLUMNS = 200
MAX_PARTS = 8  # objects of a list whose types are looked at
_SPACES = regex(r"\s+")


@dataclass
class Tally:
    """Counts of one file. ``limit`` is the sequence length, None where it is not known."""

    counter: lengths.Counter
    limit: int | None = None
    records: int = 0
    shapes: Counts[str] = field(default_factory=Counts)
    notes: dict[str, list[Any]] = field(default_factory=dict)  # kind -> [count, places, line]
    types: dict[str, Counts[str]] = field(default_factory=dict)
    bins: list[int] = field(default_factory=lambda: [0] * len(lengths.BINS))
    sizes: list[int] = field(default_factory=list)
    beyond: int = 0
    no_answer_left: int = 0
    hashes: Counts[int] = field(default_factory=Counts)
    kept: list[tuple[str, str]] = field(default_factory=list)  # (place, text)
    labels: Counts[str] = field(default_factory=Counts)
    carriers: Carriers = field(default_factory=Carriers)
    largest: int | None = None
    largest_at: str = ""

    def note(self, kind: str, place: str, text: str | Text = "", line: int = 0) -> None:
        """One oddity at a place; only the first places are kept."""
        known = self.notes.setdefault(kind, [0, [], line])
        known[0] += 1
        if len(known[1]) < SHOWN:
            known[1].append(_shown(place, text))

    def listed(self) -> tuple[DataNote, ...]:
        apart = self.carriers.apart()
        if apart is not None and "columns-apart" not in self.notes:
            count, place, words, line = apart
            self.notes["columns-apart"] = [count, [_shown(place, words)], line]
        ordered = sorted(self.notes.items(), key=lambda n: (-n[1][0], n[0]))
        return tuple(DataNote(k, kind_words(k), v[0], tuple(v[1]), v[2]) for k, v in ordered)

    # --- one record ---------------------------------------------------------------------------

    def add(self, record: Record, place: str, line: int = 0) -> None:
        self.records += 1
        self.shapes[record.shape] += 1
        if record.label is not None and len(self.labels) <= MAX_LABELS:
            self.labels[record.label] += 1
        if record.shape == "token-ids":
            self._ids(record, place, line)
            return
        if record.shape == "unknown":
            return
        text = record.text
        self._quality(record, text, place, line)
        self._length(record, text, place, line)
        self._remember(text, place)

    def _quality(self, record: Record, text: str, place: str, line: int) -> None:
        fault = texts.fault_of(text)
        if fault:
            self.note(fault, place, text, line)
        elif record.answer is not None and not record.answer.strip() and not record.turns:
            self.note("empty-answer", place, record.prompt, line)
        wrong = roles.problem(record)
        if wrong:
            self.note(f"roles: {wrong}", place, "", line)
        if record.rejected is not None and record.rejected == record.answer:
            self.note("chosen-equals-rejected", place, record.answer or "", line)
        elif record.reference and record.reference.strip() == (record.rejected or "").strip():
            self.note("rejected-is-reference", place, record.reference, line)
        elif record.scores is not None and record.scores[1] > record.scores[0]:
            shown = f"{record.scores[0]:g} < {record.scores[1]:g}"
            self.note("rejected-scores-higher", place, shown, line)

    def _length(self, record: Record, text: str, place: str, line: int) -> None:
        count = self.counter.count(text)
        self._size(count)
        answered = bool(record.prompt) and record.answer is not None
        if self.limit and answered and self.counter.least(record.prompt) >= self.limit:
            self.no_answer_left += 1
            self.note("no-answer-left", place, record.prompt, line)

    def _size(self, count: int) -> None:
        self.bins[lengths.bin_of(count)] += 1
        self.sizes.append(count)
        if self.limit and count > self.limit:
            self.beyond += 1

    def _ids(self, record: Record, place: str, line: int) -> None:
        self._size(len(record.ids))
        self._remember_ids(record.ids)
        try:
            self.ids(max(record.ids), place)
            if min(record.ids) < 0:
                self.note("negative-id", place, str(min(record.ids)), line)
        except TypeError:
            self.note("id-is-no-number", place, "", line)
        targets = record.targets
        if targets is None:
            return
        if all(t == IGNORED_LABEL for t in targets):
            self.note("no-label", place, "", line)
        elif self.limit and all(t == IGNORED_LABEL for t in targets[: self.limit]):
            self.no_answer_left += 1
            self.note("no-answer-left", place, "", line)

    def ids(self, largest: int, place: str) -> None:
        if self.largest is None or largest > self.largest:
            self.largest, self.largest_at = largest, place

    def _remember(self, text: str, place: str) -> None:
        if len(text) < MIN_COMPARED or len(self.hashes) >= MAX_HASHES:
            return
        self.hashes[digest(text)] += 1
        if len(self.kept) < KEPT_TEXTS:
            self.kept.append((place, text[:5_000]))

    def _remember_ids(self, ids: Sequence[Any]) -> None:
        if len(ids) >= MIN_IDS and len(self.hashes) < MAX_HASHES:
            self.hashes[digest(" ".join(map(str, ids)))] += 1

    def columns(self, record: Mapping[str, Any], place: str, line: int) -> None:
        """Types by column: pyarrow and datasets want one for all rows, also inside of lists."""
        self.carriers.add(record, place, line)
        for name, value in record.items():
            self._column(str(name), value, place, line)
            if isinstance(value, list):
                for part in value[:MAX_PARTS]:
                    for key, inner in part.items() if isinstance(part, Mapping) else ():
                        self._column(f"{name}[].{key}", inner, place, line)

    def _column(self, name: str, value: Any, place: str, line: int) -> None:
        if name not in self.types and len(self.types) >= MAX_COLUMNS:
            return
        known = self.types.setdefault(name, Counts())
        kind = type_of(value)
        if kind == "null":
            return
        if known and kind not in known:
            first = next(iter(known))
            self.note(f"type: {one_line(name, 40)}", place, f"{first} -> {kind}", line)
        known[kind] += 1

    # --- sums ---------------------------------------------------------------------------------

    @property
    def shape(self) -> str:
        return self.shapes.most_common(1)[0][0] if self.shapes else "unknown"

    @property
    def duplicates(self) -> int:
        """Records that another one repeats word for word."""
        return sum(n - 1 for n in self.hashes.values())

    def median(self) -> int | None:
        ordered = sorted(self.sizes)
        return ordered[len(ordered) // 2] if ordered else None


def _shown(place: str, text: str | Text) -> str | Text:
    """The place with what stands there (a str) or what is wrong there (a Text)."""
    if isinstance(text, Text):
        en, zh = one_line(text.en, 100), one_line(text.zh, 100)
        return Text(f"{place}: {en}", f"{place}：{zh}")
    shown = one_line(text, 60)
    return f"{place}: {shown}" if shown else place


def digest(text: str) -> int:
    """64 bits of a text without differences of case and white space."""
    plain = _SPACES.sub(" ", text).strip().lower()
    raw = plain.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


def type_of(value: Any) -> str:
    """The type as JSON names it, of what Arrow keeps apart; integers and floats fit together."""
    if value is None or value in ([], {}):
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, (list, tuple)) else "object"
