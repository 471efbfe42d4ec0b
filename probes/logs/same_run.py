"""Whether two logs are of one run that was started again, and not of two experiments.

Told by the folders that their lines name, where both name one; else by the names of the files: what
counts starts may differ in them, what names an experiment may not.
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.text.patterns import regex

from .view import View

_SAVED = ("serial-work", "serial-done")
_WORK = (*_SAVED, "no-checkpoint")
_PLACE = regex(r"(?<![\w.])((?:[\w.+-]+)?(?:/[\w.+-]+)+)")
# The last part of where one checkpoint lies, and the file that a start looks for.
_STEP = regex(
    r"(?i)/(?:(?:checkpoint|ckpt|step|iter|epoch|global_step|latest|last|model|\d)[\w.=+-]*|checkpoints?)(?=/|$)"
)
# A number that counts starts: a job's, a date, an attempt, or one alone.
_STARTS = regex(
    r"(?i)(?:slurm|job|attempt|restart|retry|resumed?|try|part|again|continued?)?[._-]?\d{5,}(?:[T_-]\d{4,})?"
    r"|(?<![a-z0-9])(?:slurm|job|attempt|restart|retry|resumed?|try|part|again|continued?|log|train)?[._-]?\d*"
    r"(?![a-z0-9])"
)
_SIGNS = regex(r"[\W_]+")


def is_same_run(earlier: View, now: View) -> bool:
    """Whether ``now`` may be a later start of the run that wrote ``earlier``."""
    before, after = set(_folders(earlier)), set(_folders(now))
    if before and after:
        return any(_within(a, b) or _within(b, a) for a in before for b in after)
    return _told(earlier.given.path) == _told(now.given.path)


def goes_on_from(earlier: View, now: View) -> bool:
    """Whether ``now`` began with a checkpoint that ``earlier`` says it saved."""
    begun = set(_places(now, ("resume",)))
    return bool(begun) and not begun.isdisjoint(_places(earlier, _SAVED))


def _places(view: View, marks: tuple[str, ...]) -> Iterator[str]:
    for mark in view.scan.marks:
        if mark.signature in marks:
            yield from (p[1].rstrip("/.") for p in _PLACE.finditer(mark.source.text))


def _folders(view: View) -> Iterator[str]:
    """The folders that a log's lines name as the place of its checkpoints."""
    for named in _places(view, _WORK):
        place = _STEP.split(named, maxsplit=1)[0].rstrip("/.")
        if place and not place.endswith((".py", ".cpp")):
            yield place


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/") or path.endswith(f"/{folder}")


def _told(path: str) -> tuple[str, ...]:
    """What a path names besides the number of a start, by its parts."""
    parts = path.replace("\\", "/").lower().split("/")
    return tuple(s for part in parts if (s := _SIGNS.sub("", _STARTS.sub("", part))))
