"""What is wrong with a configuration file itself, whatever it configures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Document, Node, Source
from medic.probe import Finding, Look

from .carriers import Stated

DUPLICATE = "duplicate-config-key"
AS_TEXT = "number-read-as-text"
_MAX_LINE = 4096


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
    """Numbers such as 1e-5 that PyYAML reads as text, where the framework does not convert them.

    A reference to another key (``${a.b}``) shows that the file is read by OmegaConf, which reads
    numbers as YAML 1.2 does.
    """
    document = stated.document
    if document is None or document.syntax != "yaml" or stated.framework.yaml_floats != "yaml-1.1":
        return
    if not any(p.kind == "number-as-text" for p in document.problems) or _is_omegaconf(document):
        return
    for path, node in _scalars(document.root, ()):
        number = isinstance(node.value, (int, float)) and isinstance(node.loader_value, str)
        if number and not node.quoted:
            value = {"key": ".".join(path), "raw": node.raw}
            yield Finding(AS_TEXT, "fires", value, _line(look, stated, node.span.line))


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
