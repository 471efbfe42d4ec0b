"""Variables that a script sets nowhere, where their emptiness lets a flag take the next one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from medic.facts import Document, Launch, Word
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex
from medic.text.slips import digits_of, is_swapped, one_apart

from .distance import letters_apart
from .fetched import ANY, fetches
from .given_names import ENVIRONMENT, WELL_KNOWN, may_be_given
from .masked import COMMENT, MASK, numbered, single_quoted
from .renamed_variables import renamed
from .script_text import ScriptText
from .slurm_names import slip_of

_PLAIN = regex(r"^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$")
_GLUED = regex(r"^(--?[A-Za-z][\w.-]*)=\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$")
_USE = regex(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_DEFAULT = regex(r"\$\{([A-Za-z_]\w+):?-")
_FLAG = regex(r"^--?[A-Za-z][\w.-]*$")
# Words that may well be empty: more arguments, options.
OPTIONAL = regex(r"ARGS?$|ARGUMENTS|EXTRA|OPT|FLAG|PARAMS|CMD|COMMAND|RESUME|OVERRIDE", re.I)
# What stands before a variable in the value of a flag, or of an override: --out "/job/$RUN".
_VALUE = regex(r"(?<![^\s\"'(])(?:--[A-Za-z][\w.-]*[= ]|\+{0,2}[A-Za-z_]\w*(?:\.\w+)+=)\s*[^\s#]*$")
_FREE = regex(r"EXTRA|CUSTOM|ADDITIONAL|USER|MORE|OTHER|DEBUG|OPTIONAL|PASS|CLI|RUNTIME|OVERRIDE")
_ASSIGNS = regex(r"\s*(?:(?:export|readonly|local)\s+)?([A-Za-z_]\w*)=\"?[^\s\"'`(]*$")
_REDIRECTS = regex(r">\s*\S*$")
_ENDS = regex(r"[\"']?(?=[\s;&|)]|$)")
_PLACE = regex(r"(?:ROOT|HOME|PATH|DIR)$")  # a program's folder, which its users export
_OFTEN_EMPTY = regex(r"EVAL|TEST|VALID|WANDB|MISC|PERF|PROFIL|LOG")  # options of such a kind
_ASKS = regex(r"(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=[\"']?\$\{\1:?[-=]")
_ALIKE = 2  # of options that a script keeps in several variables, each is there
_ALL = 2  # of so many variables, all set but one, that one is forgotten
_OWN = 2  # a command with so many variables of its own is not one to be called with others' values
_MIN_NAME = 5
_MIN_SWAPPED = 3  # two letters of a name that stand the other way round
_LONG = 9  # letters of a name that is a slip of one that everybody knows


@dataclass(frozen=True)
class Unset:
    """A variable without a value behind a flag; ``near`` is one of the script's like it."""

    word: Word
    variable: str
    flag: str
    takes: str
    near: str = ""


@dataclass(frozen=True)
class Misnamed:
    """A use of a variable that nothing sets; ``meant`` is one of the script's, ``text`` how it is
    written then, where that is not the name alone."""

    variable: str
    span: Span
    raw: str
    meant: str
    text: str = ""


def unset(script: ScriptText, launch: Launch) -> list[Unset]:
    """The flags that an unset variable leaves without their value.

    A script that reads several variables of others is called with them; only one that sets all
    the rest itself, or has a variable that reads almost alike, has forgotten this one.
    """
    strange = {v for v in script.used if not _is_named(script, v)}
    foreign = {v for v in strange if not (ENVIRONMENT.match(v) or OPTIONAL.search(v))}
    found = [*_in(launch.launcher_words), *_in(launch.arguments)]
    alone = len(foreign) == 1 and not ANY.search(script.text)
    own = script.assigned & script.used
    answers = []
    for one in found:
        if one.variable not in strange:
            continue
        near = "" if script.named_otherwise(one.variable) else almost(script, one.variable)
        empty = one.takes or one.word.raw.startswith("-")
        forgotten = alone and one.variable in foreign and len(own) >= _OWN and empty
        if near or forgotten:
            answers.append(Unset(one.word, one.variable, one.flag, one.takes, near))
    return answers


def misnamed(script: ScriptText, document: Document) -> list[Misnamed]:
    """Names that nothing sets, one letter from a variable of the script or of Slurm, anywhere."""
    found: dict[str, Misnamed] = {}
    reads = ANY.search(script.text) is not None
    for number, line in numbered(script, document):
        if "$" not in script.line_text(number) or number in script.documents:
            continue
        for use in _USE.finditer(script.line_text(number)):
            name = use[1] or use[2]
            # single quotes: awk '{print $NAME}'
            kept = line[use.start()] == MASK and single_quoted(
                script.line_text(number), use.start()
            )
            if (
                name in found
                or kept
                or script.named_otherwise(name)
                or line[use.start()] == COMMENT
            ):
                continue
            place = script.span(number, use.start() + 1, use.end() + 1)
            if meant := slip_of(name) or _well_known(name):
                found[name] = Misnamed(name, place, use[0], meant)
                continue
            near = almost(script, name) or _in_other_case(script, name)
            # One letter for another is a slip only where the right name is used nowhere.
            if near and (
                near not in script.used or len(near) != len(name) or is_swapped(near, name)
            ):
                found[name] = Misnamed(name, place, use[0], near)
            elif use[1] and not reads and (stem := _with_ending(script, name)):
                ending = name[len(stem) :]
                found[name] = Misnamed(name, place, use[0], stem, f"${{{stem}}}{ending}")
    return [*found.values(), *_with_default(script, document)]


def forgotten(
    script: ScriptText, document: Document, told: Collection[str], launched: Collection[int]
) -> Iterator[Misnamed]:
    """The variable that a script forgets, which sets all the others itself: in a flag's value, in
    the lines of a launch (``launched``), in a sum.

    One in small letters is the script's own; one in capitals may be exported by who calls it, if
    there are several such, or few of the script's own.
    """
    if fetches(script, document):
        return
    foreign = {v for v in strangers(script, document) if v not in told}
    own = len(script.set_alone & script.used)
    if len(foreign) != 1:
        return
    (name,) = foreign
    # Who writes MODEL=${MODEL:-…} says what a caller may set.
    enough = 1 if name == name.lower() or _ASKS.search(script.text) else _ALL
    if own < enough:
        return
    for number, line in numbered(script, document):
        text = script.line_text(number)
        for use in _USE.finditer(text) if number not in script.documents else ():
            if name not in use.groups() or line[use.start()] == COMMENT:
                continue
            before = text[: use.start()]
            # of bash -c '…' the inner shell fills it in
            inner = number in launched and _VALUE.search(before) is not None
            kept = not inner and script.quote_at(number, use.start() + 1) == "'"
            folder = _PLACE.search(name) is not None
            into = _REDIRECTS.search(before)
            word = number in launched and not (into or (folder and text[use.end() :][:1] == "/"))
            file = into is not None and not folder and _ENDS.match(text, use.end()) is not None
            sums = before.count("$((") > before.count("))")
            used = word or file or sums or _kept(script, before)
            if not kept and (used or _VALUE.search(before)):
                yield Misnamed(
                    name, script.span(number, use.start() + 1, use.end() + 1), use[0], ""
                )
                return


def _kept(script: ScriptText, before: str) -> bool:
    """Whether the script keeps the value in a variable that it reads itself: ``OUT="$BASE/run"``."""
    found = _ASSIGNS.match(before)
    return found is not None and found[1] in script.used


def strangers(script: ScriptText, document: Document) -> set[str]:
    """What the script reads and does not set, nor a file that is read with it, and no environment is
    known to have."""
    own = script.set_alone & script.used
    strange = (v for v in script.used - document.variables.keys() if not _is_named(script, v))
    return {v for v in strange if not (may_be_given(script, v) or may_be_empty(v, own))}


def _is_named(script: ScriptText, name: str) -> bool:
    """Whether the script says of a variable where it comes from. A line that sets it and is commented
    out does not, unless its user's environment may have it instead."""
    out = script.only_commented_out(name) and not ENVIRONMENT.match(name)
    return script.named_otherwise(name) and not out


def may_be_empty(name: str, own: Collection[str]) -> bool:
    """Whether a caller may leave a name out: more arguments; not where the script sets several of
    its ``own`` that are called alike (MODEL_ARGS, DATA_ARGS)."""
    free = _FREE.search(name.upper()) is not None
    if free or not OPTIONAL.search(name):
        return free
    ending = name.rpartition("_")[2]
    alike = sum(one != name and one.rpartition("_")[2] == ending for one in own)
    return alike < _ALIKE or _OFTEN_EMPTY.search(name.upper()) is not None


def _with_default(script: ScriptText, document: Document) -> Iterator[Misnamed]:
    """``${SLURM_PROCD:-0}``, which is 0 everywhere; a variable of the script that nothing else uses."""
    for number, line in numbered(script, document):
        text = script.line_text(number) if number not in script.documents else ""
        for use in _DEFAULT.finditer(text):
            name, code = use[1], line[use.start()]
            kept = code == MASK and single_quoted(text, use.start())
            near = almost(script, name)
            meant = slip_of(name) or _well_known(name) or (near if near not in script.used else "")
            if meant and not kept and code != COMMENT and name not in script.assigned:
                place = script.span(number, use.start(1) + 1, use.end(1) + 1)
                yield Misnamed(name, place, name, meant)


def _well_known(name: str) -> str:
    """The variable of launchers that a name lacks a letter of, or has one twice or swapped."""
    if len(name) < _LONG or name in WELL_KNOWN:
        return ""
    near = [o for o in WELL_KNOWN if one_apart(name, o) and name.rstrip("S") != o.rstrip("S")]
    found = [o for o in near if len(name) != len(o) or is_swapped(name, o)]
    return found[0] if len(found) == 1 and digits_of(name) == digits_of(found[0]) else ""


def _in_other_case(script: ScriptText, name: str) -> str:
    """The one variable that differs in capitals alone, which the script sets and reads nowhere."""
    found = [v for v in script.assigned - script.used if v.lower() == name.lower() and v != name]
    return found[0] if len(found) == 1 and script.words[found[0]] == 1 else ""


def _with_ending(script: ScriptText, name: str) -> str:
    """The longest variable of the script that the name begins with: ``$RUN_v2`` is ``${RUN}_v2``."""
    stems = [v for v in script.assigned if name.startswith(f"{v}_") and len(v) > 1]
    stem = max(stems, key=len, default="")
    # All in capitals is a name of its own: VERSION and VERSION_CODENAME.
    return "" if name.isupper() and any(c.isalpha() for c in name[len(stem) :]) else stem


def _in(words: Sequence[Word]) -> Iterator[Unset]:
    for at in range(1, len(words)):
        word, before = words[at], words[at - 1]
        plain = _PLAIN.match(word.raw) if word.value is None else None
        glued = _GLUED.match(word.raw) if word.value is None else None
        if glued is not None:
            yield Unset(word, glued[2] or glued[3], glued[1], "")
        if plain is None or before.value is None or not _FLAG.match(before.value):
            continue
        after = words[at + 1] if at + 1 < len(words) else None
        takes = after.text if after else ""
        if not after or _FLAG.match(takes.partition("=")[0]):
            yield Unset(word, plain[1] or plain[2], before.value, takes)


def almost(script: ScriptText, variable: str) -> str:
    """A variable of the script that reads almost like this one: unused, or one letter away."""
    if variable in WELL_KNOWN or variable.startswith("SLURM_"):
        return ""
    near: list[tuple[int, str]] = []
    for name in script.assigned:
        apart = letters_apart(variable, name)
        least = _MIN_SWAPPED if is_swapped(variable, name) else _MIN_NAME
        if len(name) < least or not apart or digits_of(name) != digits_of(variable):
            continue
        if apart == 1 or (apart == 2 and name not in script.used):
            near.append((apart, name))
    return min(near, default=(0, ""))[1] or renamed(script, variable)
