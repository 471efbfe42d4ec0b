"""Pieces of shell text that know their bytes, and how blanks part them into words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from medic.facts import Word
from medic.records import dataclass, replace
from medic.syntax.source import SourceText
from medic.text.patterns import regex

# A variable that doubles itself again and again is not followed further than this.
MAX_PARTS = 1_000
BLANKS = regex(r"[ \t\r\n]+")
_COUNT = regex(r"\$\{#(\w+)\[[@*]\]\}")
_TRIMMED = regex(r"\$\{([A-Za-z_]\w*)(##?|%%?|,,|\^\^)([^{}$`\"'\\]*)\}")
_ESCAPE_IN_STRING = regex(rb'\\(?:\r?\n|["\\$`])')
_KEPT = regex(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\{[^{}]*\}|\$\([^()]*\)")
_BRACES = regex(r"\{[^{}\s]*,[^{}\s]*\}")
_LINE_END = regex(r"\\?\n")


@dataclass(frozen=True)
class Atom:
    """A piece of text and its bytes; ``split``: blanks in it end a word. None: not known."""

    text: str | None
    start: int
    end: int
    split: bool = False
    exact: bool = True  # the bytes are the text, nothing was escaped or computed


@dataclass(frozen=True)
class Variable:
    """A scalar (its atoms), or an array (its elements)."""

    atoms: tuple[Atom, ...] = ()
    elements: tuple[Word, ...] | None = None

    @property
    def value(self) -> str | None:
        if self.elements is not None:
            return joined(word.value for word in self.elements)
        return joined((atom.text for atom in self.atoms), "")


def computed(text: str, variables: Mapping[str, Variable]) -> str | None:
    """What ``${#NAME[@]}``, ``${NAME%%=*}``, ``${NAME#*=}`` or ``${NAME,,}`` is; None for other forms, for
    what is not known, and for what is not one word."""
    found = _TRIMMED.fullmatch(text)
    if found is None:
        return _counted(text, variables)
    variable = variables.get(found[1])
    value = variable.value if variable is not None and variable.elements is None else None
    result = None if value is None else _trimmed(value, found[2], found[3])
    return result if result and not BLANKS.search(result) else None


def _trimmed(value: str, sign: str, pattern: str) -> str | None:
    """The text without the shortest (``#``, ``%``) or longest beginning or end like the pattern."""
    if sign in (",,", "^^"):
        return None if pattern else value.lower() if sign == ",," else value.upper()
    places = range(len(value) + 1)
    ends = sign[0] == "%"
    for at in places if (len(sign) > 1) == ends else reversed(places):
        if fnmatchcase(value[at:] if ends else value[:at], pattern):
            return value[:at] if ends else value[at:]
    return value


def _counted(text: str, variables: Mapping[str, Variable]) -> str | None:
    """How many elements ``${#NAME[@]}`` counts, where it is known of each that it is one."""
    match = _COUNT.fullmatch(text)
    found = variables.get(match[1]) if match is not None else None
    elements = found.elements if found is not None else None
    sure = elements is not None and all(word.value is not None for word in elements)
    return str(len(elements)) if elements is not None and sure else None


UNKNOWN = Variable((Atom(None, 0, 0),))


def becomes_several(written: str) -> bool:
    """Whether braces make several words of one: ``k={a,b}``, not between quotes."""
    return "{" in written and _BRACES.search(_KEPT.sub("_", written)) is not None


def joined(texts: Iterable[str | None], between: str = " ") -> str | None:
    known = list(texts)
    return None if None in known else between.join(t for t in known if t is not None)


def glue(words: list[Word], new: Sequence[Word]) -> None:
    """Puts both together in ``words``; ``--names=<(sort names)`` is one word, of which the tree
    makes two."""
    if not words or not new or not new[0].raw.startswith(("<(", ">(")):
        words += new
        return
    first, last = words[-1], new[0]
    if (first.span.file, first.span.end) != (last.span.file, last.span.start):
        words += new
        return
    end = last.span
    span = replace(first.span, end=end.end, end_line=end.end_line, end_column=end.end_column)
    words[-1] = replace(first, raw=first.raw + last.raw, value=None, span=span)
    words += new[1:]


def with_split(atoms: Iterable[Atom], split: bool) -> list[Atom]:
    return [replace(atom, split=split) for atom in atoms]


def atoms_of(source: SourceText, words: Sequence[Word]) -> list[Atom]:
    """The words of an array as one text, each with its own bytes."""
    found: list[Atom] = []
    for word in words:
        if found:
            found.append(Atom(" ", found[-1].end, found[-1].end, exact=False))
        start, end = source.offsets(word.span)
        quotes = int(word.raw[1:-1] == word.value and word.raw[:1] in ("'", '"'))
        exact = bool(quotes) or word.raw == word.value
        found.append(Atom(word.value, start + quotes, end - quotes, exact=exact))
    return found


def unescaped(body: bytes, start: int, end: int) -> list[Atom]:
    """Text between double quotes, its escapes undone."""
    found: list[Atom] = []
    at = start
    for escape in _ESCAPE_IN_STRING.finditer(body, start, end):
        if escape.start() > at:
            text = body[at : escape.start()].decode("utf-8", "replace")
            found.append(Atom(text, at, escape.start()))
        character = escape.group()[1:].decode()
        if not character.endswith("\n"):
            found.append(Atom(character, escape.start(), escape.end(), exact=False))
        at = escape.end()
    if end > at:
        found.append(Atom(body[at:end].decode("utf-8", "replace"), at, end))
    return found


def split_atoms(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms grouped to words: blanks end a word only in what may be split."""
    groups: list[list[Atom]] = []
    current: list[Atom] | None = None
    for atom in atoms:
        if not atom.split or atom.text is None:
            current = [*(current or []), atom]
            continue
        at = 0
        for blank in [*BLANKS.finditer(atom.text), None]:
            end = blank.start() if blank else len(atom.text)
            if end > at:
                current = [*(current or []), slice_atom(atom, at, end)]
            if blank:
                groups += [current] if current else []
                current, at = None, blank.end()
    return [*groups, current] if current else groups


def slice_atom(atom: Atom, start: int, end: int) -> Atom:
    text = atom.text or ""
    if not atom.exact:
        return replace(atom, text=text[start:end])
    first = atom.start + len(text[:start].encode())
    return replace(atom, text=text[start:end], start=first,
                   end=first + len(text[start:end].encode()))  # fmt: skip


def as_lines(atom: Atom) -> Iterator[Atom]:
    """A text between quotes as a second shell reads it: the end of a line is that of a command."""
    text = atom.text
    if text is None or atom.split or "\n" not in text:
        yield atom
        return
    at = 0
    for end in _LINE_END.finditer(text):
        yield slice_atom(atom, at, end.start())
        sign = " ; " if end[0] == "\n" else " "
        yield replace(slice_atom(atom, end.start(), end.end()), text=sign, exact=False)
        at = end.end()
    yield slice_atom(atom, at, len(text))


def literal_of(group: Sequence[Atom], start: int, end: int) -> Atom | None:
    """The one literal, outside ``start``..``end``, that gives the word or its part after "="."""
    last = group[-1]
    if last.text is None or not last.exact or start <= last.start < end:
        return None
    before = joined((a.text for a in group[:-1]), "")
    if len(group) == 1 or (before is not None and before.endswith("=")):
        return last
    return None


def agreed(values: set[Variable | None]) -> Variable | None:
    """The value that all branches gave. Where they wrote it apart, it has no one place to edit."""
    known = [v for v in values if v is not None and v.elements is None and v.atoms]
    if len(values) == 1:
        return values.pop() or UNKNOWN
    texts = {v.value for v in known}
    if len(known) < len(values) or len(texts) > 1 or None in texts:
        return None
    first = min((v.atoms[0] for v in known), key=lambda atom: atom.start)
    return Variable((replace(first, text=texts.pop(), exact=False),))


def extended(name: str, values: Collection[Variable | None]) -> Variable | None:
    """What all branches have of a list of options, and an unknown rest: ``ARGS+=(--fp8)`` in an
    ``if``, ``ARGS="$ARGS --fp8"``. None for anything else, and where a branch gives one of them again.
    """
    texts = [value.atoms for value in values if value is not None and value.elements is None]
    if texts and len(texts) == len(values):
        return _longer_text(texts)
    lists = [value.elements for value in values if value is not None and value.elements]
    if not lists or len(lists) < len(values):
        return None
    words = _shared(lists)
    rests = [one[len(words) :] for one in lists if len(one) > len(words)]
    if not _only_added(words, rests):
        return None
    return Variable(elements=(*words, Word(rests[0][0].span, f"${{{name}[@]}}", None)))


def _longer_text(texts: Sequence[tuple[Atom, ...]]) -> Variable | None:
    """The shortest of the texts, where each other one goes on from it with further options."""
    first = min(texts, key=len)
    rests = [one[len(first) :] for one in texts if len(one) > len(first)]
    if not first or not rests or any(one[: len(first)] != first for one in texts):
        return None
    given = _options(first)
    for rest in rests:
        text = "".join(atom.text or "$" for atom in rest)
        begins = text[:1].isspace() and text.lstrip().startswith("-")
        if not (begins and given and given.isdisjoint(_options(rest))):
            return None
    return Variable((*first, Atom(" ", 0, 0, exact=False), *UNKNOWN.atoms))


def _options(atoms: Sequence[Atom]) -> set[str]:
    """The flags of a text; of what is not known none."""
    return _flags(word for atom in atoms for word in (atom.text or "").split())


def _shared(lists: Sequence[tuple[Word, ...]]) -> tuple[Word, ...]:
    """What all of the lists begin with."""
    count = 0
    for several in zip(*lists, strict=False):
        if any(one != several[0] for one in several):
            break
        count += 1
    return lists[0][:count]


def _only_added(words: Sequence[Word], rests: Sequence[Sequence[Word]]) -> bool:
    given = _flags(word.raw for word in words)
    return (
        bool(words)
        and bool(rests)
        and all(
            rest[0].raw.startswith("-") and given.isdisjoint(_flags(word.raw for word in rest))
            for rest in rests
        )
    )


def _flags(words: Iterable[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("-")}
