"""Python tracebacks in a log, joined though ranks write into each other's lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.facts import Frame, Source, Traceback
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

from .digits import whole
from .prefix import message

START = "Traceback (most recent call last)"
MAX_FRAMES = 400
# Lines of other writers that may stand within a traceback whose lines carry no prefix.
PATIENCE = 40

_FRAME = regex(r"\s+File \"([^\"]+)\", line (\d+)(?:, in (.+))?")
_BARE_FRAME = regex(r"File (/\S+?):(\d+), in (.+)")
_RICH_FRAME = regex(r"\s*\u2502\s+(/\S+\.py):(\d+) in (\S+)")
_LEVELS = r"(?!(?:INFO|WARN|WARNING|ERROR|DEBUG|CRITICAL|FATAL|NOTE|NCCL)\b)"
_EXCEPTION = regex(
    rf"{_LEVELS}((?:[A-Za-z_]\w*\.)*[A-Z]\w+|(?:[a-z_]\w*\.)+(?:error|timeout|gaierror|herror))"
    r"(?::\s*(.*))?$"
)
# Of an exception without its header: an error's name at the start of the line, and its message.
_HEADLESS_FRAME = regex(r"\s*File \"[^\"]+\", line \d+, in ")
_HEADLESS = regex(
    r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|NotFound)|"
    r"(?:[a-z_]\w*\.)+(?:error|timeout|gaierror|herror)): (\S.*)$"
)
# As "ts", containers and loggers of one's own put it before each line; what is indented stays so.
_STAMP = regex(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"(?: ?\[[Rr]ank[ _]?\d{1,5}\]:?)?(?: |$)"
)
_ERROR_ENDS = ("rror: ", "Exception: ", "imeout: ", "NotFound: ")
_AS_ERROR = regex(r"\b(?:ERROR|CRITICAL|FATAL)\b")
_CAUGHT = regex(r"Caught (\w+) in (?:DataLoader worker process|replica|pin memory thread)")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")

# An exception of these types tells of another process's end, not of one's own fault.
_VICTIMS = regex(
    r"ChildFailedError|ProcessRaisedException|ProcessExitedException|SignalException|DistStoreError|"
    r"BrokenPipeError|ConnectionResetError|ActorDiedError|RayActorError|WorkerCrashedError|"
    r"DistNetworkError"
)
_VICTIM_WORDS = regex(
    r"Connection (?:closed|reset) by (?:remote )?peer|recvValue failed|ncclRemoteError|Broken pipe|"
    r"remote process (?:exited|has (?:exited|terminated))|communicator (?:was|has been) aborted|"
    r"Watchdog caught collective|Timed out waiting \d+ms for (?:recv|send) operation|"
    r"DataLoader worker \(pid\(?s?\)? [\d, ]+\) exited|Signal \d+ \(SIG"
)
# A launcher's own code: what it raises is that its child failed.
_LAUNCHER = regex(r"accelerate/commands/launch|deepspeed/launcher|torch/distributed/(?:launch|run)")
# No failure of the program: it was told to stop, or stops itself.
_STOPS = regex(
    r"(?:^|\.)(?:(?:KeyboardInterrupt|SystemExit|GeneratorExit)(?::|$)|"
    r"SignalException: .*\bgot signal: 2$)"  # torchrun's, of Ctrl-C
)


@dataclass
class _Open:
    """A traceback that is being read."""

    first_line: int
    frames: list[Frame] = field(default_factory=list)
    strangers: int = 0
    thread: bool = False
    ignored: bool = False
    rich: bool = False
    code_next: bool = False
    headless: bool = False
    stamped: bool = False  # a time stands in front of its lines


class Joiner:
    """Feeds on lines of one file; gives each traceback when its exception line has come."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._before: dict[str, str] = {}
        self._worker: dict[str, Traceback] = {}
        self._last: dict[str, Traceback] = {}
        self._led_to: dict[str, Traceback] = {}
        # File and line of exceptions that led to another one.
        self.handled: set[tuple[str, int]] = set()
        # Lines of exceptions without a header: they count only where a log ends.
        self.headless: set[int] = set()

    def gap(self) -> None:
        """Lines were left out: nothing that is open can be ended."""
        self._open.clear()
        self._before.clear()
        self._worker.clear()
        self._led_to.clear()

    def feed(self, body: str, stream: str, at: Callable[[], Source]) -> Traceback | None:
        """``body`` is the line behind the launcher's prefix, ``stream`` tells writers apart."""
        if START in body:
            self._begin(body, stream, at().line)
            return None
        current = self._open.get(stream)
        if current is None:
            if headless := self._headless(body, stream, at):
                return headless
            if body.startswith(_CHAINED) and stream in self._last:
                earlier = self._last[stream].source
                self.handled.add((earlier.file, earlier.line))
                self._led_to[stream] = self._last[stream]
            self._before[stream] = body
            return None
        if current.stamped and (stamp := _STAMP.match(body)):
            body = body[stamp.end() :]
        if self._inside(current, body):
            return None
        found = _EXCEPTION.match(body.strip() if current.rich else body)
        if current.headless:
            found = _headless(body)
            if found:
                self.headless.add(at().line)
        if found is None:
            current.strangers += 1
            if current.strangers > PATIENCE or current.headless:
                del self._open[stream]
            return None
        del self._open[stream]
        return self._end(current, found, stream, at())

    def _begin(self, body: str, stream: str, line: int) -> None:
        before = self._before.pop(stream, "")
        current = _Open(line)
        current.thread = "Exception in thread" in before
        current.ignored = "Exception ignored" in before
        current.rich = "\u256d" in body
        current.stamped = _STAMP.match(body) is not None
        self._open[stream] = current
        if not body.startswith("Original Traceback"):
            self._worker.pop(stream, None)

    def _headless(self, body: str, stream: str, at: Callable[[], Source]) -> Traceback | None:
        """Opens at a frame that no header is above of; an error's line alone is a traceback."""
        if 'File "' in body and _HEADLESS_FRAME.match(body):
            self._open[stream] = current = _Open(at().line, headless=True)
            self._inside(current, f"  {body}")
            return None
        # Nearly every line of a log comes here, and hardly one names an error.
        found = _headless(body) if any(map(body.__contains__, _ERROR_ENDS)) else None
        if found is None:
            return None
        self.headless.add(at().line)
        ignored = "Exception ignored" in self._before.get(stream, "")
        return self._end(_Open(at().line, ignored=ignored), found, stream, at())

    def _inside(self, current: _Open, body: str) -> bool:
        """Takes a line that belongs to the frames."""
        frame = _FRAME.match(body) or _BARE_FRAME.match(body) or _RICH_FRAME.match(body)
        if frame is not None:
            if len(current.frames) < MAX_FRAMES:
                function = (frame.group(3) or "").strip()
                current.frames.append(Frame(frame.group(1), whole(frame.group(2)), function))
            current.code_next = True
            return True
        if body.startswith((" ", "\t")) or (current.rich and body[:1] in "\u2502\u2570\u256d"):
            if current.code_next and current.frames and body.strip("^~ "):
                current.frames[-1] = replace(current.frames[-1], code=body.strip()[:300])
            current.code_next = False
            return True
        return not body.strip()

    def _end(self, current: _Open, found: re.Match[str], stream: str, source: Source) -> Traceback:
        exception, words = found.group(1), found.group(2) or ""
        made = Traceback(
            exception=exception,
            message=words[:1000],
            frames=tuple(current.frames),
            source=source,
            order=(source.time or 0.0, 0, source.line),
            first_line=current.first_line,
            uncaught=not (current.thread or current.ignored)
            and not _STOPS.search(f"{exception}: {words}".rstrip()),
            victim=_is_victim(exception, words, current.frames),
            writer="" if stream.isdecimal() or stream == "None" else stream.strip(" :|[]()"),
        )
        cause = self._led_to.pop(stream, None)
        if cause is not None and (cause.exception, cause.message) == (exception, made.message):
            # A pool raises what its worker did once more: the worker's frames say where.
            made = replace(made, frames=cause.frames or made.frames)
        self._last[stream] = made
        outer = self._worker.pop(stream, None)
        if outer is not None:
            # The original of what a data loader worker passed on: it is the failure.
            return replace(made, uncaught=outer.uncaught, worker=True, first_line=outer.first_line)
        if _CAUGHT.search(words):
            self._worker[stream] = made
        return made


def _headless(body: str) -> re.Match[str] | None:
    """An error's line, printed, or logged as an error; at most of use where a log ends."""
    if found := _HEADLESS.match(body):
        return found
    words = message(body)
    if len(words) == len(body) or not _AS_ERROR.search(body[: -len(words)]):
        return None
    return _HEADLESS.match(words)


def _is_victim(exception: str, words: str, frames: list[Frame]) -> bool:
    if exception.endswith("CalledProcessError"):
        return any(_LAUNCHER.search(frame.file) for frame in frames)
    return bool(_VICTIMS.search(exception) or _VICTIM_WORDS.search(words))


def settle(tracebacks: list[Traceback], handled: set[tuple[str, int]]) -> list[Traceback]:
    """One uncaught traceback a failure.

    What a data loader worker passed on is told once, with the worker's own exception. Of a chain
    ("During handling of the above exception …") the last one ended the process.
    """
    kept: list[Traceback] = []
    for tb in tracebacks:
        if tb.worker:
            kept = [k for k in kept if k.first_line != tb.first_line or not _same(k, tb)]
        caught = (tb.source.file, tb.source.line) in handled
        kept.append(replace(tb, uncaught=False) if caught else tb)
    return kept


def _same(one: Traceback, other: Traceback) -> bool:
    return one.source.rank == other.source.rank and one.source.file == other.source.file
