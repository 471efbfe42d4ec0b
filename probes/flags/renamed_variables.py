"""Variables that a script sets by one name and reads by another one of the same setting."""

from __future__ import annotations

from medic.text.slips import digits_of

from .script_text import ScriptText

_MANY = 40  # variables that nothing reads: of a script that others source


def renamed(script: ScriptText, variable: str) -> str:
    """The one variable that a line sets and nothing reads, whose words name the same setting:
    ``SEQ_LENGTH=2048`` where ``$SEQ_LEN`` is read. One that is exported is read by a program."""
    like = [
        name
        for name in script.idle
        if name.isupper() == variable.isupper() and digits_of(name) == digits_of(variable)
    ]
    if not like or len(like) > _MANY:
        return ""
    from .synonyms import settings  # its tables are large, and few scripts have such a variable

    core = settings(_words(variable))
    found = [name for name in like if settings(_words(name)) == core]
    tells = "_" in variable or core[0].isupper()  # a word alone, or the name of a setting
    return found[0] if len(found) == 1 and tells else ""


def _words(name: str) -> list[str]:
    return ["data" if word == "dataset" else word for word in name.lower().split("_") if word]
