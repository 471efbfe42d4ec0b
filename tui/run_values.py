"""The values of the run that were given by hand or that a look finds other than before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.nearest import did_you_mean
from medic.records import replace
from medic.report.words import placed
from medic.run_config import FIELDS, RunConfig, Scalar
from medic.text.patterns import regex
from medic.told.stated import called, shown

from . import words, words_keep
from .lines import Block, Line
from .seen import shown_file

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.session.consultation import Session

    from .consultation import Consultation

Values = Mapping[str, tuple[Scalar, Text]]  # of a field: its value, and who says so
MAX_SHOWN = 6
_KEY = regex(r"(?m)^[ \t]*(?:- )?[\"']?([A-Za-z_][\w.-]*)[\"']?[ \t]*[:=]")


def values_of(session: Session) -> Values | None:
    """What is stated of the run; None before the first look."""
    if not session.evidence.runs:
        return None
    config = session.evidence.fact(RunConfig)
    return {name: found for name in FIELDS if config and (found := _stated(session, config, name))}


def _stated(session: Session, config: RunConfig, name: str) -> tuple[Scalar, Text] | None:
    origin = config.origin(name)
    if origin is None or not config.stated(name):
        return None
    if origin.span is None:
        return config.get(name), words.YOUR_ANSWER
    file = shown_file(session, origin.span.file)
    return config.get(name), placed(file, origin.span.line, None)


def overruled(session: Session, name: str, value: Scalar) -> Text | None:
    """What the files say of a field that the user gives another value, and where."""
    values = values_of(session)
    old = values.get(name) if values else None
    if old is None or old[0] == value or old[1] == words.YOUR_ANSWER:
        return None
    return words_keep.OVERRULES.fill(value=old[0], where=old[1])


def set_aside(session: Session) -> dict[str, Scalar]:
    """The values that were said before any file was read, taken out: the files may say otherwise."""
    config = session.evidence.fact(RunConfig)
    read = config is not None and any(
        v.origin.source in ("file", "printed") for v in config.values.values()
    )
    if read or not session.case.files:
        return {}
    given = session.case.given
    aside = {name: given[name] for name in session.quotes if name in given}
    _give(session, {n: v for n, v in given.items() if n not in aside})
    return aside


def held_against(session: Session, aside: Mapping[str, Scalar]) -> tuple[list[Line], bool]:
    """Where the files state what was said otherwise, that the files count; and whether any value
    that no file states was given again, so that it has to be looked once more."""
    found, lines, again = values_of(session) or {}, [], {}
    for name, value in aside.items():
        if name not in found:
            again[name] = value
            continue
        read, where = found[name]
        del session.quotes[name]
        if read != value:
            told = words_keep.SAID_OTHERWISE.fill(
                said=shown(name, value), read=read, where=where, name=name, value=value
            )
            lines.append(Line(told, "warn"))
    _give(session, {**session.case.given, **again})
    return lines, bool(again)


def _give(session: Session, given: Mapping[str, Scalar]) -> None:
    session.case = replace(session.case, given=dict(given))


def other_values(before: Values | None, now: Values | None) -> Block | None:
    """The values that this look finds and the one before did not; what the user gave he knows."""
    if before is None or now is None:
        return None
    names = [n for n in FIELDS if before.get(n, (None,))[0] != now.get(n, (None,))[0]]
    names = [n for n in names if n not in now or now[n][1] != words.YOUR_ANSWER]
    if not names:
        return None
    lines = [Line(words_keep.OTHER_VALUES, "strong")]
    lines += [_change(n, before.get(n), now.get(n)) for n in names[:MAX_SHOWN]]
    if len(names) > MAX_SHOWN:
        lines.append(Line(words_keep.AND_OTHERS.fill(n=len(names) - MAX_SHOWN), "muted", indent=2))
    return Block("medic", tuple(lines))


def _change(name: str, old: tuple[Scalar, Text] | None, new: tuple[Scalar, Text] | None) -> Line:
    if new is None:
        text = words_keep.NO_VALUE_NOW.fill(what=called(name), old=old[0] if old else "")
        return Line(text, mark="\u00b7 ", indent=2)
    if old is None:
        return Line(shown(name, new[0]), mark="\u00b7 ", indent=2, where=new[1])
    text = Text("{what}: {old} -> {new}", "{what}：{old} -> {new}")
    text = text.fill(what=called(name), old=old[0], new=new[0])
    return Line(text, mark="\u00b7 ", indent=2, where=new[1])


def unread_settings(talk: Consultation, text: str) -> None:
    """Says of settings none of which medic knows what it would take."""
    names = list(dict.fromkeys(found[1] for found in _KEY.finditer(text)))
    known = _known(talk.session.index)
    if not names or any(n.rpartition(".")[2].replace("-", "_").lower() in known for n in names):
        return
    hint = next((h for n in names if (h := did_you_mean(n, FIELDS)).en), Text("", ""))
    none = words_keep.NO_FIELD.fill(names=", ".join(names[:3]), hint=hint)
    talk.tell(Block("medic", (Line(none, "warn"), Line(words_keep.FIELDS_BY, "muted"))))


def _known(index: Index) -> set[str]:
    """The last parts of all keys that a framework is known to have."""
    found = set(FIELDS)
    for framework in index.frameworks.values():
        for name in (*(key.key for key in framework.keys), *framework.known):
            found.add(name.rpartition(".")[2].replace("-", "_").lower())
    return found
