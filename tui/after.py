"""After a remedy: the change written, the next run's log read, and what it shows."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

from medic.errors import MedicError
from medic.i18n import Text, plain
from medic.records import replace
from medic.runner.look import open_regular
from medic.text.patterns import regex

from . import words_after, words_more
from .events import Choices
from .lines import Block, Line, code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from medic.facts import GivenFile
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

    from .consultation import Consultation
    from .offers import Offer


_KEEPS = regex(r"\btee\b|(?<!2)>>?\s*(?!&|/dev/null)[\w$./{\"']|--log[-_]dir\b|--redirects\b")
MAX_SCRIPT = 64 * 1024
TELLS_NOTHING = ("older", "unread")  # of the change: the log of its run is still awaited
_NAMED = regex(r"(?<![\w/.$}-])(?:\.{1,2}/)*[\w-][\w./-]*\.(?:py|ya?ml|json|toml|sh)\b")


def apply(talk: Consultation, offer: Offer) -> None:
    """Writes the previewed change, tells how to take it back, and what to run to check it."""
    from medic.session.recheck import applied_now

    record = offer.fix.apply()
    files = ", ".join(record.files)
    talk.tell(code(offer.fix.diff, diff=True))
    what = words_more.CHANGE.fill(id=record.id, files=files)
    talk.remember(what, change=record.id)
    talk.files_changed()
    session = talk.session
    one = applied_now(session, record, offer.fix, offer.cause)
    session.applied.append(one)
    talk.tell(words_more.APPLIED.fill(id=record.id, files=files), "good", top=True)
    talk.tell(Block("more", (Line(words_more.TO_UNDO.fill(id=record.id), "muted"),)))
    if any(f.kind in ("log", "metrics") for f in session.case.files):
        talk.waiting = one
        talk.keep()
        to_check(talk, offer)
    else:
        talk.retell()


def to_check(talk: Consultation, offer: Offer) -> None:
    """What to run now, and how one sees that it helped."""
    command = command_of(talk.session, f"after-{talk.waiting.change}.log" if talk.waiting else "")
    talk.tell(words_after.RUN_THIS if command else words_after.RUN_AGAIN, "strong")
    if command:
        talk.tell(code(command))
        for told in _elsewhere(talk.session, talk.waiting.files if talk.waiting else ()):
            talk.tell(Block("more", (Line(told, "warn"),)))
    check = offer.fix.remedy.check
    if check:
        talk.tell(Block("more", (Line(words_after.IT_WORKED_IF.fill(check=check)),)))
    if talk.demo:
        talk.tell(Block("more", (Line(words_after.IN_THE_DEMO, "muted"),)))
    ask(talk)


def ask(talk: Consultation) -> None:
    """Whether the next run has been made."""
    options = (
        ("read", words_after.READ_NEW),
        ("undo", words_after.TAKE_BACK),
        ("later", words_after.LATER),
        *((("anew", words_after.ANEW),) if talk.by_itself else ()),
    )
    talk.offer_choices(Choices("after", "", options), Line(words_after.DID_YOU_RUN, "strong"))


def choose(talk: Consultation, value: str) -> None:
    """What the user picked after a change."""
    if value == "read":
        recheck(talk)
    elif value == "undo":
        from .undoing import undo

        undo(talk, "")
    elif value == "anew":
        talk.waiting, talk.by_itself = None, False
        talk.look()
    else:
        talk.tell(words_after.WHENEVER)
        talk.ask()


def command_of(session: Session, log: str = "") -> str:
    """How the run is started: by the one script of the case; "" where there is none or several.

    ``log`` takes what the run says where the script itself writes none.
    """
    script = _script(session)
    if script is None:
        return ""
    path = Path(script.path)
    text = _text(path)
    runner = "sbatch" if "#SBATCH" in text else "bash"
    keeps = runner == "sbatch" or bool(_KEEPS.search(text))
    tail = "" if keeps or not log else f" 2>&1 | tee {shlex.quote(log)}"
    if _starts_from(path.parent, text):
        return f"(cd {shlex.quote(str(path.parent))} && {runner} {shlex.quote(path.name)}{tail})"
    return f"{runner} {shlex.quote(script.name)}{tail}"


def _script(session: Session) -> GivenFile | None:
    """The one script of the case; None where there is none, or several."""
    scripts = [f for f in session.case.files if f.kind == "script" and not f.name.startswith("<")]
    return scripts[0] if len(scripts) == 1 else None


def _elsewhere(session: Session, files: Sequence[str]) -> Iterator[Text]:
    """That the script reads another file of the same name than the one that was changed."""
    script = _script(session)
    text = _text(Path(script.path)) if script is not None else ""
    for file in map(Path, files):
        named = [Path(word) for word in re.findall(rf"[\w./-]*/{re.escape(file.name)}\b", text)]
        for other in named:
            if other.is_absolute() and not (other.exists() and other.samefile(file)):
                name = script.name if script else ""
                yield words_after.READS_ANOTHER.fill(script=name, file=other)


def _starts_from(folder: Path, text: str) -> bool:
    """Whether the files that a script names are there seen from its own folder, not from here."""
    named = [Path(name) for name in _NAMED.findall(text)]
    own = [name for name in named if (folder / name).exists()]
    return bool(own) and not any(name.exists() for name in named)


def _text(path: Path) -> str:
    try:
        with open_regular(str(path)) as file:
            return file.read(MAX_SCRIPT).decode("utf-8", "replace")
    except (MedicError, OSError):
        return ""


def recheck(talk: Consultation, pasted: str = "") -> None:
    """Reads the log of the run after the change, a file or ``pasted``, and says what it shows."""
    from medic.session.recheck import outcome, take_new_logs

    one = talk.waiting
    if one is None:
        talk.look()
        return
    session = talk.session
    stood = session.case, session.evidence
    if not take_new_logs(session, one, pasted):
        _no_new_log(talk, one)
        return
    talk.waiting = None
    talk.observe()
    found = outcome(session, one)
    _TELL[found](talk, one)
    if found in TELLS_NOTHING:
        # An old log beside the changed files would show another fault than the one there is.
        session.case, session.evidence = stood
        session.refresh()
        ask(talk)
        talk.keep()
    else:
        session.applied = [replace(a, shown=found) if a == one else a for a in session.applied]
        talk.retell(whole=True)


def edited(talk: Consultation, *, stands: bool) -> bool:
    """Whether settings were edited by hand and no run had them yet; says so, and whether what was
    found ``stands`` or is worked out anew."""
    from medic.session.recheck import edited as edited_since

    names = edited_since(talk.session, talk.stood) if talk.stood is not None else []
    if not names or talk.waiting is not None:
        return False
    files = ", ".join(names)
    told = words_after.EDITED if stands else words_after.EDITED_READ
    lint = words_after.LINT_IT.fill(command=f"medic lint {shlex.join(names)}")
    talk.tell(Block("medic", (Line(told.fill(files=files), "warn"), Line(lint, "muted"))), top=True)
    return True


def late_settings(talk: Consultation) -> None:
    """Says of settings that were written long after the log that another run may have had them."""
    from medic.report.late_text import late

    if (told := late(talk.session)) is not None:
        talk.tell(Block("more", (Line(told, "warn"),)), top=True)


def since(talk: Consultation, before: Applied) -> None:
    """Says what another log shows of a fault that was seen before: mended by hand, or another."""
    from medic.session.recheck import another_log, outcome

    if talk.waiting is None and before.symptoms and another_log(talk.session, before):
        found = outcome(talk.session, before)
        if found in ("gone", "other"):
            _TELL[found](talk, before)


def _no_new_log(talk: Consultation, one: Applied) -> None:
    logs = [f for f in talk.session.case.files if f.kind in ("log", "metrics")]
    newest = max(logs, key=lambda f: f.modified, default=None)
    if newest is None:
        talk.tell(words_after.NO_LOG, "warn")
    else:
        at = time.strftime("%H:%M:%S", time.localtime(newest.modified))
        since = time.strftime("%H:%M:%S", time.localtime(one.time))
        told = words_after.OLD_LOG.fill(file=newest.name, at=at, since=since)
        talk.tell(told, "warn")
    ask(talk)


def _gone(talk: Consultation, one: Applied) -> None:
    titles = _titles(talk.session, one)
    talk.session.new_episode()
    talk.another_run()
    told = words_after.GONE if one.change else words_after.GONE_BY_HAND
    told = told.fill(titles=titles, change=one.change)
    talk.tell(told, "good", top=True)


def _same(talk: Consultation, one: Applied) -> None:
    for told in _elsewhere(talk.session, one.files):
        titles = _titles(talk.session, one)
        maybe = words_after.MAYBE_NOT_IN_FORCE.fill(titles=titles, change=one.change)
        talk.tell(Block("medic", (Line(maybe, "warn"), Line(told))), top=True)
        return
    talk.tell(words_after.SAME.fill(titles=_titles(talk.session, one)), "warn", top=True)
    talk.session.remedy_done(one.remedy, helped=False)


def _other(talk: Consultation, one: Applied) -> None:
    talk.session.new_episode()
    talk.another_run()
    talk.tell(words_after.OTHER.fill(titles=_titles(talk.session, one)), "strong", top=True)


def _unseen(talk: Consultation, _one: Applied) -> None:
    talk.tell(words_after.UNSEEN, top=True)


def _unread(talk: Consultation, one: Applied) -> None:
    talk.waiting = one
    talk.tell(words_after.UNREAD, "warn", top=True)


def _older(talk: Consultation, one: Applied) -> None:
    talk.waiting = one
    talk.tell(words_after.OLDER.fill(change=one.change), "warn", top=True)


def _not_in_force(talk: Consultation, one: Applied) -> None:
    """What the run shows is not the doing of a change that it did not have."""
    files = ", ".join(Path(file).name for file in one.files)
    titles = _titles(talk.session, one)
    told = words_after.NOT_IN_FORCE.fill(titles=titles, change=one.change, files=files)
    talk.tell(told, "warn", top=True)


def _titles(session: Session, one: Applied) -> Text:
    from .lines import joined

    known = [session.index.title(n) for n in one.symptoms if n in session.index.symptoms]
    return joined(known[:3], "”, “", "”、“") if known else plain("?")


_TELL = {
    "gone": _gone,
    "same": _same,
    "other": _other,
    "unseen": _unseen,
    "unread": _unread,
    "older": _older,
    "not-in-force": _not_in_force,
}
