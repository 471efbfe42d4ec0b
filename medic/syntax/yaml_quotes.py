"""Which quote of a YAML file that cannot be parsed is opened and not closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from medic.text.patterns import regex

if TYPE_CHECKING:
    import yaml

# A line that looks like a key or an item of a list: text of a value seldom does.
_STRUCTURE = regex(r"""(?m)^[ \t]*(?:-[ \t]|[^\s"'#:][^"'#:\n]*:(?:[ \t]|$))""")
# What stands between the last quotes is at fault nearly always; each costs two parses of the file.
_MOST_TRIED = 4


def opening_quote(text: str, problem: yaml.YAMLError) -> int | None:
    """The offset of the quote that breaks the file, None where nothing proves that one does.

    A value over several lines that holds what looks like keys is the one if without its quote, or
    with one at the end of its line, the file is read, or is read further. Else it is the one
    that the scanner was in when the file ended.
    """
    first = fault_line(problem)
    for start, end in reversed(list(_over_lines(text))[-_MOST_TRIED:]):
        if not _holds_structure(text[start + 1 : end - 1]):
            continue
        stop = text.index("\n", start)
        blanked = f"{text[:start]} {text[start + 1 :]}"
        closed = f"{text[:stop]}{text[start]}{text[stop:]}"
        if any(read_beyond(other, first) for other in (blanked, closed)):
            return start
    mark: Any = getattr(problem, "context_mark", None)
    return int(mark.index) if _in_quote(problem) and mark is not None else None


def fault_line(problem: yaml.YAMLError) -> int:
    """The line, from 0, at which a file cannot be read; that of the quote which is open there."""
    mark: Any = getattr(problem, "problem_mark", None)
    if _in_quote(problem):
        mark = getattr(problem, "context_mark", None) or mark
    return mark.line if mark is not None else 0


def _in_quote(problem: yaml.YAMLError) -> bool:
    """Whether the file, or the document, ended within a quoted value."""
    said, context = getattr(problem, "problem", None), getattr(problem, "context", None)
    return "found unexpected" in str(said) and "quoted scalar" in str(context)


def _holds_structure(inner: str) -> bool:
    """Whether a quoted text holds a key or an item, or ends where a value would begin."""
    _, _, below = inner.partition("\n")
    return _STRUCTURE.search(below) is not None or not below.rpartition("\n")[2].strip()


def read_beyond(text: str, line: int) -> bool:
    from medic.syntax.pyyaml import yaml

    try:
        for _ in yaml.parse(text, Loader=_loader()):
            pass
    except yaml.YAMLError as problem:
        return fault_line(problem) > line
    return True


def _over_lines(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each quoted value that does not end on its line, as far as the file is read."""
    from medic.syntax.pyyaml import yaml

    try:
        for token in yaml.scan(text, Loader=_loader()):
            if isinstance(token, yaml.ScalarToken) and not token.plain:
                start, end = token.start_mark.index, token.end_mark.index
                if text[start] in "\"'" and "\n" in text[start:end]:
                    yield start, end
    except yaml.YAMLError:
        return


def _loader() -> Any:
    from medic.syntax.pyyaml import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)
