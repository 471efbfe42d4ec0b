"""What is wrong with a configuration file itself, whatever it configures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Document, Node, Source
from medic.i18n import Text
from medic.probe import Finding, Look
from medic.run_config import FIELDS, Span

from .carriers import Stated

DUPLICATE = "duplicate-config-key"
AS_TEXT = "number-read-as-text"
_MAX_LINE = 4096
# torch.optim compares these with 0.0 as it is built.
_OPTIMIZER = frozenset(("learning_rate", "weight_decay", "adam_epsilon", "adam_beta2"))
_IN_OPTIMIZER = Text(
    "the optimizer fails as it compares the text with a number", "优化器在字符串与数字比较时报错"
)
_IN_ARITHMETIC = Text(
    "any arithmetic or comparison with it fails", "任何用到它的运算或比较都会报错"
)


def problems(look: Look, files: Sequence[Stated]) -> Iterator[Finding]:
    """One finding a place; "passes" for a check that found none in the files."""
    read = [s for s in files if s.document is not None and s.document.root is not None]
    if not read:
        return
    for name, check in ((DUPLICATE, _duplicates), (AS_TEXT, _numbers)):
        if name not in look.checks:
            continue
        fired = False
        for stated in read:
            for finding in check(look, stated):
                fired = True
                yield finding
        if not fired:
            yield Finding(name, "passes")


def _duplicates(look: Look, stated: Stated) -> Iterator[Finding]:
    document = stated.document
    for problem in document.problems if document else ():
        if problem.kind == "duplicate-key" and problem.other is not None:
            value = {"key": problem.detail.split(".")[-1], "first_line": problem.other.line}
            source = _line(look, stated, problem.span.line)
            first = Source(problem.other.file, problem.other.line)
            yield Finding(DUPLICATE, "fires", value, source, more=(first,), span=problem.span)


def _numbers(look: Look, stated: Stated) -> Iterator[Finding]:
    """Numbers such as 1e-5 that PyYAML reads as text, where they are to be a number.

    Only of fields that are numbers, and of frameworks that are not known to convert them.
    A reference to another key (``${a.b}``) shows that the file is read by OmegaConf, which reads
    numbers as YAML 1.2 does.
    """
    document = stated.document
    if document is None or document.syntax != "yaml" or stated.framework.yaml_floats != "yaml-1.1":
        return
    if not any(p.kind == "number-as-text" for p in document.problems) or _is_omegaconf(document):
        return
    fields = _numeric_places(stated)
    for path, node in _scalars(document.root, ()):
        number = isinstance(node.value, (int, float)) and isinstance(node.loader_value, str)
        field = fields.get(node.span)
        if number and not node.quoted and field is not None:
            use = _IN_OPTIMIZER if field in _OPTIMIZER else _IN_ARITHMETIC
            value = {"key": ".".join(path), "raw": node.raw, "use": use}
            source = _line(look, stated, node.span.line)
            yield Finding(AS_TEXT, "fires", value, source, span=node.span)


def _numeric_places(stated: Stated) -> dict[Span, str]:
    """Where the file states a field that is a number."""
    return {
        origin.span: field
        for field, value in stated.values.items()
        for origin in value.carriers()
        if origin.span is not None and FIELDS[field][0] in (int, float)
    }


def _is_omegaconf(document: Document) -> bool:
    return any(
        isinstance(node.value, str) and "${" in node.value
        for _, node in _scalars(document.root, ())
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


def _line(look: Look, stated: Stated, line: int) -> Source:
    """A line of the file with its text."""
    file = stated.document.file if stated.document else stated.name
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
