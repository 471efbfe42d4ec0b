"""Variables that a script sets by one name and reads by another one of the same setting."""

from __future__ import annotations

import re

from medic.text.slips import digits_of

from .script_text import ScriptText


def renamed(script: ScriptText, variable: str) -> str:
    """The one variable that a line sets and nothing reads, whose words name the same setting:
    ``SEQ_LENGTH=2048`` where ``$SEQ_LEN`` is read. One that is exported is read by a program."""
    idle = [name for name in script.set_alone - script.used if _is_idle(script, name)]
    if not idle:
        return ""
    from .synonyms import settings  # its tables are large, and few scripts have such a variable

    core = settings(_words(variable))
    found = [
        name
        for name in idle
        if digits_of(name) == digits_of(variable)
        and name.isupper() == variable.isupper()
        and settings(_words(name)) == core
    ]
    tells = "_" in variable or core[0].isupper()  # a word alone, or the name of a setting
    return found[0] if len(found) == 1 and tells else ""


def _words(name: str) -> list[str]:
    return ["data" if word == "dataset" else word for word in name.lower().split("_") if word]


def _is_idle(script: ScriptText, name: str) -> bool:
    """Whether a name stands in the script but once, at the start of a line that gives it a value."""
    line = rf"(?m)^[ \t]*{re.escape(name)}=[^\n]*[^\n\\\s][ \t]*$"
    return script.words[name] == 1 and re.search(line, script.text) is not None
