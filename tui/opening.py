"""What the case holds, said before anything is read."""

from __future__ import annotations

from collections import Counter

from medic.case import Case

from . import words
from .lines import Block, joined, said


def opening(case: Case) -> list[Block]:
    """The kinds of files that were found, and that there are several runs."""
    if not case.files and not case.text:
        return [said(words.NOTHING_GIVEN)]
    counts: Counter[str] = Counter(f.kind for f in case.files)
    kinds = [
        forms[0 if counts[kind] == 1 else 1].fill(n=counts[kind])
        for kind, forms in words.KINDS.items()
        if counts[kind]
    ]
    root = case.root or words.PASTED
    blocks = [said(words.FOUND_HERE.fill(root=root, kinds=joined(kinds)))] if kinds else []
    if len(case.runs) > 1:
        blocks.append(said(words.SEVERAL_RUNS.fill(run=case.run), "warn"))
    return blocks
