"""What Slurm's own programs print of a job's end: sacct and squeue as tables or with ``-P``,
``scontrol show job``, seff, and the mails of ``--mail-type``.

States: the manual of sacct, JOB STATE CODES. A column of a table is cut at its width, of which a
plus tells (``OUT_OF_ME+``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from medic.facts import Source
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

_STATES = (
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING", "CONFIGURING", "DEADLINE", "FAILED",
    "NODE_FAIL", "OUT_OF_MEMORY", "PENDING", "PREEMPTED", "REQUEUED", "RESIZING", "REVOKED",
    "RUNNING", "SUSPENDED", "TIMEOUT",
)  # fmt: skip
_CUT = 7  # characters that a cut state has at least
_TITLES = """
jobid jobidraw jobname state exitcode derivedexitcode elapsed timelimit maxrss reqmem start end submit
nodelist nnodes ncpus alloccpus reqtres alloctres partition account user uid reason name time
time_limit nodes maxvmsize maxrssnode averss
"""
_COLUMNS = frozenset(_TITLES.split())
_ID = regex(
    r"(\d{1,12}(?:_\d{1,7}|\+\d{1,4})?)(?:_\[[^\]]*\])?(?:\.(batch|extern|interactive|\d{1,7}))?"
)
_RULE = regex(r"\s*-{3,}(?:\s+-{3,})*\s*")
_NUMBERS = regex(r"(?<![\d:.])(?:\d{1,3}:\d{1,3}|(?:\d{1,4}-)?\d\d:\d\d:\d\d)(?![\d:.])")
_WORD = regex(r"\S+")
_BY = regex(r"CANCELLED by (\d+)")
_OF = regex(r"(?:-j|--jobs?)[ =]?(\d{1,12}(?:_\d{1,7})?)(?![\d,])")
_MAIL = regex(
    r"Slurm (?:Array )?(?:Summary )?Job_id=(\d{1,12}(?:_\d{1,7})?).{0,200}, Run time [\d:-]{5,14}, ([A-Z_]+)"
)
_BLOCK = regex(r"(?:^|\s)JobId=(\d{1,12})\b")
_BLOCK_TASK = regex(r"\bArrayJobId=(\d{1,12}) ArrayTaskId=(\d{1,7})\b")
_BLOCK_STATE = regex(r"\bJobState=([A-Z_]+)")
_SEFF_JOB = regex(r"\s*(?:Array )?Job ID: (\d{1,12}(?:_\d{1,7})?)")
_SEFF_STATE = regex(r"\s*State: ([A-Z_]+)")
_SEFF_MEMORY = regex(r"\s*Memory Efficiency: ([\d.]+)% of ")
_ENVIRONMENT = regex(r"\bSLURM_(?:ARRAY_)?JOB_?ID[=:]\s*['\"]?(\d{1,12})\b")
_SIZE = regex(r"([\d.]{1,18})([KMGTP]?)[nc]?")
_POWERS = {"": 20, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50}  # a bare number counts MiB


@dataclass(frozen=True)
class Record:
    """How a job, or a step of it, ended. ``job`` is "" where the listing does not name it.

    ``share``: of the memory that the job was granted, the most that was seen in use; None if unknown.
    """

    job: str
    step: str
    state: str
    source: Source
    by: str = ""  # the user who cancelled it, as a number
    share: float | None = None


@dataclass
class _Table:
    titles: Sequence[str]
    bars: bool
    job: str = ""  # of the command above it
    spans: Sequence[tuple[int, int]] = ()
    granted: float | None = None
    rows: int = 0


@dataclass
class Records:
    """Takes the lines of a file in order and keeps the records among them."""

    found: list[Record] = field(default_factory=list)
    own: set[str] = field(default_factory=set)  # jobs of which the log says that it is theirs
    _table: _Table | None = None
    _job: str = ""  # of the block that goes on
    _asked: str = ""  # by the command of the last line

    def feed(self, text: str, at: Callable[[], Source]) -> None:
        """One line. Most are no such record and cost the search for two words."""
        if self._table is not None and self._row(text, at):
            return
        if "Job" in text or "JOB" in text or "sacct" in text:
            self._named(text, at)
        elif "State" in text or "STATE" in text or "Memory Eff" in text:
            self._stated(text, at)
        elif text[:24].lstrip()[:1].isdigit() and "{" not in text:
            self._alone(text, at)

    # --- tables ---

    def _head(self, text: str) -> bool:
        bars = "|" in text
        titles = [t.strip().lower() for t in (text.split("|") if bars else text.split())]
        plain = [t.partition("%")[0].partition("(")[0] for t in titles]
        if "state" not in plain or sum(t in _COLUMNS for t in plain) < max(2, len(titles) // 2):
            return False
        self._table, self._asked = _Table(plain, bars, self._asked), ""
        return True

    def _row(self, text: str, at: Callable[[], Source]) -> bool:
        """Whether a line belongs to the table, which else is over."""
        table = self._table
        if table is None:
            return False
        if _RULE.fullmatch(text):
            table.spans = _spans(text)
            return True
        cells = _cells(table, text)
        state = _state(cells.get("state", "")) or next(
            (s for s in map(_state, text.replace("|", " ").split()) if s), ""
        )
        if not text.strip() or not state:
            self._table = None
            return False
        table.rows += 1
        named = _ID.match((cells.get("jobid") or cells.get("jobidraw") or "").strip())
        if named is None and {"jobid", "jobidraw"} & set(table.titles):
            named = _ID.match(text.strip())
        job, step = (
            (named[1], named[2] or "") if named else (table.job, "" if table.rows == 1 else "?")
        )
        self._keep(Record(job, step, state, at(), _by(text), _share(table, cells)))
        return True

    def _alone(self, text: str, at: Callable[[], Source]) -> None:
        """A row without its table's head: of sacct -n, or the one that a person kept."""
        words = text.replace("|", " ").split()
        named = _ID.fullmatch(words[0])
        state = next((s for s in map(_state, words[1:12]) if s), "") if named else ""
        if named is not None and state and ("|" in text or "_" in state or _NUMBERS.search(text)):
            self._keep(Record(named[1], named[2] or "", state, at(), _by(text)))

    # --- blocks ---

    def _named(self, text: str, at: Callable[[], Source]) -> None:
        if "SLURM" in text and (own := _ENVIRONMENT.search(text)):
            self.own.add(own[1])
        if self._head(text):
            return
        if mail := _MAIL.search(text):
            if state := _state(mail[2]):
                self._keep(Record(mail[1], "", state, at()))
            return
        asked = _OF.search(text) if "sacct" in text else None
        self._asked = asked[1] if asked else ""
        if block := _BLOCK.search(text) or _SEFF_JOB.match(text):
            self._job = block[1]
            if task := _BLOCK_TASK.search(text):
                self._job = f"{task[1]}_{task[2]}"
        if self._job and "JobState=" in text:
            self._stated(text, at)

    def _stated(self, text: str, at: Callable[[], Source]) -> None:
        if not self._job:
            self._head(text)
            return
        if memory := _SEFF_MEMORY.match(text):
            if self.found and self.found[-1].job == self._job:
                self.found[-1] = replace(self.found[-1], share=float(memory[1]) / 100)
            return
        found = _BLOCK_STATE.search(text) or _SEFF_STATE.match(text)
        if found is None:
            self._head(text)
        elif state := _state(found[1]):
            self._keep(Record(self._job, "", state, at(), _by(text)))

    def _keep(self, record: Record) -> None:
        self.found.append(record)


def _spans(rule: str) -> list[tuple[int, int]]:
    """Where the columns stand, by the line of dashes below their titles."""
    spans, start = [], None
    for place, sign in enumerate(rule + " "):
        if sign == "-" and start is None:
            start = place
        elif sign != "-" and start is not None:
            spans.append((start, place))
            start = None
    return spans


def _cells(table: _Table, text: str) -> Mapping[str, str]:
    """Title -> cell, as far as the columns can be told apart."""
    if table.bars:
        cells = text.split("|")
    elif len(table.spans) == len(table.titles):
        return _below(table, text)
    else:
        cells = text.split()
        if len(cells) != len(table.titles):
            return {}
    return dict(zip(table.titles, (c.strip() for c in cells), strict=False))


def _below(table: _Table, text: str) -> Mapping[str, str]:
    """Title -> cell by where each word stands: a copied row may be a blank off."""
    cells: dict[str, str] = {}
    for word in _WORD.finditer(text):
        title = max(
            zip(table.titles, table.spans, strict=True),
            key=lambda one: min(word.end(), one[1][1]) - max(word.start(), one[1][0]),
        )[0]
        cells[title] = f"{cells[title]} {word[0]}" if title in cells else word[0]
    return cells


def _state(word: str) -> str:
    """The state in full that a cell begins with; "" for any other word."""
    word = (word.split() or [""])[0]
    cut = word.rstrip("+")
    if cut != word and len(cut) >= _CUT:
        return next((s for s in _STATES if s.startswith(cut)), "")
    return word if word in _STATES else ""


def _by(text: str) -> str:
    found = _BY.search(text)
    return found[1] if found else ""


def _share(table: _Table, cells: Mapping[str, str]) -> float | None:
    """Of the memory that the job asked for, which its own row tells, what a step used at most."""
    asked = cells.get("reqmem", "")
    if asked and not asked.endswith("c"):  # per CPU: of how many is not told
        table.granted = _size(asked)
    used = _size(cells.get("maxrss", ""))
    return used / table.granted if used and table.granted else None


def _size(text: str) -> float | None:
    """Bytes."""
    found = _SIZE.fullmatch(text)
    return float(found[1]) * 2 ** _POWERS[found[2]] if found and found[1].count(".") < 2 else None
