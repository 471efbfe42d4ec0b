"""What of a script is no shell, or stops the shell, as problems of its document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.facts import Problem
from medic.run_config import Edit
from medic.syntax.shell_faults import mend
from medic.syntax.shell_refusal import Refusal
from medic.syntax.source import SourceText
from medic.syntax.treesitter import first_error

if TYPE_CHECKING:
    import tree_sitter


def problems_of(
    source: SourceText, root: tree_sitter.Node, body: bytes, refused: Refusal | None
) -> Iterator[Problem]:
    """The first byte that is no text, the first place that the tree does not understand, and what
    bash refuses."""
    if source.odd is not None:
        at, octet = source.odd
        yield Problem("not-utf-8", source.span(at, at + 1), f"0x{octet:02x}")
    error = first_error(root) if root.has_error else None
    if error is not None:
        yield Problem("syntax", source.span(error.start_byte, error.end_byte), "shell")
    if refused is None:
        return
    place = source.span(refused.start, refused.end)
    other = source.span(refused.other[1], refused.other[1]) if refused.other else None
    found = mend(body, refused)
    edit = None
    if found is not None:
        start, end, text = found
        skip = source.skipped
        edit = Edit(source.file, start + skip, end + skip, text.decode("latin-1"))
    yield Problem("refused", place, f"{refused.kind} {refused.word}", other, mend=edit)
