"""The case looked at anew: as its folders are now, and without what is to be left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medic.case.collect import OF_A_RUN, Case, NotRead, collect
from medic.case.pasted import PASTED, pasted_beside
from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import replace

LEFT_OUT = Text("left out as you asked", "按你的要求未纳入")
OF_BEFORE = Text("of an earlier run", "属于之前的运行")


def without(case: Case, paths: Sequence[str], why: Text = LEFT_OUT) -> Case:
    """The case without some of its files, by path; each is told with the reason."""
    gone = [f for f in case.files if f.path in paths]
    if not gone:
        return case
    before = why is not LEFT_OUT  # it hides no fault of the run that is looked at
    of_before = why is OF_BEFORE
    left = [NotRead(f.name, why.en, why.zh, aside=before, earlier=of_before) for f in gone]
    kept = tuple(f for f in case.files if f not in gone)
    return replace(case, files=kept, not_read=tuple(dict.fromkeys((*case.not_read, *left))))


def still_before(
    case: Case, before: Mapping[str, float], more: Sequence[str] = ()
) -> dict[str, float]:
    """Paths of the files that are of an earlier run, and when they were written: those of
    ``before`` that nobody wrote to since then, and ``more``."""
    return {
        f.path: f.modified for f in case.files if f.path in more or before.get(f.path) == f.modified
    }


def collect_again(case: Case, index: Index) -> Case:
    """The case as its files and folders are now; as it was where nothing can be read any more."""
    fresh = _read(case, case.paths, index)
    return _joined(case, fresh, keep=not any(f.files for f in fresh) and not case.pasted)


def merged(case: Case, index: Index, more: Sequence[str]) -> Case:
    """The case with more files and with its pasted text taken apart anew."""
    fresh = _read(case, more, index)
    return _joined(replace(case, paths=(*case.paths, *more)), fresh, keep=True)


def _read(case: Case, paths: Sequence[str], index: Index) -> list[Case]:
    """Each path on its own: one that cannot be read takes nothing from the others."""
    found = []
    of_run = any(f.kind in OF_A_RUN and f.path not in case.parts for f in case.files)
    for path in paths:
        run = case.run if case.runs and path == case.root else ""
        try:
            found.append(collect([path], run=run, index=index, of_run=of_run))
        except UsageError as problem:
            found.append(Case(not_read=(NotRead(path, problem.en, problem.zh),)))
    names: set[str] = set()
    for text in case.pastes:
        parts, files = pasted_beside(text, index, names)
        names |= parts.keys()
        found.append(Case(files=tuple(files), parts=parts))
    return found


def _joined(case: Case, fresh: Sequence[Case], *, keep: bool) -> Case:
    """One case of several; ``keep``: also of the files that it has already. Whatever was looked at
    when, the order is the same: of lines without a time it says which came first."""
    files = {f.path: f for f in case.files if keep and not f.name.startswith(PASTED)}
    files |= {f.path: f for one in fresh for f in one.files}
    parts = {n: t for n, t in case.parts.items() if keep and not n.startswith(PASTED)}
    notes = [case.notes] if keep else []
    hints = [case.hints] if keep else []
    for one in fresh:
        parts |= one.parts
        hints.append(one.hints)
        notes.append(one.notes)
    told = "\n".join(dict.fromkeys(n for n in notes if n))
    left = (*(case.not_read if keep else ()), *(n for one in fresh for n in one.not_read))
    return replace(
        case,
        files=tuple(sorted(files.values(), key=lambda f: not f.name.startswith(PASTED))),
        parts=parts,
        text="\n".join(filter(None, (case.pasted, told))),
        not_read=tuple(dict.fromkeys(left)),
        runs=next((one.runs for one in fresh if one.runs and one.root == case.root), case.runs),
        root=case.root or (case.paths[0] if case.paths else ""),
        notes=told,
        hints="\n".join(dict.fromkeys(n for n in hints if n)),
        aliases=dict(case.aliases) | {k: v for one in fresh for k, v in one.aliases.items()},
    )
