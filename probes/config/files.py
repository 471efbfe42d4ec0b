"""What is wrong with a configuration file itself, whatever it configures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Document, Dropped, Node, Problem, Repair, Rewritten, Source
from medic.i18n import Text
from medic.probe import Finding, Look
from medic.run_config import FIELDS, NOBODYS, Span
from medic.text.patterns import regex

from .carriers import Stated
from .loaders import reads_floats

DUPLICATE = "duplicate-config-key"
AS_TEXT = "number-read-as-text"
OTHERWISE = "number-read-otherwise"
_MAX_LINE = 4096
_OCTAL = regex(r"0[0-7_]+")
# torch.optim compares these with 0.0 as it is built.
_OPTIMIZER = frozenset(("learning_rate", "weight_decay", "adam_epsilon", "adam_beta2"))
_IN_OPTIMIZER = Text(
    "the optimizer fails as it compares the text with a number", "优化器在字符串与数字比较时报错"
)
_IN_ARITHMETIC = Text(
    "any arithmetic or comparison with it fails", "任何用到它的运算或比较都会报错"
)
_OMEGACONF = frozenset(("_target_", "_name", "hydra"))
_DECIMAL = Text("the number without its leading zero", "去掉前导零")
_WITH_DOT = Text("a number for every reader", "任何解析器都会读成数字")
_SAME_VALUE = Text("both lines say the same", "两行取值相同")
_LAST_VALUE = Text(
    "most readers take the last line; check that its value is the one you mean",
    "多数解析器以最后一行为准；请确认那一行才是想要的值",
)


def problems(look: Look, files: Sequence[Stated]) -> Iterator[Finding]:
    """One finding a place; "passes" for a check that found none in the files."""
    read = [s for s in files if s.document is not None and s.document.root is not None]
    told = list(_of_others(look, read)) if DUPLICATE in look.checks else []
    yield from told
    if not read:
        return
    for name, check in ((DUPLICATE, _duplicates), (AS_TEXT, _numbers), (OTHERWISE, _odd)):
        if name not in look.checks:
            continue
        fired = False
        for stated in read:
            for finding in check(look, stated):
                fired = True
                yield finding
        if not fired and not (told and name == DUPLICATE):
            yield Finding(name, "passes")


def _of_others(look: Look, read: Sequence[Stated]) -> Iterator[Finding]:
    """The same of files that were named and that no framework is known to read: a key that stands
    twice is lost whoever reads it."""
    known = {stated.document.file for stated in read if stated.document is not None}
    for given in look.files("config"):
        if not given.named or given.path in known:
            continue
        try:
            yield from _twice(look, look.parse(given.path))
        except Unreadable:
            continue


def _duplicates(look: Look, stated: Stated) -> Iterator[Finding]:
    if stated.document is not None:
        yield from _twice(look, stated.document)


def _twice(look: Look, document: Document) -> Iterator[Finding]:
    for problem in document.problems:
        if problem.kind == "duplicate-key" and problem.other is not None:
            value = {"key": problem.detail.split(".")[-1], "first_line": problem.other.line}
            source = _line(look, document, problem.span.line)
            first = Source(problem.other.file, problem.other.line)
            yield Finding(
                DUPLICATE,
                "fires",
                value,
                source,
                more=(first,),
                span=problem.span,
                repair=_without_first(problem, document),
            )


def _without_first(problem: Problem, document: Document) -> Repair | None:
    """The first of two equal keys goes: that is the one which PyYAML and json read over."""
    if problem.other is None or problem.dropped is None:
        return None
    twin = problem.span
    for later in document.problems:  # of three equal keys the tree holds the last
        twin = later.span if later.kind == "duplicate-key" and later.other == twin else twin
    kept = _value_at(document.root, twin)
    if kept is None:
        return None
    alike = _same(kept, problem.dropped)
    step = Dropped(problem.other, problem.dropped.span, twin, document.syntax)
    return Repair((step,), alike, _SAME_VALUE if alike else _LAST_VALUE)


def _value_at(node: Node | None, key: Span) -> Node | None:
    """The value of the key that stands at a place."""
    for one, value in node.items if node is not None else ():
        if one.span == key:
            return value
        if value.span.start <= key.start < value.span.end:
            return _value_at(value, key)
    inside = (e for e in node.elements if e.span.start <= key.start < e.span.end) if node else ()
    return next((_value_at(e, key) for e in inside), None)


def _same(one: Node, other: Node) -> bool:
    """Whether two values read alike, whatever their order."""
    if (one.kind, len(one.items), len(one.elements)) != (
        other.kind,
        len(other.items),
        len(other.elements),
    ):
        return False
    if one.kind == "scalar":
        return (one.loader_value, one.value) == (other.loader_value, other.value)
    values = {str(key.value): value for key, value in other.items}
    keys = all(str(k.value) in values and _same(v, values[str(k.value)]) for k, v in one.items)
    pairs = zip(one.elements, other.elements, strict=True)
    return keys and all(_same(a, b) for a, b in pairs)


def _numbers(look: Look, stated: Stated) -> Iterator[Finding]:
    """Numbers such as 1e-5 that PyYAML reads as text, where they are to be a number.

    Only of fields that are numbers, and of frameworks that are not known to convert them.
    A reference to another key (``${a.b}``) shows that the file is read by OmegaConf, which reads
    numbers as YAML 1.2 does. So does a program beside a file that no framework's keys tell.
    """
    document = stated.document
    if document is None or document.syntax != "yaml" or stated.framework.yaml_floats != "yaml-1.1":
        return
    if not any(p.kind == "number-as-text" for p in document.problems) or _is_omegaconf(document):
        return
    if stated.framework.name in NOBODYS and reads_floats(look):
        return
    fields = _numeric_places(stated)
    for path, node in _scalars(document.root, ()):
        number, field = node.value, fields.get(node.span)
        if not isinstance(number, (int, float)) or not isinstance(node.loader_value, str):
            continue
        if not node.quoted and field is not None:
            use = _IN_OPTIMIZER if field in _OPTIMIZER else _IN_ARITHMETIC
            value = {"key": ".".join(path), "raw": node.raw, "use": use}
            source = _line(look, document, node.span.line)
            whole = FIELDS[field][0] is int and float(number).is_integer()
            new = int(number) if whole else number
            step = Rewritten(node.span, "yaml", path[-1], new)
            repair = Repair((step,), safe=True, why=_WITH_DOT)
            yield Finding(AS_TEXT, "fires", value, source, span=node.span, repair=repair)


def _odd(look: Look, stated: Stated) -> Iterator[Finding]:
    """Numbers that PyYAML reads as others: octal ones, and those with colons (base 60)."""
    document = stated.document
    if document is None or document.syntax != "yaml":
        return
    old = stated.framework.yaml_floats == "yaml-1.1"
    odd = {p.span: p for p in document.problems if p.kind == "odd-scalar"}
    fields = _numeric_places(stated) if odd else {}
    nodes = {node.span: node for _, node in _scalars(document.root, ())} if odd else {}
    for span, problem in odd.items():
        node = nodes.get(span)
        if node is None or span not in fields or type(node.loader_value) not in (int, float):
            continue
        if not old and not _OCTAL.fullmatch(node.raw):
            continue  # readers of YAML 1.2 floats that build on PyYAML keep its whole numbers
        value = {"key": problem.detail, "raw": node.raw, "number": node.loader_value}
        repair = None
        if isinstance(node.value, int):
            step = Rewritten(span, "yaml", problem.detail.split(".")[-1], node.value)
            repair = Repair((step,), safe=False, why=_DECIMAL)
        source = _line(look, document, span.line)
        yield Finding(OTHERWISE, "fires", value, source, span=span, repair=repair)


def _numeric_places(stated: Stated) -> dict[Span, str]:
    """Where the file states a field that is a number."""
    return {
        origin.span: field
        for field, value in stated.values.items()
        for origin in value.carriers()
        if origin.span is not None and FIELDS[field][0] in (int, float)
    }


def _is_omegaconf(document: Document) -> bool:
    """References, or keys that only Hydra or fairseq's configurations have."""
    return any(
        (isinstance(node.value, str) and "${" in node.value) or not _OMEGACONF.isdisjoint(path)
        for path, node in _scalars(document.root, ())
    )


def _scalars(node: Node | None, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Every value with its key path; an element of a list has the path of its list."""
    if node is None:
        return
    if node.kind == "scalar":
        yield path, node
    for key, value in node.items:
        yield from _scalars(value, (*path, str(key.value if key.value is not None else key.raw)))
    for element in node.elements:
        yield from _scalars(element, path)


def _line(look: Look, document: Document, line: int) -> Source:
    """A line of the file with its text."""
    file = document.file
    text = ""
    try:
        with look.open(file) as handle:
            for number, raw in enumerate(handle, 1):
                if number == line:
                    text = raw[:_MAX_LINE].decode("utf-8", "replace").rstrip("\r\n")
                    break
    except Unreadable:
        text = ""
    return Source(file, line, text=text)
