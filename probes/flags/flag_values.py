"""Variables that are the values of flags, and those of boards that a tool reads itself."""

from __future__ import annotations

from medic.text.patterns import regex

from .script_text import ScriptText

_USE = regex(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_JUST_BEFORE = regex(r"(?:^|[\s\"'(])--[A-Za-z][\w.-]*[= ]\"?$")
# What tools read themselves, or clusters set, of the names that begin so.
READ_BY_BOARDS = frozenset(
    """
    TENSORBOARD_DIR TENSORBOARD_LOG_DIR TENSORBOARD_LOGGING_DIR TENSORBOARD_LOG_PATH TENSORBOARD_LOGDIR
    TENSORBOARD_PORT
    """.split()  # noqa: SIM905
)


def behind_flags(script: ScriptText, name: str) -> bool:
    """Whether a name is the value of a flag wherever it is used: a flag without one is refused."""
    lines = [one for one in script.text.splitlines() if not one.lstrip().startswith("#")]
    uses = [(line, use) for line in lines for use in _USE.finditer(line) if name in use.groups()]
    return bool(uses) and all(_JUST_BEFORE.search(line[: use.start()]) for line, use in uses)
