"""What ``medic diagnose`` does, apart from its options: a start of plain paths loads no parser."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from medic.commands.given import case_of, console, knowledge
from medic.errors import Exit, UsageError
from medic.i18n import Text, follow
from medic.nearest import did_you_mean
from medic.planner.verdict import CLEAN
from medic.report.console import Console
from medic.runner.run import Progress
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis


def diagnose(
    paths: Sequence[str],
    *,
    given: Sequence[str] = (),
    run: str = "",
    this_host: bool | None = None,
    form: str = "text",
    as_json: bool = False,
    answers: Sequence[str] = (),
    baseline: str = "",
    say: str = "",
    numbers: bool = False,
    exit_zero: bool = False,
    redact: bool = False,
) -> int:
    """Prints the cause, the evidence and the change. Returns the exit code."""
    out = console(redact=redact)
    index = knowledge()
    session = Session(index, case_of(paths, given, run, this_host, index))
    out.aliases = session.case.aliases
    session.look(_progress())
    follow(f"{say}\n{session.prose}")
    require_something_read(session)
    if baseline:
        _against(session, baseline, out)
    if say:
        session.complain(say)
    for name, outcome in _answers(answers, session):
        session.answer(name, outcome)
    found = session.diagnosis()
    if out.redact:
        from medic.redact.whole import redacted

        found = redacted(found, out.redact)
    render(out, session, found, "json" if as_json else form, numbers=numbers)
    return exit_code(found, exit_zero=exit_zero)


def _against(session: Session, path: str, out: Console) -> None:
    """Adds what differs from the run that worked. Raises UsageError where that cannot be read, or
    is the run itself."""
    from medic.baseline import compared, observed
    from medic.facts import SinceGood

    good = case_of((path,), ())
    own = {os.path.realpath(f.path) for f in session.case.files}
    if own and {os.path.realpath(f.path) for f in good.files} == own:
        raise UsageError(
            "--baseline: it is the run itself; give one that worked",
            "--baseline：这就是该次运行本身；请给出一次正常的运行",
            at=path,
        )
    out.aliases = {**session.case.aliases, **good.aliases}
    found = compared(session.evidence, good, session.index)
    session.evidence.facts[SinceGood] = found
    session.evidence.observed += observed(found)
    session.refresh()


def require_something_read(session: Session) -> None:
    """Raises UsageError if files were given, none could be read, and nothing was seen of them."""
    evidence = session.evidence
    told = any(not one.this_host for one in evidence.observed)  # as that a file is broken
    if session.case.files and not evidence.read and not session.case.parts and not told:
        why = evidence.not_read[0] if evidence.not_read else None
        raise UsageError(
            f"nothing could be read{': ' + why.en if why else ''}",
            f"没有可读取的内容{'：' + why.zh if why else ''}",
            at=why.file if why else session.case.files[0].name,
        )


def _progress() -> Progress | None:
    """One line on a terminal that names the probe at work."""
    if not sys.stderr or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return None

    def say(name: str, state: str) -> None:
        if state == "start":
            sys.stderr.write(f"\r\x1b[K{name} ...")
        else:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return say


def _answers(pairs: Sequence[str], session: Session) -> list[tuple[str, str]]:
    """CHECK=OUTCOME pairs. Raises UsageError with the nearest name."""
    result = []
    for pair in pairs:
        name, _, outcome = pair.partition("=")
        check = session.index.checks.get(name)
        known = check is not None or name in session.index.symptoms
        if not known:
            raise _unknown(name, [*session.index.checks, *session.index.symptoms])
        outcomes = list(check.outcomes) if check else ["present", "absent"]
        if outcome not in outcomes:
            raise _unknown(outcome, outcomes)
        result.append((name, outcome))
    return result


def _unknown(word: str, names: Sequence[str]) -> UsageError:
    first = ", ".join(names[:8])
    hint = did_you_mean(word, names)
    if not hint.en:
        hint = Text(f"; there are: {first}", f"；可选：{first}")
    return UsageError(f'--answer: no "{word}"{hint.en}', f"--answer：没有 “{word}”{hint.zh}")


def render(
    out: Console, session: Session, found: Diagnosis, form: str, *, numbers: bool = False
) -> None:
    """Prints a diagnosis in one of its forms."""
    if form == "json":
        from medic.report import jsonform
        from medic.report.dumps import dumps

        out.raw(dumps(jsonform.diagnosis(session, found)))
    elif form == "markdown":
        from medic.report import markdown

        out.out(markdown.diagnosis(session, found, out.redact or str))
    else:
        from medic.report import text

        text.diagnosis(out, session, found, numbers=numbers)


def exit_code(found: Diagnosis, *, exit_zero: bool = False) -> int:
    if exit_zero or found.alone in CLEAN:
        return Exit.OK
    return Exit.FINDING
