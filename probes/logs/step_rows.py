"""The step rows of one log file, by the two readers of them."""

from __future__ import annotations

from collections.abc import Callable

from medic.facts import Source, StepLine

from .ending import is_begun, is_over
from .learned_rows import LearnedRows
from .skipped_rows import is_skipped, without_skipped
from .steps import Steps


class StepRows:
    """Takes the lines of a file in order; ``settle`` gives the steps that they log.

    The readers know at different times, so that neither can do the work of the other. ``Steps`` has
    been taught the layouts of frameworks and answers line by line: a bar that is drawn over itself, a
    loss whose step only that bar tells, a header or a timer of its own line each change what the next
    line means, and no two such lines look alike. ``LearnedRows`` is taught no layout: the rows of one
    print tell what its columns are, once all of them are there. It is handed what ``Steps`` made of
    each row, keeps a step that the line names, and its word stands where the two differ.
    """

    def __init__(self) -> None:
        self._found: list[StepLine] = []  # as each line says by itself
        self.overs: list[int] = []  # lines behind which a training is over
        self._writers: dict[int | None, Steps] = {}  # by rank, of its latest training
        self._over: set[int | None] = set()
        self._learned = LearnedRows()

    def feed(self, words: str, rank: int | None, at: Callable[[], Source]) -> bool:
        """Whether a line is a row, by itself."""
        step = self._writer(words, rank).read(words)
        if is_over(words):
            self.overs.append(at().line)
            self._over.add(rank)
        if is_skipped(words):
            step = without_skipped(step)
        else:
            self._learned.feed(words, step, rank, at)
        if step is not None:
            self._found.append(StepLine(step.number, step.values, at()))
        return step is not None

    def _writer(self, words: str, rank: int | None) -> Steps:
        if rank not in self._writers or (rank in self._over and is_begun(words)):
            self._over.discard(rank)
            self._writers[rank] = Steps()
        return self._writers[rank]

    def settle(self) -> list[StepLine]:
        """The steps by line, once the file is read."""
        learned = list(self._learned.settle())
        lines = {row.source.line for row in learned}
        alone = [row for row in self._found if row.source.line not in lines]
        return sorted([*alone, *learned], key=lambda row: row.source.line)

    @property
    def planned(self) -> int | None:
        """The steps of the longest training; those of a learned print once they are settled."""
        told = max((one.planned or 0 for one in self._writers.values()), default=0)
        return told or self._learned.planned or None

    @property
    def bar(self) -> int:
        """Where the last training bar stands."""
        return max((one.bar for one in self._writers.values()), default=0)
