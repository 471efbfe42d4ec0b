"""Expected failures and the process exit codes."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the shell learns: see the table in README.md."""

    OK = 0  # nothing wrong found, or the question was answered
    FINDING = 1  # something is wrong with the run or its files
    USAGE = 2  # medic was called wrongly, or nothing given could be read
    BUG = 3  # medic itself failed
    INTERRUPTED = 130


class MedicError(Exception):
    """A failure that the user can act on, told in one line in either language.

    ``at`` is "file:line" or "file", shown before the message.
    """

    def __init__(self, en: str, zh: str, *, at: str = "") -> None:
        super().__init__(f"{at}: {en}" if at else en)
        self.en = en
        self.zh = zh
        self.at = at

    def line(self, lang: str) -> str:
        text = self.zh if lang == "zh" else self.en
        return f"{self.at}: {text}" if self.at else text


class UsageError(MedicError):
    """The command line or a given value is wrong."""


class Unreadable(MedicError):  # noqa: N818 - an outcome, not a bug
    """A file that was not read: a limit, a wrong format, a missing part. Never shown as clean."""


class BrokenProgram(Unreadable):
    """Python that the interpreter refuses too: it fails wherever it is run."""


class KnowledgeError(MedicError):
    """A knowledge entry that does not hold; ``at`` names its file and line."""


class EditRefused(MedicError):  # noqa: N818 - an outcome, not a bug
    """A user's file was left as it is: changed since the preview, or not safely writable."""


class ChangedSince(EditRefused):
    """A file is no longer as a change left it; ``deleted``: it is not there at all."""

    def __init__(self, en: str, zh: str, *, at: str, deleted: bool) -> None:
        super().__init__(en, zh, at=at)
        self.deleted = deleted
