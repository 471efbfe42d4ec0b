"""Names that only the script itself can set, and that it does not: of lists, and in small letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from medic.facts import Document
from medic.text.patterns import regex

from .fetched import fetches
from .masked import COMMENT, MASK, numbered, single_quoted
from .script_text import ScriptText
from .unset import Misnamed, almost, may_be_empty, strangers

# An environment holds no list: ${NAME[0]}, ${#NAME[@]}.
_ELEMENT = regex(r"(?<!\\)\$\{#?([A-Za-z_]\w*)\[[^\]\s]*\][^}]*\}")
_USE = regex(r"(?<!\\)\$(?:([a-z_][a-z0-9_]*)\b|\{([a-z_][a-z0-9_]*)\})")
_DEFAULT = regex(r"\]:?[-+=?]")
_SHELLS = regex(
    r"^(?:BASH_\w+|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|COMP_WORDS|MAPFILE|REPLY|COPROC|SLURM_\w+)$"
)
_PLACES = 2  # of a name that the script's author means throughout
# Those that tools read in small letters, and lines that only speak or ask.
_TOOLS = frozenset(("http_proxy", "https_proxy", "no_proxy", "all_proxy", "ftp_proxy", "_"))
_SPEAKS = regex(r"^\s*(?:echo|printf|logger|log|info|usage|die|trap|alias|:)\b|\[\[?\s|\btest\s")


def unset_lists(script: ScriptText, document: Document) -> Iterator[Misnamed]:
    """Elements of a list that nothing makes one, each name once.

    A script that reads other files may get it there: then only a name that is a slip of a list
    which nothing else uses.
    """
    elsewhere = fetches(script, document)
    uses = _uses(script)
    lists = {name for name in script.assigned if script.is_array(name)}
    told: set[str] = set()
    for number, found in _outside(script, document, _ELEMENT):
        name = found[1]
        if (
            name in told
            or script.named_otherwise(name)
            or _SHELLS.match(name)
            or _DEFAULT.search(found[0])
        ):
            continue
        meant = almost(script, name)
        meant = meant if meant in lists and not uses.get(meant) else ""
        sure = meant or (not elsewhere and not may_be_empty(name, lists))
        if sure and script.quote_at(number, found.start() + 1) != "'":
            told.add(name)
            place = script.span(number, found.start(1) + 1, found.end(1) + 1)
            yield Misnamed(name, place, name, meant)


def unset_small(
    script: ScriptText, document: Document, told: Collection[str]
) -> Iterator[Misnamed]:
    """The one name in small letters that nothing sets in a script which sets others itself.

    Of several the script is a template, or a part of another one; one that reads others in capitals
    is called with them. One that sets none is a script of its own, no part, by its first line, and
    its name is no single gap if it stands in several places.
    """
    alone = not script.set_alone & script.used
    if fetches(script, document) or (alone and not script.text.startswith("#!")):
        return
    if any(name != name.lower() and name not in told for name in strangers(script, document)):
        return
    found: dict[str, tuple[int, re.Match[str]]] = {}
    places = Counter(use[1] or use[2] for _, use in _outside(script, document, _USE))
    for number, use in _outside(script, document, _USE):
        name = use[1] or use[2]
        known = name in _TOOLS or name in document.variables
        if known or script.named_otherwise(name) or may_be_empty(name, ()):
            continue
        if not _SPEAKS.search(script.line_text(number)):
            found.setdefault(name, (number, use))
    if len(found) != 1:
        return
    (name, (number, use)) = next(iter(found.items()))
    if alone and places[name] < _PLACES:
        return
    if name not in told and script.quote_at(number, use.start() + 1) != "'":
        yield Misnamed(name, script.span(number, use.start() + 1, use.end() + 1), use[0], "")


def _uses(script: ScriptText) -> dict[str, int]:
    counts: dict[str, int] = {}
    for found in _ELEMENT.finditer(script.text):
        counts[found[1]] = counts.get(found[1], 0) + 1
    return counts


def _outside(
    script: ScriptText, document: Document, pattern: re.Pattern[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """What the shell replaces: not in comments, here-documents or single quotes."""
    for number, line in numbered(script, document):
        text = script.line_text(number)
        if "$" not in text or number in script.documents:
            continue
        for found in pattern.finditer(text):
            code = line[found.start()]
            kept = code == MASK and single_quoted(text, found.start())
            if code != COMMENT and not kept:
                yield number, found
