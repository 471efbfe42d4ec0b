"""YAML -> nodes, from the parser's events: aliases are counted, tags never run code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from medic.errors import Unreadable
from medic.facts import Document, Node, Problem
from medic.records import dataclass, field
from medic.syntax.scalars import pyyaml, tagged, yaml_1_2
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.trees import mapping
from medic.text.parserwords import in_chinese
from medic.text.patterns import regex

if TYPE_CHECKING:
    import yaml

# Nodes that aliases may add to a document; 306 bytes of nested aliases reach three million.
MAX_ALIASED = 10_000
_NEIGHBOURS = 3  # a line, the one above it and the one below
_PROPERTIES = regex(r"(?:[&!]\S*\s+)+")
_CODE_TAG = "tag:yaml.org,2002:python/"


@dataclass
class _Open:
    """A collection whose end has not been read yet."""

    kind: str
    start: int
    flow: bool
    anchor: str | None
    children: list[Node] = field(default_factory=list)
    size: int = 1

    def key(self) -> str:
        """The key, or the index, of the child that is being read."""
        if self.kind == "sequence":
            return str(len(self.children))
        if len(self.children) % 2:
            last = self.children[-1]
            return str(last.value if last.value is not None else last.raw)
        return ""


class _Builder:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.problems: list[Problem] = []
        self.aliased = 0
        self.root: Node | None = None

    def path(self) -> tuple[str, ...]:
        return tuple(part for part in (frame.key() for frame in self.open) if part)

    # --- events -----------------------------------------------------------------------------

    def start(self, event: Any, kind: str) -> None:
        self._check_tag(event)
        if len(self.open) >= MAX_DEPTH:
            raise self.source.too_deep(event.start_mark.line + 1)
        flow = bool(event.flow_style)
        self.open.append(_Open(kind, event.start_mark.index, flow, event.anchor))

    def end(self, event: Any) -> None:
        frame = self.open.pop()
        last = event.end_mark.index if frame.flow else event.start_mark.index
        span = self.source.char_span(frame.start, last)
        if not frame.flow and frame.children:
            # The end of a block is seen only at the next token; it ends with its last child.
            start = self.source.byte_of(frame.start)
            skip = self.source.skipped
            span = self.source.span(start, max(c.span.end for c in frame.children) - skip)
        if frame.kind == "sequence":
            node = Node("sequence", span, elements=tuple(frame.children))
        else:
            pairs = list(zip(frame.children[::2], frame.children[1::2], strict=False))
            node = mapping(span, pairs, self.problems, self.path(), merge=True)
        self.add(node, frame.anchor, frame.size)

    def scalar(self, event: Any) -> None:
        self._check_tag(event)
        first, last = event.start_mark.index, event.end_mark.index
        text = self.source.text
        some = event.anchor or event.tag
        skip = _PROPERTIES.match(text, first, last) if some else None
        if skip:
            first = skip.end()
        elif event.anchor or (event.tag and text[first:last].startswith("!")):
            first = last  # a node of nothing but its anchor or tag
        while last > first and text[last - 1] in "\r\n":
            last -= 1
        span = self.source.char_span(first, last)
        raw = text[first:last]
        plain = not event.style
        value, loaded = event.value, event.value
        if event.tag and not event.implicit[0]:
            value = loaded = tagged(event.tag, event.value)
        elif plain:
            value, loaded = yaml_1_2(event.value), pyyaml(event.value)
        node = Node("scalar", span, value, raw, not plain, loaded)
        if plain and not event.tag:
            self._odd(node)
        self.add(node, event.anchor, 1)

    def alias(self, event: Any) -> None:
        name = event.anchor
        at = self.source.at(event.start_mark.line + 1)
        if any(frame.anchor == name for frame in self.open):
            raise Unreadable(f"*{name} refers to itself", f"*{name} 引用了自身", at=at)
        if name not in self.anchors:
            raise Unreadable(f"*{name} is not defined", f"*{name} 没有定义", at=at)
        node, size = self.anchors[name]
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            raise Unreadable(
                f"aliases expand to more than {MAX_ALIASED:,} nodes",
                f"别名展开后超过 {MAX_ALIASED:,} 个节点",
                at=at,
            )
        self.add(node, None, size)

    def another(self, event: Any) -> None:
        place = self.source.char_span(event.start_mark.index, event.end_mark.index)
        self.problems.append(Problem("syntax", place, "several-documents"))

    # --- parts ------------------------------------------------------------------------------

    def add(self, node: Node, anchor: str | None, size: int) -> None:
        self.source.count(node.span)
        if anchor:
            self.anchors[anchor] = (node, size)
        if not self.open:
            self.root = node
            return
        self.open[-1].children.append(node)
        self.open[-1].size += size

    def _check_tag(self, event: Any) -> None:
        tag = event.tag or ""
        if tag.startswith(_CODE_TAG):
            short = tag.replace("tag:yaml.org,2002:", "!!")
            raise Unreadable(
                f"the tag {short} would run Python code and is not read",
                f"标签 {short} 会执行 Python 代码，不读取",
                at=self.source.at(event.start_mark.line + 1),
            )

    def _odd(self, node: Node) -> None:
        frame = self.open[-1] if self.open else None
        is_key = frame is not None and frame.kind == "mapping" and len(frame.children) % 2 == 0
        value, loaded = node.value, node.loader_value
        if is_key or (type(value), repr(value)) == (type(loaded), repr(loaded)):
            return
        number = isinstance(value, (int, float)) and isinstance(loaded, str)
        detail = ".".join(self.path())
        self.problems.append(
            Problem("number-as-text" if number else "odd-scalar", node.span, detail)
        )


def parse_yaml(source: SourceText) -> Document:
    """The first document of a YAML file. Raises Unreadable."""
    from medic.syntax.pyyaml import yaml

    builder = _Builder(source)
    try:
        for event in _events(source):
            if isinstance(event, yaml.ScalarEvent):
                builder.scalar(event)
            elif isinstance(event, yaml.MappingStartEvent):
                builder.start(event, "mapping")
            elif isinstance(event, yaml.SequenceStartEvent):
                builder.start(event, "sequence")
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                builder.end(event)
            elif isinstance(event, yaml.AliasEvent):
                builder.alias(event)
            elif isinstance(event, yaml.DocumentStartEvent) and builder.root is not None:
                builder.another(event)
                break
    except yaml.YAMLError as problem:
        if _indented(builder, problem):
            raise Unreadable(
                "not YAML: this line is indented, and what follows it on its level is not",
                "不是合法的 YAML：这一行有缩进，而其后同级的行没有",
                at=source.at(builder.root.span.line if builder.root else 1),
            ) from None
        if builder.root is None or builder.open or builder.root.kind == "scalar":
            raise _unreadable(source, problem) from None
    return Document(source.file, "yaml", builder.root, problems=tuple(builder.problems))


def _indented(builder: _Builder, problem: yaml.YAMLError) -> bool:
    """Whether the file goes on further left than its first key, which ends the document there."""
    root, mark = builder.root, getattr(problem, "problem_mark", None)
    if root is None or builder.open or root.kind != "mapping" or mark is None:
        return False
    said = str(getattr(problem, "problem", ""))
    return "<document start>" in said and mark.column < root.span.column - 1


def _events(source: SourceText) -> Iterator[Any]:
    from medic.syntax.pyyaml import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    yield from yaml.parse(source.text, Loader=loader)


def _unreadable(source: SourceText, problem: yaml.YAMLError) -> Unreadable:
    from medic.syntax.yaml_lines import broken_line
    from medic.syntax.yaml_quotes import opening_quote

    mark = getattr(problem, "problem_mark", None)
    if "could not find expected ':'" in str(getattr(problem, "problem", "")):
        mark = getattr(problem, "context_mark", None) or mark  # where the key begins
    said = str(getattr(problem, "problem", None) or getattr(problem, "context", None) or "")
    context = str(getattr(problem, "context", None) or "")
    if not said:  # a ReaderError: a character that YAML does not allow
        position = int(getattr(problem, "position", 0) or 0)
        line = source.text.count("\n", 0, position) + 1
        said = str(getattr(problem, "reason", "")) or "unacceptable character"
        return Unreadable(
            f"not YAML: {said}", f"不是合法的 YAML：{in_chinese(said)}", at=source.at(line)
        )
    if "nesting depth" in said:
        return source.too_deep(_line(source, mark))
    en = f"{said} {context}".strip() if context and context != said else said
    opened = opening_quote(source.text, problem)
    if opened is not None:
        return Unreadable(
            "not YAML: a quote is opened here and not closed",
            "不是合法的 YAML：这里的引号没有闭合",
            at=source.at(source.text.count("\n", 0, opened) + 1),
        )
    broken = broken_line(source.text, problem)
    if broken is not None:
        line, what = broken
        return Unreadable(f"not YAML: {what.en}", f"不是合法的 YAML：{what.zh}", at=source.at(line))
    return Unreadable(
        f"not YAML: {en}",
        f"不是合法的 YAML：{in_chinese(said)}",
        at=source.at(_outdented(source, _line(source, mark))),
    )


def _outdented(source: SourceText, line: int) -> int:
    """The line before one that no value may stand below, if that one alone stands too far left."""
    lines = source.text.split("\n")[:line]
    said = [(n, text) for n, text in enumerate(lines, 1) if text.strip()]
    near = [(n, len(text) - len(text.lstrip(" "))) for n, text in said if text.strip()[0] != "#"]
    if len(near) < _NEIGHBOURS or near[-1][0] != line:
        return line
    (_, before), (place, own), (_, after) = near[-_NEIGHBOURS:]
    return place if own < before and own < after else line


def _line(source: SourceText, mark: Any) -> int:
    """The line of a mark as editors count: to YAML also U+0085 and U+2028 end one."""
    if mark is None:
        return 1
    index = getattr(mark, "index", None)
    return mark.line + 1 if index is None else int(source.text.count("\n", 0, index)) + 1
