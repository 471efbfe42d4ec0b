"""What the files of a case are called in a bundle: below the folder given, and never two alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from medic.bundle.unpack import ENDS, MAX_DEPTH
from medic.case.collect import Case

MOST = MAX_DEPTH - 3  # parts of a name: the bundle's own folders come before them


def names(case: Case) -> dict[str, str]:
    """Path of each file -> its name: relative to the folder that was given, else the file's own.

    With several folders, and where two would be called the same, the folders above are kept.
    """
    roots = _roots(case)
    parts: dict[str, tuple[str, ...]] = {}
    keep: dict[str, int] = {}
    for path in dict.fromkeys(f.path for f in case.files if f.name not in case.parts):
        full = os.path.realpath(path)
        root = max((r for r in roots if full.startswith(r + os.sep)), key=len, default="")
        below = Path(os.path.relpath(full, root) if root else Path(full).name).parts
        above = Path(roots[root] if root else Path(full).parent).parts[1:]
        parts[path] = (*above, *below)
        keep[path] = len(below) + (len(roots) > 1 and bool(root))
    for _ in range(MOST):
        called = {p: "/".join(parts[p][-keep[p] :]) for p in parts}
        often = Counter(called.values())
        longer = [p for p in parts if often[called[p]] > 1 and keep[p] < min(MOST, len(parts[p]))]
        if not longer:
            break
        for path in longer:
            keep[path] += 1
    return {p: "/".join(parts[p][-keep[p] :]) for p in parts}


def _roots(case: Case) -> Mapping[str, str]:
    """The folders that were given -> an absolute path whose end names them: a bundle's own name
    stands for the folder that it was unpacked to."""
    found: dict[str, str] = {}
    for path in case.paths or (case.root,):
        if path and Path(path).is_dir():
            shown = case.aliases.get(f"{path}/", "").removesuffix(":")
            end = next((e for e in ENDS if shown.lower().endswith(e)), "")
            label = os.path.realpath(shown.removesuffix(end)) if shown else os.path.realpath(path)
            found[os.path.realpath(path)] = label
    return found


def unlike(wanted: Iterable[str]) -> list[str]:
    """The names with a number before the ending of each that is there already."""
    taken: set[str] = set()
    result = []
    for name in wanted:
        path, number, one = PurePosixPath(name), 1, name
        while one.lower() in taken:
            number += 1
            one = str(path.with_name(f"{path.stem}-{number}{path.suffix}"))
        taken.add(one.lower())
        result.append(one)
    return result
