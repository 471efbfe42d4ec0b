"""Options among a launcher's words, and whether their values are written out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medic.facts import Word
from medic.run_config import Span
from medic.text.patterns import regex

from .script_text import ScriptText

_SUM = regex(r"\$\(\(([\w\s$*+/{}()-]+)\)\)")


def option_word(words: Sequence[Word], *names: str) -> tuple[Word, str] | None:
    """(the word of an option's value, the value) of the last of these options; - and _ alike."""
    found: tuple[Word, str] | None = None
    for at, word in enumerate(words):
        name, sign, value = (word.value or "").partition("=")
        if name.replace("_", "-") not in names:
            continue
        if sign:
            found = word, value
        elif at + 1 < len(words) and words[at + 1].value is not None:
            found = words[at + 1], words[at + 1].value or ""
    return found


def is_given(words: Sequence[Word], *names: str) -> bool:
    """Whether one of the options is given, with whatever value."""
    return any(w.raw.partition("=")[0].replace("_", "-") in names for w in words)


def is_fixed(script: ScriptText, word: Word) -> bool:
    """Whether the value is written out, not the default of a variable that may be set."""
    raw = word.raw.replace("\\$", "$")  # bash -c "… \$((N * 8))": the inner shell computes it
    if "$" not in raw or _is_computed(script, raw):
        return True
    if word.literal is None or word.literal.line < 1:
        return False
    before = script.line_text(word.literal.line)[: word.literal.column - 1]
    return re.search(r"\w=[\"']?$", before) is not None


def _is_computed(script: ScriptText, raw: str) -> bool:
    """``$((SLURM_NNODES * GPUS))`` of what the job asks for and what the script sets once."""
    found = _SUM.fullmatch(raw)
    names = re.findall(r"[A-Za-z_]\w*", found[1]) if found is not None else []
    return bool(names) and all(
        name.startswith("SLURM_") or (set_once(script, name) or ("",))[0].isdecimal()
        for name in names
    )


def are_fixed(script: ScriptText, words: Sequence[Word], *names: str) -> bool:
    """Whether the value of each option that is given is written out."""
    found = (option_word(words, name) for name in names)
    return all(one is None or is_fixed(script, one[0]) for one in found)


def set_once(script: ScriptText, name: str) -> tuple[str, Span] | None:
    """What the only assignment of a variable gives it, and where."""
    pattern = re.compile(rf"^\s*(?:export\s+)?{name}=[\"']?([^\s\"';#]*)")
    found = [(n, m) for n, line in enumerate(script.lines, 1) if (m := pattern.match(line))]
    if len(found) != 1:
        return None
    number, match = found[0]
    return match[1], script.span(number, match.start(1) + 1, match.end(1) + 1)
