"""Configurations that a script writes: ``cat > ds.json <<EOF``, read in place.

What is around the text is blanked, so that every byte stands where it is in the script. A bare ``$X``
of JSON or TOML reads as text with a ``$`` in it, until it is filled in (see ``shell_filled``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import Written
from medic.syntax.shell_atoms import joined
from medic.syntax.shell_filled import filled
from medic.syntax.shell_words import Expander
from medic.syntax.source import SourceText
from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

_WRITERS = ("cat", "tee")
_ENDINGS = (".json", ".yaml", ".yml", ".toml")
# What another program fills in before the file is used.
_TEMPLATE = regex(rb"[$`@]|\{\{|%\(|<%")
_OUTSIDE = regex(rb"[^\n]")
_TABS = regex(rb"(?m)^\t*")
_STRING_OR_FILLED = regex(rb'"(?:[^"\\\n]|\\.)*"|\$+')
# Where JSON, and TOML, have a value: what stands elsewhere may be any part of an object.
_VALUE_BEFORE, _VALUE_BEHIND = regex(rb"[:=,\[]\s*$"), regex(rb"\s*(?:[,\]}#\n]|$)")


def written_by(
    source: SourceText,
    expander: Expander,
    command: tree_sitter.Node,
    files: Sequence[tree_sitter.Node],
    node: tree_sitter.Node,
) -> Written | None:
    """What ``cat`` or ``tee`` writes to a file of its here-document ``node``."""
    program = source.body[command.start_byte : command.end_byte].split(None, 1)[0].decode("latin-1")
    if program not in _WRITERS:
        return None
    name = _name(expander, program, command, (*files, *node.children))
    is_config = name.endswith(_ENDINGS) or "$" in name
    return _written(source, expander, name, node) if is_config else None


def _name(
    expander: Expander,
    program: str,
    command: tree_sitter.Node,
    redirects: Sequence[tree_sitter.Node],
) -> str:
    """The one file that ``cat`` or ``tee`` writes; "" for several."""
    named = targets(redirects) if program == "cat" else with_comments(command)[1:]
    words = [w for n in named for w in expander.fields(n) if not w.raw.startswith("-")]
    return (words[0].value or words[0].raw).strip("\"'") if len(words) == 1 else ""


def targets(redirects: Sequence[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """The files that redirections lead to."""
    return [
        target
        for one in redirects
        if one.type == "file_redirect"
        for target in one.children_by_field_name("destination")[:1]
    ]


def texts_of(
    expander: Expander,
    program: str,
    files: Sequence[tree_sitter.Node],
    redirects: Sequence[tree_sitter.Node],
) -> Iterator[tuple[str, str | None]]:
    """(file, text) of what a command writes; None for what is no here-document of ``cat``, is added
    to what is there, or is not known."""
    documents = [one for one in redirects if one.type == "heredoc_redirect"]
    every = [*files, *(child for one in documents for child in one.children)]
    fresh = all(sign.type != ">>" for one in every for sign in one.children)
    atoms = expander.document(documents[0]) if len(documents) == 1 else None
    text = None if atoms is None or program != "cat" else joined((a.text for a in atoms), "")
    for word in (w for n in targets(every) for w in expander.fields(n)):
        if word.value is not None:
            yield word.value, text if fresh else None


def _written(
    source: SourceText, expander: Expander, name: str, node: tree_sitter.Node
) -> Written | None:
    """What the here-document states; None for an empty one, and one of no known format."""
    from medic.syntax import guess_syntax, parse_source

    body = next((c for c in with_comments(node) if c.type == "heredoc_body"), None)
    head = next((c for c in with_comments(node) if c.type == "heredoc_start"), None)
    if body is None or head is None:
        return None
    text = source.body[body.start_byte : body.end_byte]
    if node.children[0].type == "<<-":
        led = source.body[: body.start_byte].rpartition(b"\n")[2]
        text = _without_tabs(led + text)[len(led) :]
    kind = guess_syntax(name, text)
    if kind not in ("json", "yaml", "toml") or not text.strip() or not _is_config(name, text):
        return None
    told = True
    fills = bytes(head.text or b"")[:1] not in (b"'", b'"', b"\\")
    if kind in ("json", "toml") and fills:
        text, told = _filled_in(text, body)
    own, first = source.own(body.start_byte)
    before = _OUTSIDE.sub(b" ", own.data[: own.skipped + body.start_byte - first])
    inner = SourceText(before + text, own.file)
    try:
        document = parse_source(inner, kind)
    except Unreadable as problem:
        if not told:
            return None
        exact = _TEMPLATE.search(source.body, body.start_byte, body.end_byte) is None
        return Written(name, None, problem.en, problem.zh, problem.at, exact)
    return Written(name, filled(document, expander, source, body) if fills else document)


def _without_tabs(text: bytes) -> bytes:
    """A ``<<-`` document, whose lines lose their tabs, with as many blanks in their place; as it is where
    lines have different numbers of them, so that blanks would make levels."""
    begun = [_TABS.match(line) for line in text.split(b"\n") if line.strip()]
    depths = {len(found[0]) for found in begun if found is not None}
    return _TABS.sub(lambda m: b" " * len(m[0]), text) if len(depths) == 1 else text


def _is_config(name: str, text: bytes) -> bool:
    """A name that only the shell knows says nothing: then the text has to be an object."""
    return name.endswith(_ENDINGS) or text.lstrip().startswith(b"{")


def _filled_in(text: bytes, body: tree_sitter.Node) -> tuple[bytes, bool]:
    """JSON or TOML with a string, as long as before, for all that the shell fills in outside of strings;
    and whether all of that stands where a value does.
    """
    masked = bytearray(text)
    for child in with_comments(body):
        if child.type.endswith(("expansion", "substitution")):
            start, end = child.start_byte - body.start_byte, child.end_byte - body.start_byte
            masked[start:end] = b"$" * (end - start)
    found, told = bytearray(text), True
    for match in _STRING_OR_FILLED.finditer(masked):
        if match[0][:1] != b'"':
            start, end = match.span()
            if end - start == 1:
                continue
            before, behind = bytes(found[max(0, start - 64) : start]), bytes(masked[end:])
            told &= _VALUE_BEFORE.search(before) is not None
            told &= _VALUE_BEHIND.match(behind) is not None
            found[start:end] = b'"' + b"$" * (end - start - 2) + b'"'
    return bytes(found), told
