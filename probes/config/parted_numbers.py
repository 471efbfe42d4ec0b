"""Numbers with a comma for the thousands, which parts two entries between braces: ``{seq: 2,048}``."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Document, Node, Removed, Repair, Rewritten
from medic.i18n import Text
from medic.probe import Finding
from medic.records import replace
from medic.run_config import Origin, Setting, Span
from medic.text.patterns import regex

from .setting_faults import fault

OTHERWISE = "option-reads-otherwise"
_HEAD, _REST = regex(r"[-+]?\d{1,3}"), regex(r"\d{3}")
_PARTED = Text(
    "{key} is {value}: the comma ends the entry here, and {rest} becomes a key of its own",
    "{key} 为 {value}：逗号在这里表示该项结束，{rest} 成了另一个键",
)
_WHOLE = Text("the number without its comma", "去掉数字中的逗号")


def parted(document: Document, framework: str) -> Iterator[Finding]:
    """A number of up to three digits and a key of three digits right behind its comma, without a
    value: YAML 1.2, 7.4.2 flow mappings."""
    if document.syntax == "yaml" and document.root is not None:
        yield from _below(document.root, (), framework)


def _below(node: Node, above: tuple[str, ...], framework: str) -> Iterator[Finding]:
    items = node.items
    for at, (key, value) in enumerate(items):
        path = (*above, key.raw.strip("\"'"))
        yield from _below(value, path, framework)
        if at + 1 == len(items) or items[at + 1][1].raw:
            continue  # what parts a number leaves keys without values behind it
        if value.kind != "scalar" or value.quoted or not _HEAD.fullmatch(value.raw):
            continue
        rest: list[Node] = []
        last: Span = value.span
        for name, empty in items[at + 1 :]:
            close = name.span.start - last.end == 1 and not name.quoted
            if not close or not _REST.fullmatch(name.raw) or empty.raw or empty.value is not None:
                break
            rest.append(name)
            last = name.span
        if rest:
            yield _told(value, path, rest, framework)


def _told(value: Node, path: tuple[str, ...], rest: list[Node], framework: str) -> Finding:
    last, name = rest[-1].span, path[-1]
    span = replace(value.span, end=last.end, end_line=last.end_line, end_column=last.end_column)
    steps = tuple(step.lower().replace("-", "_") for step in path)
    setting = Setting(steps, value.value, Origin("file", span, "yaml", path, name, framework))
    groups = [value.raw, *(one.raw for one in rest)]
    whole = Rewritten(value.span, "yaml", name, int("".join(groups)))
    stray = (Removed(one.span, "yaml", str(one.value)) for one in rest)
    what = _PARTED.fill(key=name, value=value.raw, rest=", ".join(groups[1:]))
    repair = Repair((whole, *stray), safe=False, why=_WHOLE)
    return fault(OTHERWISE, setting, ",".join(groups), {"what": what}, repair)
