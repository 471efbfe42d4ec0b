"""A diagnosis as Markdown, to paste into an issue or a hand-over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from medic.i18n import Text
from medic.planner.verdict import NO_ANSWER
from medic.report.words import (
    CHANCE,
    IF_IT_IS,
    NEAREST,
    OTHERS,
    SAFE,
    UNSAFE,
    VERDICT,
    WEIGHT,
    WHAT_TO_DO,
    place,
)
from medic.session.both import both
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis, EvidenceLine
from medic.session.foreign import own_command
from medic.session.undecided import IF_SO, not_established, recommends, suspects, would_show
from medic.session.unlike import rate_set_otherwise
from medic.text.safetext import for_markdown


def diagnosis(session: Session, found: Diagnosis, hide: Callable[[str], str] = str) -> str:
    """The whole answer; text from the case is escaped or fenced. ``hide``: what becomes of the
    texts that are not in ``found`` before they are escaped."""
    parts = [f"# medic: {VERDICT[found.verdict]}", ""]
    if session.told.words and (words := both(session, found)) is not None:
        parts += [for_markdown(hide(str(words))), ""]
    if (rates := rate_set_otherwise(session, found)) is not None:
        parts += [for_markdown(hide(str(rates))), ""]
    shown = would_show(session, suspects(found))
    unanswered = found.verdict in NO_ANSWER
    if unanswered:
        parts += _section(Text("What was seen", "观察到的现象"), found.symptoms)
    elif found.causes:
        parts += _cause(session, found, shown, hide)
    parts += _section(Text("Consequences", "后果"), found.consequences)
    others = found.causes if unanswered else found.causes[1:]
    if others and found.verdict != "established":
        parts += [f"## {NEAREST if unanswered else OTHERS}", ""]
        for cause in others:
            parts.append(f"- {cause.title} (`{cause.name}`): {CHANCE[cause.word]}")
            parts += _if_so(shown.get(cause.name), "  ")
        parts.append("")
    for cause in found.also_wrong:
        parts += [f"## {Text('Also wrong', '另有问题')}: {cause.title}", ""]
        parts += _evidence(cause.evidence)
    parts += _section(Text("Not explained", "未能解释"), found.unexplained)
    if found.not_checked:
        parts += [f"## {Text('Not checked', '未检查')}", ""]
        parts += [f"- `{name}`: {for_markdown(needs)}" for name, needs in found.not_checked]
    return "\n".join(parts).rstrip()


def _cause(
    session: Session, found: Diagnosis, shown: Mapping[str, Text], hide: Callable[[str], str]
) -> list[str]:
    view = found.causes[0]
    cause = session.index.causes[view.name]
    parts = [f"**{cause.title}** (`{view.name}`, {view.code}): {CHANCE[view.word]}", ""]
    if (why := not_established(session, found)) is not None:
        parts += [for_markdown(hide(str(why))), ""]
        own = _if_so(shown.get(view.name))
        parts += [*own, ""] if own else []
    parts += [str(cause.why), "", f"## {Text('Evidence', '证据')}", ""]
    parts += _evidence(view.evidence)
    parts += [f"## {WHAT_TO_DO if recommends(found) else IF_IT_IS}", ""]
    for i, fix in enumerate(session.fixes(view.name), start=1):
        safe = SAFE if fix.safe else UNSAFE
        parts.append(f"{i}. {fix.remedy.title} ({safe})")
        if fix.filled:
            parts.append(f"   {fix.text}")
        if fix.diff:
            parts += ["", "```diff", fix.diff.rstrip().replace("```", "'''"), "```"]
        own = [own_command(session, t) for t in (fix.remedy.command, fix.remedy.snippet)]
        for code in filter(None, (own[0].strip(), own[1].strip("\n"))):
            parts += ["", "```", code, "```", ""]
    for advice in cause.do_not:
        parts.append(f"- **{Text('Do not', '不要')}**: {advice.say}")
    return [*parts, ""]


def _if_so(told: Text | None, indent: str = "") -> list[str]:
    """What a suspect would show that the others would not."""
    return [indent + for_markdown(str(IF_SO.fill(told=told)))] if told is not None else []


def _evidence(lines: Iterable[EvidenceLine]) -> list[str]:
    rows = []
    for line in lines:
        source = line.source
        where = f" `{place(source.file, source.line, source.rank)}`" if source.file else ""
        weight = f" ({WEIGHT[line.weight]})" if line.weight in WEIGHT else ""
        rows.append(f"- {for_markdown(str(line.sentence))}{weight}{where}")
        if source.text:
            rows += ["", "      " + source.excerpt(160), ""]
    return [*rows, ""]


def _section(title: Text, lines: Iterable[EvidenceLine]) -> list[str]:
    rows = _evidence(lines)
    return [f"## {title}", "", *rows] if len(rows) > 1 else []
