"""What the user said and gave, as plain data: to be kept, and to be taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medic.records import replace
from medic.run_config import FIELDS, RunConfig
from medic.session.revisit import merged
from medic.told.stated import Stated
from medic.told.understood import Reading

if TYPE_CHECKING:
    from medic.session.consultation import Session


def said(session: Session) -> dict[str, Any]:
    """All that the user said and gave. Of what was pasted only how much: it grows at its end."""
    told, case = session.told, session.case
    return {
        "answers": [list(pair) for pair in session.answers],
        "unknown": list(session.unknown),
        "tried": list(session.tried),
        "prose": session.prose,
        "episode": session.episode,
        "words": told.words,
        "chosen": dict(told.chosen),
        "reported": {n: [r.outcome, r.quote, list(r.also)] for n, r in told.reported.items()},
        "answered": {n: [r.outcome, r.quote, list(r.also)] for n, r in told.answered.items()},
        "plain": [n for n, r in told.reported.items() if r.plain],
        "denied": dict(told.denied),
        "refused": told.refused,
        "ruled": dict(told.ruled),
        "held": list(told.held),
        "given": dict(case.given),
        "quotes": dict(session.quotes),
        "paths": list(case.paths),
        "left_out": list(session.left_out),
        "aside": dict(session.aside),
        "before": dict(session.before),
        "pastes": len(case.pastes),
    }


def say_again(session: Session, data: Mapping[str, Any]) -> None:
    """The session with what was said as ``data`` holds it; names that are no more are left out."""
    index, told = session.index, session.told
    checks = index.checks
    session.answers = [
        (n, o)
        for n, o in data["answers"]
        if n in index.symptoms or (n in checks and o in checks[n].outcomes)
    ]
    session.unknown = [n for n in data["unknown"] if n in checks or n in index.symptoms]
    session.tried = [n for n in data["tried"] if n in index.remedies]
    session.prose, session.episode = data["prose"], data["episode"]
    told.words, told.refused = data["words"], data["refused"]
    told.chosen = {n: w for n, w in data["chosen"].items() if n in index.symptoms}
    told.reported = {
        n: Reading(o, q, tuple(a), n in data.get("plain", ()))
        for n, (o, q, a) in data["reported"].items()
        if n in index.symptoms
    }
    told.answered = {
        n: Reading(o, q, tuple(a))
        for n, (o, q, a) in data["answered"].items()
        if n in checks and o in checks[n].outcomes
    }
    told.denied = {n: q for n, q in data.get("denied", {}).items() if n in index.symptoms}
    told.ruled = {n: q for n, q in data.get("ruled", {}).items() if n in index.causes}
    told.held = list(data.get("held", ()))
    session.aside = dict(data.get("aside", session.aside))
    session.before = dict(data.get("before", session.before))
    session.quotes = {n: q for n, q in data.get("quotes", {}).items() if n in FIELDS}
    session.refresh()


def take_back(session: Session, data: Mapping[str, Any]) -> bool:
    """What was said and given, as it was; True if the case is another now: the caller looks again."""
    out = session.aside, session.before
    say_again(session, data)
    case = session.case
    given = {n: v for n, v in data.get("given", case.given).items() if n in FIELDS}
    pastes = case.pastes[: data.get("pastes", len(case.pastes))]
    paths = tuple(data.get("paths", case.paths))
    left_out = list(data.get("left_out", session.left_out))
    session.case = replace(case, given=given, pastes=pastes, paths=paths)
    apart = out != (session.aside, session.before)
    if paths != case.paths or left_out != session.left_out or apart:
        session.left_out = left_out
        session.collect_again()
    elif pastes != case.pastes:
        session.case = merged(session.case, session.index, ())
    return session.case != case


def listen(session: Session) -> str:
    """What the case's text describes, "" where that was taken at an earlier look. The values that
    words alone state are given from here on, and no part of the description."""
    from medic.case.pasted import prose_of
    from medic.told.speakers import own_words
    from medic.told.stated import beside_values, reckonable

    case, index = session.case, session.index
    prose = prose_of(case.text, index) if case.text else ""
    if prose == session.prose:
        return ""
    session.prose = prose
    states = any(kind in part for part in case.parts for kind in ("config", "command"))
    if case.in_words and not states:  # files state their values themselves
        said = reckonable(own_words(prose), index)
        state(session, [v for v in said if v.field not in case.given])
    rest = beside_values(prose, index)
    return rest if any(map(str.isalnum, rest)) else prose


def state(session: Session, values: Sequence[Stated]) -> list[Stated]:
    """Takes values that the user states; those that were taken. The caller looks again.

    What a node has is no contradiction to what the files ask of it: it is kept beside them.
    """
    config = session.evidence.fact(RunConfig) or RunConfig()
    taken = [
        item._replace(field="node_gpus")
        if item.field == "gpus_per_node" and _files_say_otherwise(config, item)
        else item
        for item in values
    ]
    given = {item.field: item.value for item in taken}
    session.quotes |= {item.field: item.quote for item in taken}
    session.case = replace(session.case, given={**session.case.given, **given})
    return taken


def unstate(session: Session, name: str) -> None:
    """Takes a stated value back. The caller looks again."""
    session.quotes.pop(name, None)
    given = {n: v for n, v in session.case.given.items() if n != name}
    session.case = replace(session.case, given=given)


def _files_say_otherwise(config: RunConfig, item: Stated) -> bool:
    origin = config.origin(item.field)
    read = origin is not None and origin.source in ("file", "printed")
    return read and config.get(item.field) != item.value
