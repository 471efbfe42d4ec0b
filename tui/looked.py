"""/probes: what was found, where nothing is wrong, and what was not looked at for lack of what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.report.words import file_name
from medic.run_config import FIELDS
from medic.runner.registry import title_of

from . import words, words_keep
from .lines import Block, Line, joined, said
from .needs import ANSWER, is_reason, need
from .probing import abnormal

if TYPE_CHECKING:
    from medic.runner.evidence import Run
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView

NAMED = 3  # checks that one line names
SHOWN_GAPS = 8
LEAST_GAPS = 4  # of what lacks, lines that are shown however few tell of the suspects


def in_full(session: Session, suspects: Sequence[CauseView], *, every: bool = False) -> Block:
    """All of it, in words; of what was not checked what tells most, or ``every``."""
    if not session.evidence.runs:
        return said(words.NO_PROBES, who="probe")
    lines = [*_found(session), *_failed(session), *_quiet(session)]
    gaps = list(gap_lines(session, 0 if every else SHOWN_GAPS, suspects, word="/probes all"))
    if gaps:
        lines += [Line(words_keep.OPEN, "strong"), *gaps]
    for item in session.evidence.not_read:
        why = Text(item.en, item.zh)
        lines.append(Line(words.NOT_READ.fill(file=file_name(item.file), why=why), "muted"))
    return Block("probe", tuple(lines))


def _found(session: Session) -> Iterator[Line]:
    """Each look that found something, with its findings and their places."""
    told = [(n, r, f) for n, r in session.evidence.runs.items() if (f := abnormal(session, r))]
    if told:
        yield Line(words_keep.FOUND_BY, "strong")
    for name, run, findings in told:
        here = words.THIS_MACHINE if _of_this_machine(session, run) else None
        yield Line(title_of(name), indent=2, aside=here)
        yield from (Line(text, "plain", "\u00b7 ", 4, where=at) for text, at in findings)


def _failed(session: Session) -> Iterator[Line]:
    for name, run in session.evidence.runs.items():
        if run.state == "failed":
            text = words_keep.FAILED.fill(probe=title_of(name), error=run.error)
            yield Line(text, "warn", "! ", 2)


def _quiet(session: Session) -> Iterator[Line]:
    """Those that found nothing wrong: what they read, and where there may have been nothing."""
    for state, title in (("found", words_keep.NOTHING_WRONG), ("absent", words_keep.NOTHING_THERE)):
        runs = session.evidence.runs.items()
        quiet = [n for n, r in runs if r.state == state and not abnormal(session, r)]
        if quiet:
            yield Line(title, "strong")
            titles = dict.fromkeys(title_of(name) for name in quiet)
            yield Line(joined(titles), "muted", indent=2)


def _of_this_machine(session: Session, run: Run) -> bool:
    return run.probe.reads != "artefacts" and not session.evidence.host_is_the_runs


# --- what was not looked at -----------------------------------------------------------------


def gap_lines(
    session: Session, most: int = 0, suspects: Sequence[CauseView] = (), *, word: str = ""
) -> Iterator[Line]:
    """What was not checked by what it lacks: first what would tell of the ``suspects``, then what
    most lack; ``most`` lines (0: all), ``word`` lists the others."""
    bears = _bearing(session, suspects)

    def place(one: tuple[Text, dict[str, Text]]) -> tuple[float, bool, int]:
        needs, checks = one
        weight = max((bears.get(check, 0.0) for check in checks), default=0.0)
        return -weight, _of_one_framework(needs), -len(checks)

    gaps = sorted(_gaps(session).items(), key=place)
    telling = sum(place(gap)[0] < 0 for gap in gaps)
    if telling:  # what else was not checked is of little use to who goes on from here
        most = min(most, max(telling, LEAST_GAPS))
    for needs, checks in gaps[: most or None]:
        text = Text("{needs}: {titles}", "{needs}\uff1a{titles}")
        first = sorted(checks, key=lambda check: -bears.get(check, 0.0))
        titles = list(dict.fromkeys(checks[check] for check in first))
        text = text.fill(needs=needs, titles=_few(titles))
        yield Line(text, "muted", "? ", 2)
    if most and len(gaps) > most:
        more = words.AND_MORE if word else words_keep.AND_OTHERS
        yield Line(more.fill(n=len(gaps) - most, word=word), "muted", indent=4)


def _gaps(session: Session) -> Mapping[Text, dict[str, Text]]:
    """What is lacking -> the names and titles of the checks and looks that lack it."""
    found: dict[Text, dict[str, Text]] = {}
    for name, run in session.evidence.runs.items():
        for skip in run.skips:
            title = session.index.title(skip.check) if skip.check else title_of(name)
            found.setdefault(_lack(skip.needs), {})[skip.check or name] = title
    for name in session.unknown:
        found.setdefault(ANSWER, {})[name] = session.index.title(name)
    return found


def _bearing(session: Session, suspects: Sequence[CauseView]) -> dict[str, float]:
    """Checks, symptoms and probes that tell of the suspects, with the chance of the likeliest."""
    found: dict[str, float] = {}
    for suspect in suspects:
        shows = session.index.causes[suspect.name].shows
        links = session.index.links(suspect.name)
        for name in (*(s.symptom for s in shows), *(link.check for link in links)):
            found[name] = max(found.get(name, 0.0), suspect.chance)
    for name, run in session.evidence.runs.items():
        found[name] = max((found.get(told, 0.0) for told in run.probe.tells), default=0.0)
    return found


def _of_one_framework(needs: Text) -> bool:
    """Whether it is a key of some framework: the least likely to be of use here."""
    return needs.en == needs.zh and needs.en not in FIELDS


def _lack(needs: Text) -> Text:
    return needs if is_reason(needs) else need(needs)


def _few(titles: list[Text]) -> Text:
    shown = joined(titles[:NAMED], "; ", "\uff1b")
    if len(titles) <= NAMED:
        return shown
    return words.AND_N.fill(titles=shown, n=len(titles) - NAMED)
