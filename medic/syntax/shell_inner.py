"""Scripts inside a word or a here-document: what ``bash -c '…'``, ``ssh host "…"`` and ``--wrap="…"`` run.

The inner script is read in place, with every byte where it stands in the file; what is around it
is blanked. Escapes of double quotes are undone and the bytes they leave are made up for by blanks
behind the word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.facts import Word
from medic.records import replace
from medic.syntax.shell_atoms import Atom, Variable
from medic.syntax.shell_unusual import known_forms, read_over
from medic.syntax.source import SourceText
from medic.syntax.treesitter import tree_of, with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

MAX_INNER = 40
MAX_AROUND = 256 * 1024  # a larger file is read without its inner scripts
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_TAKE_SCRIPTS, _WRITE = frozenset(("sbatch",)), ("cat", "tee")
_SCRIPT_FILES = (b".sh", b".slurm", b".sbatch", b".job", b".bash", b".sub")
_SCRIPT = regex(rb"\s*#!\S*/(?:env )?(?:ba|z|da)?sh|\s*#SBATCH")
_COMMAND_FLAG = regex(r"^-[a-z]*c$")
_WRAP = "--wrap="
_OUTSIDE = regex(rb"[^\n]")
# `# why` between the words of a command: a command substitution that holds a comment only.
_QUOTED_COMMENT = regex(rb"(?<=[ \t])`[ \t]*#[^`\n]*`(?=[ \t\n]|$)")
_ESCAPED = regex(rb'\\(["\\$`])')
_GIVEN_DOCUMENT = regex(
    rb"(?m)(\$\([^()\n]*<<-?[ \t]*'(\w+)'[^\n]*\n)((?:.*\n)*?)([ \t]*\2[ \t]*$)"
)
# What is to be filled in: --data=<PATH>, cd <folder of the data>. It is read like a variable.
_PLACEHOLDER = regex(
    rb"(?:(?<=\s)--?[A-Za-z][\w.-]*[ \t]+|=|(?m:^[ \t]*)(?:cd|source|\.|ssh)[ \t]+)"
    rb"(<[A-Za-z_\x80-\xff](?:[^<>|&;$`=\"'\n]*[^<>|&;$`=\"'\s])?>)"
)
_JOINS_NOTHING = regex(rb"(?<!\\)\\\n(?=[ \t]*\n)")
_CHUNK = regex(rb"[^ \t\n]+")
_LITERAL_BLANK = regex(rb"[ \t\n]")
_OPERATOR = regex(r"^(?:&&|\|\|?|&)$|(?<!\\);$")
_QUOTE = regex(r"""(?<!\\)["']""")


def inner_node(
    prefix: Sequence[Word], words: Sequence[Word], node: tree_sitter.Node
) -> tree_sitter.Node | None:
    """The string that holds a script, if a command runs it; its words are both together."""
    first = (prefix or words)[:1]
    if node.type in ("string", "raw_string") or _opened_in_between(node):
        near = [*prefix[-4:], *words[-4:]][-4:]
        last = [program_name(word.value) for word in near if word.value]
        shell = len(last) > 1 and not SHELLS.isdisjoint(last[:-1])
        if shell and _COMMAND_FLAG.match(last[-1]):
            return node
        return node if len(prefix) + len(words) > 1 and _is(first, "ssh") else None
    if node.type == "concatenation" and node.named_child_count == 2 and _is(first, "sbatch"):
        head, second = with_comments(node)
        wrapped = bytes(head.text or b"") == _WRAP.encode()
        return second if wrapped and second.type in ("string", "raw_string") else None
    return None


def _opened_in_between(node: tree_sitter.Node) -> bool:
    """``'… --master_addr '$HOST' …'``: single quotes left for what the outer shell fills in."""
    parts = with_comments(node) if node.type == "concatenation" else ()
    ends = {part.type for part in (*parts[:1], *parts[-1:])}
    kinds = {"raw_string", "simple_expansion", "expansion", "string"}
    return ends == {"raw_string"} and {part.type for part in parts} <= kinds


def program_name(text: str) -> str:
    """The program that a path or a name stands for."""
    return text.rpartition("/")[2]


def _is(first: Sequence[Word], program: str) -> bool:
    return any(program_name(word.value) == program for word in first if word.value)


def inner_body(body: bytes, node: tree_sitter.Node) -> bytes | None:
    """``body`` with all but the inner script blanked; None for what is no script of its own."""
    start, end = node.start_byte + 1, node.end_byte - 1
    if len(body) > MAX_AROUND or end <= start:
        return None
    text = body[start:end]
    if not _LITERAL_BLANK.search(text.strip()):
        return None
    if node.type == "string":
        text = _CHUNK.sub(lambda found: _unescaped(found[0]), text)
    before, after = _OUTSIDE.sub(b" ", body[:start]), _OUTSIDE.sub(b" ", body[end:])
    return before + text + after


def document_body(program: str, node: tree_sitter.Node, body: bytes) -> tuple[bytes, bool] | None:
    """(all but the here-document blanked, whether the outer shell fills it in first) of a
    here-document that is a script: given to a shell or ``sbatch``, or written to a file as one.
    """
    text = next((c for c in node.children if c.type == "heredoc_body"), None)
    head = next((c for c in node.children if c.type == "heredoc_start"), None)
    if text is None or head is None or len(body) > MAX_AROUND:
        return None
    start, end = text.start_byte, text.end_byte
    written = body[start:end]
    goes = [c for n in node.children if n.type == "file_redirect" for c in with_comments(n)]
    to_file = any(bytes(c.text or b"").endswith(_SCRIPT_FILES) for c in goes)
    as_script = to_file or _SCRIPT.match(written) is not None
    if program not in SHELLS | _TAKE_SCRIPTS and not (program in _WRITE and as_script):
        return None
    filled = bytes(head.text or b"")[:1] not in (b"'", b'"', b"\\")
    if filled:
        written = _CHUNK.sub(lambda found: _unescaped(found[0]), written)
    before, after = _OUTSIDE.sub(b" ", body[:start]), _OUTSIDE.sub(b" ", body[end:])
    return before + written + after, filled


def printed_document(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The here-document of ``$(cat <<EOF …)``, whatever quotes stand around it."""
    while (
        node.type in ("string", "command_substitution") and len(parts := with_comments(node)) == 1
    ):
        node = parts[0]
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    redirects = node.children_by_field_name("redirect")
    if body is None or bytes(body.text or b"") != b"cat" or len(redirects) != 1:
        return None
    return redirects[0] if redirects[0].type == "heredoc_redirect" else None


def as_meant(body: bytes) -> bytes:
    """A script saved with CRLF as it was meant, without comments in backquotes, which expand to
    nothing, without a line that continues into an empty one, or into nothing, and with a variable
    for each place that is to be filled in; every byte keeps its place."""
    unix = known_forms(body.replace(b"\\\r\n", b" \\\n").replace(b"\r\n", b" \n"))
    unix = _JOINS_NOTHING.sub(b" \n", unix)
    if b"`" in unix:
        unix = _QUOTED_COMMENT.sub(lambda found: b" " * len(found[0]), unix)
    if b"<" in unix:
        unix = _PLACEHOLDER.sub(_as_variable, unix)
    return unix[:-2] + b" \n" if unix.endswith(b"\\\n") else unix


def _as_variable(found: re.Match[bytes]) -> bytes:
    before = found[0][: -len(found[1])]
    return before + b"$" + b"x" * (len(found[1]) - 1)


def _unescaped(chunk: bytes) -> bytes:
    """The chunk as the outer shell hands it on, as long as before."""
    return _ESCAPED.sub(rb"\1", chunk).ljust(len(chunk))


def gives_parameters(words: Sequence[Word]) -> bool:
    """Whether what follows the script goes to it: ``bash -c '…' NAME ARGUMENTS``."""
    return bool(words) and _COMMAND_FLAG.match(words[-1].value or "") is not None


def parameters(arguments: Sequence[Word], source: SourceText) -> dict[str, Variable]:
    """``$1`` to ``$9`` and ``$@``."""
    found = {"@": Variable(elements=tuple(arguments))}
    for i, word in enumerate(arguments[:9], 1):
        start, end = source.offsets(word.span)
        found[str(i)] = Variable((Atom(word.value, start, end, exact=word.raw == word.value),))
    return found


def is_shell(words: Sequence[Word]) -> bool:
    """Whether the last word names a shell."""
    last = words[-1].value if words else None
    return last is not None and program_name(last) in SHELLS


def handed_on(word: Word, *, quoted_twice: bool) -> Word:
    """A word of an inner script. The outer shell fills in what single quotes keep from the inner
    one, so such a value is not known."""
    if quoted_twice and word.value is not None and "$" in word.value:
        return Word(word.span, word.raw, None, word.literal)
    return word


def root_of(body: bytes) -> tree_sitter.Node:
    """The tree of a script. The grammar takes an assignment in the quoted here-document of
    ``$(program <<'END'`` for the shell's and loses what follows: the document is blanked out then.
    """
    root = tree_of("bash", body)
    if not root.has_error:
        return root
    plain = _GIVEN_DOCUMENT.sub(lambda m: m[1] + _OUTSIDE.sub(b"x", m[3]) + m[4], body)
    return read_over(tree_of("bash", plain) if plain != body else root, plain)


def is_word(node: tree_sitter.Node) -> bool:
    """``--rank=16`` is no assignment: what stands before ``=`` is no name."""
    if node.type != "variable_assignment" or not node.children:
        return False
    return bytes(node.children[0].text or b"").lstrip().startswith(b"-")


def commands_in(words: list[Word], start: int, end: int) -> list[list[Word]]:
    """The commands of a call whose words ``start`` to ``end`` a shell reads once more, as ``eval``
    and ``bash -c "$CMD"`` do: operators among them part commands, but for those between quotes.
    ``eval`` itself is left out; a call of no such words is one command.
    """
    before = [] if words and words[0].value == "eval" else words[:start]
    found: list[list[Word]] = [[]]
    quoted = False
    for word in words[start:end]:
        text = word.value or ""
        parts = not quoted and bool(_OPERATOR.search(text))
        if not parts or (text.endswith(";") and len(text) > 1):
            found[-1].append(_without_end(word) if parts else word)
        if parts:
            found.append([])
        quoted ^= len(_QUOTE.findall(text)) % 2 == 1
    kept = [one for one in found if one] or [[]]
    return [[*before, *one] for one in kept[:-1]] + [[*before, *kept[-1], *words[end:]]]


def _without_end(word: Word) -> Word:
    """The word before the ``;`` that it ends with."""
    value, span = (word.value or "")[:-1], word.span
    if not word.raw.endswith(";"):
        return replace(word, value=value)
    ends = replace(span, end=span.end - 1, end_column=span.end_column - 1)
    literal = ends if word.literal == span else word.literal
    return Word(ends, word.raw[:-1], value, literal)
