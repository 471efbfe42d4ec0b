"""What the transcript is made of, and how it is laid out in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from medic.i18n import Text, plain
from medic.records import dataclass
from medic.text.safetext import clean, columns, cut, one_line, wrap

from .changed import changed_parts

Tone = Literal[
    "plain", "muted", "strong", "good", "bad", "warn", "accent", "add", "remove", "cursor", "mark"
]
TONES: tuple[Tone, ...] = (
    "plain",
    "muted",
    "strong",
    "good",
    "bad",
    "warn",
    "accent",
    "add",
    "remove",
    "cursor",
    "mark",
)
Who = Literal["you", "probe", "medic", "code", "more", "bare"]
Row = tuple[tuple[str, Tone], ...]

UNBROKEN = 1 << 16  # columns
GUTTER = 9
# Below this width the label of a block stands on its own row: a gutter would take too much.
NARROW = 50
LEAST_ASIDE = 16
HANG = 3  # columns that an aside on a row of its own stands further in
FEW = 2  # rows of a quoted line
SIGNS = "/\\_-=,:;&|? "  # behind one of these a word that is longer than a row is broken
LABELS = {
    "you": Text("[you]", "[你]"),
    "probe": Text("[probe]", "[探针]"),
    "medic": Text("[medic]", "[medic]"),
}
LABEL_TONES: dict[Who, Tone] = {
    "you": "accent",
    "probe": "muted",
    "medic": "strong",
    "code": "muted",
    "more": "plain",
    "bare": "plain",
}


@dataclass(frozen=True)
class Line:
    """One paragraph. Rows after the first hang under the text, behind ``mark``.

    ``where`` is the place of evidence, set after the text. ``verbatim`` keeps every space and
    folds at the width; ``short`` cuts to two rows; ``aside`` follows, on rows of its own where
    the last one has no room.
    """

    text: Text
    tone: Tone = "plain"
    mark: str = ""
    indent: int = 0
    where: Text | None = None
    verbatim: bool = False
    short: bool = False
    aside: Text | None = None
    marked: tuple[int, int] = (0, 0)  # characters of a verbatim text that stand out


@dataclass(frozen=True)
class Block:
    """Lines that one speaker says together. ``code`` is what /copy takes, if there is any.

    "more" goes on where the last speaker stopped; "bare" has no gutter. ``options``: first and end
    line of the numbered answers, if it asks. ``stub`` stands in its place where it would push what
    a question is about out of sight. ``beside``: it stays in sight of the question right below it,
    whose answers are shown by pages then.
    """

    who: Who
    lines: tuple[Line, ...]
    code: str = ""
    options: tuple[int, int] = (0, 0)
    stub: Line | None = None
    beside: bool = False


def asking(before: Sequence[Line], answers: Sequence[Line], after: Sequence[Line] = ()) -> Block:
    """A block with numbered answers."""
    start = len(before)
    return Block("medic", (*before, *answers, *after), options=(start, start + len(answers)))


def said(text: Text | str, tone: Tone = "plain", *, who: Who = "medic") -> Block:
    """A block of one paragraph."""
    return Block(who, (Line(text if isinstance(text, Text) else plain(text), tone),))


def code(text: str, *, diff: bool = False) -> Block:
    """A block that is copied as it is: a command, a snippet or a diff."""
    rows = text.rstrip("\n").split("\n")
    tone = _diff_tone if diff else _code_tone
    marks = changed_parts(rows) if diff else {}
    lines = (
        Line(plain(r), tone(r), verbatim=True, marked=marks.get(i, (0, 0)))
        for i, r in enumerate(rows)
    )
    return Block("code", tuple(lines), code=text)


def _code_tone(_row: str) -> Tone:
    return "accent"


def _diff_tone(row: str) -> Tone:
    if row.startswith(("+++", "---")):
        return "strong"
    tones: dict[str, Tone] = {"+": "add", "-": "remove", "@": "accent"}
    return tones.get(row[:1], "plain")


# --- texts --------------------------------------------------------------------------------


def joined(texts: Iterable[Text], en: str = ", ", zh: str = "、") -> Text:
    """Several texts as one."""
    items = list(texts)
    return Text(en.join(t.en for t in items), zh.join(t.zh for t in items))


def glued(*parts: Text | str) -> Text:
    """Texts one after another."""
    return joined([p if isinstance(p, Text) else plain(p) for p in parts], "", "")


# --- layout ---------------------------------------------------------------------------------


def rows(block: Block, width: int, number: int = 0) -> list[Row]:
    """The block as rows of at most ``width`` columns. ``number`` labels a block of code."""
    label = f"[{number}]" if block.who == "code" and number else str(LABELS.get(block.who, ""))
    tone = LABEL_TONES[block.who]
    if width < NARROW or block.who == "bare":
        head: list[Row] = [((label, tone),)] if label else []
        return head + [r for line in block.lines for r in line_rows(line, width)]
    result: list[Row] = []
    for line in block.lines:
        for row in line_rows(line, width - GUTTER):
            lead = label if not result else ""
            result.append(((lead + " " * (GUTTER - columns(lead)), tone), *row))
    return result


def line_rows(line: Line, width: int) -> Iterator[Row]:
    """One paragraph as rows; every character is made harmless here."""
    lead = " " * line.indent + line.mark
    if columns(lead) > width // 2:
        # The mark would leave the text no room: it gets a row of its own.
        yield ((cut(lead.rstrip(), width), line.tone),)
        lead = "  "
    space = max(1, width - columns(lead))
    pieces = _pieces(line, space)
    blank = " " * columns(lead)
    body: list[Row] = [
        ((lead if i == 0 else blank, line.tone), *part)
        for i, part in enumerate(_toned(line, pieces))
    ]
    if line.aside is not None:
        aside = one_line(str(line.aside))
        if columns(aside) <= space - columns(pieces[-1]) - 2:
            body[-1] = (*body[-1], ("  " + aside, "muted"))
        elif space >= LEAST_ASIDE:  # a name that is cut is none
            hang = min(HANG, space // 4)
            found = (p for row in wrap(aside, space - hang) for p in fold(row, space - hang))
            body += [((blank + " " * hang, "muted"), (row, "muted")) for row in found]
    if line.where is None:
        yield from body
        return
    where = cut_middle(one_line(str(line.where)), space)
    used = columns(pieces[-1])
    if used + 2 + columns(where) <= space:
        body[-1] = (*body[-1], ("  " + where, "muted"))
    else:
        body.append(((blank, "muted"), (where, "muted")))
    yield from body


def _toned(line: Line, pieces: list[str]) -> Iterator[Row]:
    """Each piece in the tone of its line, and what is marked of it in that of a mark."""
    start, end = line.marked
    at = 0
    for piece in pieces:
        a, b = max(0, min(len(piece), start - at)), max(0, min(len(piece), end - at))
        at += len(piece)
        if a < b:
            yield (piece[:a], line.tone), (piece[a:b], "mark"), (piece[b:], line.tone)
        else:
            yield ((piece, line.tone),)


def _pieces(line: Line, space: int) -> list[str]:
    """The text cut into rows of at most ``space`` columns."""
    text = str(line.text)
    if line.short:
        return _few(text.strip(), space)
    found = clean(text).split("\n") if line.verbatim else wrap(clean(text), space)
    return [piece for row in found for piece in fold(row, space, spaced=line.verbatim)]


def _few(text: str, space: int) -> list[str]:
    """A quoted line in at most ``FEW`` rows: what it says often stands behind a long beginning."""
    flat = wrap(one_line(text), space)
    if len(flat) <= FEW and all(columns(row) <= space for row in flat):
        return flat
    head = [row for row in flat[: FEW - 1] if columns(row) <= space]
    return [*head, one_line(" ".join(flat[len(head) :]), space)]


def fold(text: str, width: int, *, spaced: bool = False) -> list[str]:
    """Pieces of at most ``width`` columns; spaces are kept. A long path or flag is rather broken
    behind one of its signs than within a name, and a command (``spaced``) between two words."""
    if columns(text) <= width:
        return [text]
    pieces, piece, used = [], "", 0
    for char in text:
        size = columns(char)
        if used + size > width and piece:
            at = piece.rfind(" ") + 1 if spaced and char != " " else 0
            if at * 3 <= len(piece):
                sign = max(piece.rfind(sign) for sign in SIGNS) + 1
                at = sign if sign * 2 > len(piece) else len(piece)
            pieces.append(piece[:at])
            piece = piece[at:]
            used = columns(piece)
        piece, used = piece + char, used + size
    return [*pieces, piece]


def cut_middle(text: str, width: int) -> str:
    """At most ``width`` columns; what tells most, the end of a path, stays."""
    if columns(text) <= width:
        return text
    tail = ""
    keep = max(1, (width - 1) * 2 // 3)
    for char in reversed(text):
        if columns(char + tail) > keep:
            break
        tail = char + tail
    head = cut(text, width - columns(tail))
    return head + tail


def pad(text: str, width: int) -> str:
    """The text with spaces up to ``width`` columns."""
    return text + " " * max(0, width - columns(text))


def plain_text(blocks: Iterable[tuple[Block, int]], width: int = 78) -> str:
    """Blocks as plain text, for copying: code keeps its lines whole, as it has to run."""
    every = [
        row
        for block, number in blocks
        for row in rows(block, UNBROKEN if block.code else width, number)
    ]
    return "".join("".join(text for text, _ in row).rstrip() + "\n" for row in every)
