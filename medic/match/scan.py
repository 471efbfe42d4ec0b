"""One pass over a log: RE2 Set over blocks, then each signature that hit on the block's lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from threading import Lock, Thread
from typing import Any, BinaryIO

from medic.entries import Role, Signature
from medic.entries.words import TELLTALE
from medic.errors import KnowledgeError
from medic.facts import CaptureValue, Hit, Source
from medic.match.benign import why_benign
from medic.match.clean import clean
from medic.match.found import LAST, Found, Kept, Line, LineOrder, Tally
from medic.match.landmarks import LANDMARKS
from medic.match.marks import Watched, patterns_of
from medic.match.reader import ASIDE, NOTES, Block, Limits, Reading, blocks
from medic.match.sieve import Sieve, sieve_of, source
from medic.match.sweep import sweep
from medic.match.units import convert
from medic.probe import Scan

LAST_MARKS = 2000  # of a landmark: each rank of a large job prints its own
# A signature that matched this often leaves the Set: more matches cost time and tell nothing.
CAP = 2000
TEXT_LIMIT = 4000
BEFORE = 200  # bytes of a longer line that are kept before what matched
ABOVE, BELOW = 4096, 256  # bytes around a line that may say who printed it: a traceback
SET_MEMORY = 32 << 20
_EVIDENCE: frozenset[Role] = frozenset({"root", "either", "victim"})


class Matcher:
    """Finds signatures in logs and texts. Compiles them at the first use.

    ``sieve`` is what ``sieve_of`` made of the ``patterns_of`` the marks, if it is known; ``only``
    are the numbers, among those, of what is looked for.
    """

    def __init__(
        self,
        marks: Sequence[Watched],
        *,
        limits: Limits | None = None,
        sieve: Mapping[str, Any] | None = None,
        only: Collection[int] | None = None,
    ) -> None:
        self._marks = marks
        self._made_of = sieve, only
        self._limits = limits or Limits()
        self._patterns: dict[int, Any] = {}
        self._parting: dict[int, Any] = {}  # of shared lines: the words above them
        self._compiled: Sieve | None = None
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

    @cached_property
    def _order(self) -> LineOrder:
        return LineOrder(self._source, self._options)

    def prepare(self) -> None:
        """Compiles in the background, while the caller does something else."""

        def compiled() -> None:
            with suppress(Exception):  # told where it is used
                self._sieve  # noqa: B018 - kept from now on

        Thread(target=compiled, daemon=True).start()

    @property
    def _sieve(self) -> Sieve:
        with self._compiling:
            if self._compiled is None:
                self._compiled = self._compile()
        return self._compiled

    def _compile(self) -> Sieve:
        import re2

        made, only = self._made_of
        sieve = Sieve(made or sieve_of(patterns_of(self._marks)), self._source, only)
        try:
            sieve.compile(self._options)
        except re2.error:
            for number in range(len(LANDMARKS) + len(self._marks)):
                self._pattern(number)  # raises, naming the signature
            raise
        return sieve

    def _owner(self, number: int) -> Watched:
        own = number - len(LANDMARKS)
        return self._marks[own] if own >= 0 else Watched(LANDMARKS[number])

    def _source(self, number: int) -> bytes:
        return source(self._owner(number).signature.pattern)

    def _pattern(self, number: int) -> Any:
        if number not in self._patterns:
            import re2

            owner = self._owner(number)
            signature = owner.signature
            try:
                self._patterns[number] = re2.compile(source(signature.pattern), self._options)
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
        tallies: dict[int, Tally] = {}
        read = blocks(file, name, reading, self._limits, all_of_it=all_of_it)
        lead = b""
        for block, view, numbers in sweep(self._sieve.match, read):
            for number in numbers:
                if number not in tallies:
                    kept = LAST_MARKS if self._owner(number).mark else LAST
                    tallies[number] = Tally(deque(maxlen=kept))
                self._collect(number, block, view, name, tallies[number], lead)
            lead = view[-ABOVE:]
        told = [
            Kept(number, found, tally.count)
            for number, tally in tallies.items()
            if tally.count >= self._owner(number).signature.at_least
            for found in self._all(number, tally, name)
        ]
        rows = [(self._owner(one.number).mark, self._hit(*one)) for one in self._order.of(told)]
        return Scan(
            hits=tuple(hit for mark, hit in rows if not mark),
            lines=reading.lines,
            bytes=reading.bytes,
            notes=tuple(NOTES[key] for key in reading.notes),
            marks=tuple(hit for mark, hit in rows if mark),
            starts=tuple(reading.starts),
            aside=tuple(NOTES[key] for key in reading.notes if key in ASIDE),
        )

    def scan_text(self, text: str, name: str = "-") -> Scan:
        return self.scan_file(BytesIO(text.encode("utf-8", "replace")), name)

    def shown_in(self, text: str) -> list[tuple[str, str]]:
        """(kind, name) of the causes and symptoms whose words a text has, each once: first the
        causes that the words name alone, last those that look for other words beside them."""
        hits = [h for h in self.scan_text(text).hits if not h.benign]
        parted = {m.signature.id for m in self._marks if m.signature.unless}
        told = [h for h in hits if h.check == TELLTALE]
        told.sort(key=lambda h: (h.shared, h.shared and h.signature in parted))
        causes = [("causes", h.outcome) for h in told]
        symptoms = [("symptoms", h.symptom) for h in hits if h.symptom and h.role in _EVIDENCE]
        return list(dict.fromkeys([*causes, *symptoms]))

    def _collect(
        self, number: int, block: Block, view: bytes, name: str, tally: Tally, lead: bytes
    ) -> None:
        if tally.count >= CAP:
            if self._pattern(number).search(view) is None:
                return
            tally.count += 1
            tally.late.append((block, view, lead))
            return
        for found in self._found(number, block, view, name, lead):
            tally.count += 1
            tally.add(found)

    def _found(
        self, number: int, block: Block, view: bytes, name: str, lead: bytes = b""
    ) -> Iterator[Found]:
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
            line = Line(view[start:end], above, at, name, doubted)
            span = found.start() - start, found.end() - start
            yield Found(line, block.place + lines, span, found.groupdict())
            position = end + 1

    def _doubted(self, number: int, lead: bytes, own: bytes) -> bool:
        """Whether a line that others print, too, stands near none of the words that part them."""
        signature = self._owner(number).signature
        if not signature.shared:
            return False
        if number not in self._parting:
            import re2

            unless = signature.unless.encode()
            self._parting[number] = re2.compile(unless, self._options) if unless else None
        words = self._parting[number]
        return words is None or words.search(own if len(own) >= ABOVE else lead + own) is None

    def _hit(self, number: int, found: Found, count: int) -> Hit:
        signature, symptom, check, outcome, goes_on = self._owner(number)
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

    def _all(self, number: int, tally: Tally, name: str) -> list[Found]:
        late: list[Found] = []
        for block, view, lead in reversed(tally.late):
            late = [*self._found(number, block, view, name, lead), *late]
            if len(late) >= (tally.last.maxlen or 0):
                break
        tally.last.extend(late)
        return [*tally.first, *tally.last]


def _source_of(line: Line, span: tuple[int, int]) -> Source:
    """The line, of a very long one the part that matched, and where in it that stands."""
    first = 0 if span[1] <= TEXT_LIMIT else max(span[0] - BEFORE, 0)
    text = clean(line.data[first : first + TEXT_LIMIT])
    start, end = (len(clean(line.data[first:n])) for n in span)
    return Source(line.file, line.number, text=text, telling=(start, min(end, len(text))))


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
