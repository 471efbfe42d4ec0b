"""What the ranks that printed no timeout did while the others waited in a collective."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Collective, FailedRank, LogHits, Ranks, Source
from medic.probe import Look
from medic.text.patterns import regex

from .collectives import STATE
from .digits import whole
from .ending import how
from .prefix import Prefixes, message

_BY_LAUNCHER = "exit code -15"  # SIGTERM
# Torch ends a process with these after an error of NCCL too, which may be another rank's fault.
_ABORT = regex(r"terminate called|\bAborted\b|\bSIGABRT\b")

# What a rank writes that has no further batch, of itself or of the loop that it has left.
_LEFT = regex(
    r"(?i)\bepochs?\b.{0,24}\b(?:finished|done|completed?|ended|is over)\b|"
    r"\b(?:end|finished|completed) (?:of )?(?:the )?(?:training )?epoch\b|"
    r"\b(?:leav(?:es|ing)|left|exit(?:s|ed|ing)?|out of|end of) (?:the )?(?:train(?:ing)?|main|batch|data) ?loop\b|"
    r"\b(?:train(?:ing)?|main) loop (?:is )?(?:done|finished|over|ended|completed?)\b|"
    r"\b(?:no (?:more|further)|r[au]n out of|exhausted(?: all)?) (?:\w+ )?(?:batch(?:es)?|data|samples|inputs)\b|"
    r"\bdata ?loader\b.{0,12}\b(?:exhausted|finished|ended|is empty)\b|"
    r"(?:epoch|第 ?\d+ ?(?:轮|个 ?epoch)|训练循环).{0,12}(?:结束|完成|跑完)|(?:数据|batch).{0,6}(?:读完|用完|耗尽|跑完)"
)
# Collectives of a backward pass: the sum of the gradients of a whole bucket, not of a metric.
_GRADIENTS = regex(r"ALLREDUCE|REDUCE_SCATTER")
_BUCKET = 10_000  # elements
FAR, NEAR = 2_000_000, 2_000  # lines of a log that are looked through; lines behind a step

# What torch's watchdog writes on a rank that is told of another rank's timeout.
_ANSWERS = regex(r"collective timeout from\s+rank \d|dump signal from another rank")


def first_timeout(timeouts: Sequence[Collective]) -> Source:
    """Where the earliest watchdog gave up."""
    return min((t.source for t in timeouts), key=lambda s: (s.time or 0.0, s.line))


def later(source: Source, than: Source) -> bool:
    """Whether a line came surely later: by line within a file, by time across files."""
    if source.file == than.file:
        return source.line > than.line
    return source.time is not None and than.time is not None and source.time > than.time


def crashes(logs: LogHits, timeouts: Sequence[Collective]) -> dict[int, Source]:
    """The line of each rank's crash that no traceback tells: a signal, an error of the GPU.

    A rank that timed out is ended by its own watchdog, so its crash is a consequence; so is an
    abort where no rank timed out, or after the others did.
    """
    told = {t.rank for t in timeouts}
    end = first_timeout(timeouts) if timeouts else None
    found: dict[int, Source] = {}
    for source in _marks(logs, "crash"):
        rank = source.rank
        abort = end is None and _ABORT.search(source.text)
        after = end is not None and later(source, end)
        if rank is None or rank in told or abort or after:
            continue
        if not any(s.source.rank == rank and later(s.source, source) for s in logs.steps):
            found.setdefault(rank, source)
    return found


def died(
    logs: LogHits, ranks: Ranks, timeouts: Sequence[Collective], silent: Iterable[int]
) -> Source | None:
    """The line that shows the end of a silent rank: its crash, or the launcher's first report."""
    crashed = crashes(logs, timeouts)
    for rank in silent:
        if rank in crashed:
            return crashed[rank]
        if ranks.first is not None and ranks.first.rank == rank and not by_others(ranks.first):
            return ranks.first.source
    return None


def stopped(ranks: Ranks, silent: Iterable[int]) -> Source | None:
    """The launcher's report of a silent rank that it ended itself, and so still ran."""
    quiet = set(silent)
    for failed in ranks.others:
        if failed.rank in quiet and failed.reason.startswith(_BY_LAUNCHER):
            return failed.source
    return None


def by_others(failed: FailedRank) -> bool:
    """Whether a rank was stopped by the launcher's signal, or by torch's own watchdog."""
    return failed.reason.startswith((_BY_LAUNCHER, "exit code -6"))


def last_word(logs: LogHits, silent: Iterable[int]) -> Source | None:
    """The last line of the silent rank that stopped first, with its time as it was written."""
    quiet = set(silent)
    last = [s for s in logs.last_words if s.rank in quiet]
    return min(last, key=lambda s: (s.time or float("inf"), s.rank or 0), default=None)


def words(source: Source) -> str:
    """A line without the prefixes of launcher and logger."""
    return message(Prefixes().read(source.text).body).strip()[:120]


def finished(logs: LogHits, timeouts: Sequence[Collective], silent: Iterable[int]) -> Source | None:
    """The regular end of a silent rank that was steps ahead of a waiting one, before it timed out.

    Both must log steps: where only one rank writes, its last words tell nothing of the others'
    place, and it may be busy with a last checkpoint.
    """
    end = first_timeout(timeouts)
    waiting = [_last_step(logs, t.rank, end) for t in timeouts]
    behind = min((step for step in waiting if step is not None), default=None)
    for rank in silent:
        source = _regular_end(logs, rank)
        reached = _last_step(logs, rank, end)
        if source is None or behind is None or reached is None or later(source, end):
            continue
        busy = any(m.rank == rank and later(m, source) for m in _marks(logs, "serial-work"))
        if reached > behind and not busy:
            return source
    return None


def left_the_loop(
    look: Look, logs: LogHits, timeouts: Sequence[Collective], silent: Iterable[int]
) -> Source | None:
    """The last line of a silent rank, where it says that its batches were over, while all that wait
    were in the backward pass of a step and had not said so of theirs."""
    if not all(
        _GRADIENTS.search(t.operation) and (t.elements_in or 0) >= _BUCKET for t in timeouts
    ):
        return None
    quiet, end = set(silent), first_timeout(timeouts)
    for line in logs.last_words:
        rank = line.rank
        reached = _last_step(logs, rank, end) if rank is not None and rank in quiet else None
        if reached is None or later(line, end):
            continue
        if not _LEFT.search(words(line)) and how(words(line)) != "well":
            continue
        if all(_goes_on(look, logs, t, reached) for t in timeouts):
            return line
    return None


def _goes_on(look: Look, logs: LogHits, waiting: Collective, reached: int) -> bool:
    """Whether a waiting rank got as far, and said nothing of an end from there on."""
    own = [s for s in logs.steps if s.source.rank == waiting.rank and s.step >= reached]
    given = next((f for f in look.files("log") if own and f.name == own[0].source.file), None)
    if given is None:
        return False
    try:
        lines = islice(look.lines(given.path), FAR)
        since = [text for number, text in lines if number >= own[0].source.line]
    except Unreadable:
        return False
    return not any(
        _LEFT.search(text[:400]) and Prefixes().read(text).rank in (None, waiting.rank)
        for text in since[:NEAR]
    )


def alive(logs: LogHits, timeouts: Sequence[Collective], silent: Iterable[int]) -> Source | None:
    """A line by which a silent rank shows that it had not died: one after the timeout, or its end.

    Lines of a watchdog count where they answer another rank's timeout.
    """
    end = first_timeout(timeouts)
    lines = [s.source for s in logs.steps] + list(_marks(logs, "serial-work", "serial-done"))
    lines += logs.last_words
    lines += [m for m in _marks(logs, "watchdog") if STATE.search(m.text)]
    # Its watchdog's answer needs no later time: the ranks flush what they say in any order.
    answers = {m.rank: m for m in _marks(logs, "watchdog") if _ANSWERS.search(m.text)}
    for rank in silent:
        regular = _regular_end(logs, rank)
        if regular is not None:
            return regular
        for line in lines:
            if line.rank == rank and later(line, end):
                return line
    return next((answers[rank] for rank in silent if rank in answers), None)


def answered(line: Source) -> bool:
    """Whether the line is one by which a watchdog answers another rank's: it had its turn."""
    return bool(_ANSWERS.search(line.text))


def waiting_too(logs: LogHits, silent: Iterable[int]) -> bool:
    """Whether a silent rank had a collective open: it waits as well, in a call that is not told."""
    ranks = set(silent)
    for mark in _marks(logs, "watchdog"):
        state = STATE.search(mark.text)
        if state and mark.rank in ranks and whole(state.group(1)) > whole(state.group(2)):
            return True
    return False


def serial_work(
    logs: LogHits, silent: Sequence[int], timeouts: Sequence[Collective]
) -> Source | None:
    """The last line about saving, evaluating … that nothing followed before the timeout.

    The silent ranks' own lines count where they wrote any, else those of all.
    """
    end = first_timeout(timeouts)
    steps = [s.source for s in logs.steps if not later(s.source, end)]
    marks = [(m.signature, m.source) for m in logs.marks if not later(m.source, end)]
    own = set(silent) & {s.rank for s in (*steps, *(m for _, m in marks))}
    found: Source | None = None
    for kind, mark in marks:
        if own and mark.rank not in own:
            continue
        if kind == "serial-work" and not any(
            later(s, mark) for s in steps if not own or s.rank == mark.rank
        ):
            found = mark
        elif kind == "serial-done" and found is not None and found.rank == mark.rank:
            found = None
    return found


def _marks(logs: LogHits, *kinds: str) -> Iterable[Source]:
    return (m.source for m in logs.marks if m.signature in kinds)


def _last_step(logs: LogHits, rank: int, end: Source) -> int | None:
    steps = [s for s in logs.steps if s.source.rank == rank and not later(s.source, end)]
    return max((s.step for s in steps), default=None)


def _regular_end(logs: LogHits, rank: int) -> Source | None:
    for mark in _marks(logs, "regular-end"):
        if mark.rank == rank and how(words(mark)) == "well":
            return mark
    return None
