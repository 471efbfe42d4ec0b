"""What torchrun's failure report says: which rank it saw fail first, and with which exit code."""

from __future__ import annotations

from collections.abc import Callable

from medic.facts import Source
from medic.records import dataclass
from medic.text.patterns import regex

from .digits import whole

_RANK = regex(r"\s*rank\s+: (\d+) \(local_rank: (\d+)\)")
_EXIT = regex(r"\s*exitcode\s+: (-?\d+)")
_HOST = regex(r"\s*host\s+: (\S+)")
SIGNALS = {
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    15: "SIGTERM",
}


@dataclass(frozen=True)
class Failure:
    """One child of the report; ``first`` is the agent's "first observed failure" of its node."""

    rank: int
    exit_code: int
    first: bool
    source: Source

    def words(self) -> str:
        name = SIGNALS.get(-self.exit_code, "")
        return f"exit code {self.exit_code}" + (f" ({name})" if name else "")


class Failures:
    """Feeds on lines; a report that is printed in several files counts once."""

    def __init__(self) -> None:
        self.found: list[Failure] = []
        self.hosts: set[str] = set()
        self._first = False
        self._rank: tuple[int, Source] | None = None

    def feed(self, body: str, at: Callable[[], Source]) -> None:
        if " : " not in body and "ailure" not in body:
            return
        if "Root Cause (first observed failure)" in body:
            self._first = True
        elif body.startswith("Failures:"):
            self._first = False
        elif rank := _RANK.match(body):
            self._rank = whole(rank.group(1)), at()
        elif self._rank is not None and (code := _EXIT.match(body)):
            number, seen = self._rank
            made = Failure(number, whole(code.group(1)), self._first, seen)
            if all((f.rank, f.exit_code) != (made.rank, made.exit_code) for f in self.found):
                self.found.append(made)
            self._rank = None
        elif host := _HOST.match(body):
            self.hosts.add(host.group(1))
