"""Taking a key and its value out of a file, with what joins it to its neighbours."""

from __future__ import annotations

from medic.edits.sources import Sources
from medic.errors import EditRefused
from medic.run_config import Span, Syntax
from medic.text.patterns import regex

_COMMA_AFTER = regex(rb"\s*,\s*")
_COMMA_BEFORE = regex(rb",\s*\Z")
_SPACE = regex(rb"\s*")
_FLOW_BYTES = 4096


def cut(key: Span, value: Span, group: Span | None, syntax: Syntax, sources: Sources) -> None:
    """Takes out a key of the mapping at ``group``. Raises EditRefused where that is no one line.

    A comment behind the value goes with it; comments on lines of their own stay.
    """
    data = sources.data(key.file)
    if syntax == "json" or (group is not None and data[group.start : group.start + 1] == b"{"):
        start, end = _between_commas(data, key, value)
    else:
        start, end = _lines(data, key, value)
    sources.add(key.file, start, end, "")


def _between_commas(data: bytes, key: Span, value: Span) -> tuple[int, int]:
    after = _COMMA_AFTER.match(data, value.end)
    if after is not None:
        return key.start, after.end()
    first = max(0, key.start - _FLOW_BYTES)
    before = _COMMA_BEFORE.search(data, first, key.start)
    if before is not None:
        return before.start(), value.end
    inside = data.rfind(b"{", first, key.start) + 1
    space = _SPACE.match(data, value.end)
    return inside, space.end() if space is not None else value.end


def _lines(data: bytes, key: Span, value: Span) -> tuple[int, int]:
    start = data.rfind(b"\n", 0, key.start) + 1
    last = max(key.end, value.end)
    end = data.find(b"\n", last)
    end = len(data) if end < 0 else end + 1
    if last and data[last - 1 : last] == b"\n":
        end = last
    lead = data[start : key.start].strip(b" \t\xef\xbb\xbf")
    if not lead:
        return start, end
    # The first key of a list's element: the next one takes its place.
    following = _SPACE.match(data, data.find(b"\n", last))
    comment = following is not None and data[following.end() : following.end() + 1] == b"#"
    if lead.strip(b"- ") or following is None or comment or b"#" in data[last:end]:
        raise EditRefused("the key shares its line", "该键不独占一行")
    indent = following.end() - (data.rfind(b"\n", 0, following.end()) + 1)
    if indent != key.start - start:
        raise EditRefused("nothing would be left of its group", "删去后该分组为空")
    return key.start, following.end()
