"""One pass over a log: RE2 Set over blocks, then each signature that hit on the block's lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from threading import Lock, Thread
from typing import Any, BinaryIO, NamedTuple

from medic.entries import Role, Signature
from medic.entries.words import TELLTALE
from medic.errors import KnowledgeError
from medic.facts import CaptureValue, Hit, Source
from medic.match.benign import why_benign
from medic.match.clean import clean
from medic.match.landmarks import LANDMARKS
from medic.match.marks import Watched
from medic.match.reader import ASIDE, NOTES, Block, Limits, Reading, blocks
from medic.match.sweep import sweep
from medic.match.units import convert
from medic.probe import Scan
from medic.records import dataclass, field
from medic.text.patterns import regex

FIRST, LAST = 10, 40
LAST_MARKS = 2000  # of a landmark: each rank of a large job prints its own
# A signature that matched this often leaves the Set: more matches cost time and tell nothing.
CAP = 2000
TEXT_LIMIT = 4000
BEFORE = 200  # bytes of a longer line that are kept before what matched
ABOVE, BELOW = 4096, 256  # bytes around a line that may say who printed it: a traceback
SET_MEMORY = 32 << 20
# Not a brace that is escaped, or one of a set of characters: a search for braces is a fast one.
_REPEATED = regex(rb"{(?<![\\\[].)(\d+),\d+}")
_EVIDENCE: frozenset[Role] = frozenset({"root", "either", "victim"})


class _Line(NamedTuple):
    """A line that matched, the one above it, and where it stands in its file; ``doubted``: other
    programs print it, too, and nothing around it says who did."""

    data: bytes
    above: bytes
    number: int
    file: str
    doubted: bool


class _Found(NamedTuple):
    """A match of one signature, with what it captured; only what is kept becomes a Hit."""

    line: _Line
    place: int
    span: tuple[int, int]
    groups: Mapping[bytes, bytes | None]


@dataclass
class _Tally:
    """What is kept of one signature: the first and last matches, and in the end its last blocks
    with the end of the one before each."""

    last: deque[_Found]
    first: list[_Found] = field(default_factory=list)
    count: int = 0
    late: deque[tuple[Block, bytes, bytes]] = field(default_factory=lambda: deque(maxlen=LAST))

    def add(self, found: _Found) -> None:
        (self.first if len(self.first) < FIRST else self.last).append(found)


class Matcher:
    """Finds signatures in logs and texts. Compiles them at the first use."""

    def __init__(self, marks: Sequence[Watched], *, limits: Limits | None = None) -> None:
        self._owners: list[Watched] = [*map(Watched, LANDMARKS), *marks]
        self._limits = limits or Limits()
        self._patterns: dict[int, Any] = {}
        self._parting: dict[int, Any] = {}  # of shared lines: the words above them
        self._compiled: Any = None
        self._compiling = Lock()

    # --- compiling --------------------------------------------------------------------------

    @cached_property
    def _options(self) -> Any:
        """Bytes are matched, whatever their encoding, and no match spans lines."""
        import re2

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_nl = True
        options.log_errors = False
        options.max_mem = SET_MEMORY
        return options

    def prepare(self) -> None:
        """Compiles in the background, while the caller does something else."""

        def compiled() -> None:
            with suppress(Exception):  # told where it is used
                self._set  # noqa: B018 - kept from now on

        Thread(target=compiled, daemon=True).start()

    @property
    def _set(self) -> Any:
        with self._compiling:
            if self._compiled is None:
                self._compiled = self._compile()
        return self._compiled

    def _compile(self) -> Any:
        import re2

        whole = re2.Set.SearchSet(self._options)
        try:
            for owner in self._owners:
                whole.Add(loose(_source(owner.signature)))
        except re2.error:
            for number in range(len(self._owners)):
                self._pattern(number)  # raises, naming the signature
            raise
        whole.Compile()
        return whole

    def _pattern(self, number: int) -> Any:
        if number not in self._patterns:
            import re2

            owner = self._owners[number]
            signature = owner.signature
            try:
                self._patterns[number] = re2.compile(_source(signature), self._options)
            except re2.error as problem:
                why = f"signature {signature.id}: not a pattern of RE2: {problem}"
                why_zh = f"特征 {signature.id}：不是合法的 RE2 模式：{problem}"
                raise KnowledgeError(why, why_zh, at=owner.symptom or owner.outcome) from None
        return self._patterns[number]

    # --- scanning ---------------------------------------------------------------------------

    def scan_file(self, file: BinaryIO, name: str, *, all_of_it: bool = False) -> Scan:
        """All hits of one log, in file order. Raises Unreadable for what is no text.

        At most 50 hits are kept of a signature (the first 10, the last 40); ``Hit.count`` is how
        often it was seen, at least.
        """
        reading = Reading()
        tallies: dict[int, _Tally] = {}
        read = blocks(file, name, reading, self._limits, all_of_it=all_of_it)
        lead = b""
        for block, view, numbers in sweep(self._set.Match, read):
            for number in numbers:
                if number not in tallies:
                    kept = LAST_MARKS if self._owners[number].mark else LAST
                    tallies[number] = _Tally(deque(maxlen=kept))
                self._collect(number, block, view, name, tallies[number], lead)
            lead = view[-ABOVE:]
        marks: list[Hit] = []
        hits: list[Hit] = []
        for number, tally in tallies.items():
            if tally.count < self._owners[number].signature.at_least:
                continue
            found = self._kept(number, tally, name)
            (marks if self._owners[number].mark else hits).extend(found)
        return Scan(
            hits=tuple(sorted(hits, key=lambda h: h.order)),
            lines=reading.lines,
            bytes=reading.bytes,
            notes=tuple(NOTES[key] for key in reading.notes),
            marks=tuple(sorted(marks, key=lambda h: h.order)),
            starts=tuple(reading.starts),
            aside=tuple(NOTES[key] for key in reading.notes if key in ASIDE),
        )

    def scan_text(self, text: str, name: str = "-") -> Scan:
        return self.scan_file(BytesIO(text.encode("utf-8", "replace")), name)

    def shown_in(self, text: str) -> list[tuple[str, str]]:
        """(kind, name) of the causes and symptoms whose words a text has, each once: first the
        causes that the words name alone."""
        hits = [h for h in self.scan_text(text).hits if not h.benign]
        causes = [("causes", h.outcome) for h in hits if h.check == TELLTALE]
        symptoms = [("symptoms", h.symptom) for h in hits if h.symptom and h.role in _EVIDENCE]
        return list(dict.fromkeys([*causes, *symptoms]))

    def _collect(
        self, number: int, block: Block, view: bytes, name: str, tally: _Tally, lead: bytes
    ) -> None:
        if tally.count >= CAP:
            tally.count += 1
            tally.late.append((block, view, lead))
            return
        for found in self._found(number, block, view, name, lead):
            tally.count += 1
            tally.add(found)

    def _found(
        self, number: int, block: Block, view: bytes, name: str, lead: bytes = b""
    ) -> Iterator[_Found]:
        """The lines of a block that match one signature; ``lead`` is the end of the one before."""
        pattern = self._pattern(number)
        position, lines, counted = 0, 0, 0
        while position <= len(view):
            found = pattern.search(view, position)
            if found is None:
                break
            start = view.rfind(b"\n", 0, found.start()) + 1
            end = view.find(b"\n", found.start())
            end = len(view) if end < 0 else end
            lines += block.data.count(b"\n", counted, start)
            counted = start
            above = view[view.rfind(b"\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
            doubted = self._doubted(number, lead, view[max(end - ABOVE, 0) : end + BELOW])
            at = block.line and block.line + lines
            line = _Line(view[start:end], above, at, name, doubted)
            span = found.start() - start, found.end() - start
            yield _Found(line, block.place + lines, span, found.groupdict())
            position = end + 1

    def _doubted(self, number: int, lead: bytes, own: bytes) -> bool:
        """Whether a line that others print, too, stands near none of the words that part them."""
        signature = self._owners[number].signature
        if not signature.shared:
            return False
        if number not in self._parting:
            import re2

            unless = signature.unless.encode()
            self._parting[number] = re2.compile(unless, self._options) if unless else None
        words = self._parting[number]
        return words is None or words.search(own if len(own) >= ABOVE else lead + own) is None

    def _hit(self, number: int, found: _Found, count: int) -> Hit:
        signature, symptom, check, outcome, goes_on = self._owners[number]
        line, benign = found.line, ""
        if signature.role in _EVIDENCE or check:
            benign = why_benign(line.data, *found.span, line.above, signature.not_in)
        return Hit(
            signature=signature.id,
            symptom=symptom,
            role=signature.role if symptom else "context",
            source=_source_of(line, found.span),
            captures=_captures(found.groups, signature),
            count=count,
            order=(0.0, 0, found.place),
            benign=benign,
            check=check,
            outcome=outcome,
            goes_on=goes_on,
            column=found.span[0] + 1,
            shared=line.doubted,
        )

    def _kept(self, number: int, tally: _Tally, name: str) -> list[Hit]:
        late: list[_Found] = []
        for block, view, lead in reversed(tally.late):
            late = [*self._found(number, block, view, name, lead), *late]
            if len(late) >= (tally.last.maxlen or 0):
                break
        tally.last.extend(late)
        return [self._hit(number, one, tally.count) for one in (*tally.first, *tally.last)]


def _source_of(line: _Line, span: tuple[int, int]) -> Source:
    """The line, of a very long one the part that matched, and where in it that stands."""
    first = 0 if span[1] <= TEXT_LIMIT else max(span[0] - BEFORE, 0)
    text = clean(line.data[first : first + TEXT_LIMIT])
    start, end = (len(clean(line.data[first:n])) for n in span)
    return Source(line.file, line.number, text=text, telling=(start, min(end, len(text))))


def _source(signature: Signature) -> bytes:
    return b"(?m)" + signature.pattern.encode()


def loose(pattern: bytes) -> bytes:
    """A pattern that matches all that this one does: without upper bounds of its repetitions.

    ``.{0,200}`` is 200 states of the Set, which is a third as fast with them. What it finds is
    looked at again with the pattern itself.
    """
    return _REPEATED.sub(rb"{\1,}", pattern)


def _captures(
    groups: Mapping[bytes, bytes | None], signature: Signature
) -> Mapping[str, CaptureValue]:
    values: dict[str, CaptureValue] = {}
    for group, raw in groups.items():
        name = group.decode()  # names of a pattern of bytes are bytes
        value = None if raw is None else convert(clean(raw), signature.captures.get(name, "text"))
        if value is not None:
            values[name] = value
    return values
