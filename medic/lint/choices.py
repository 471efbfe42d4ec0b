"""Findings of the arms that a script's caller chooses from: each arm is judged as a launch of its own.

What every arm shows is told as it is; what some show says which. What was found without a choice
stays, and is not told again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from medic.case.collect import Case
from medic.facts import Choice, Launches
from medic.i18n import Text
from medic.records import replace

if TYPE_CHECKING:
    from medic.lint.found import LintFinding, LintReport

_WITH = Text("with {which}: {what}", "当 {which} 时：{what}")
_OR, _OTHER = Text(" or ", " 或 "), Text("any other {name}", "{name} 为其他值")

_Place = tuple[str, str, int, int]


def with_choices(case: Case, report: LintReport, judge: Callable[[Case], LintReport]) -> LintReport:
    """The report with what only shows where one arm is taken; of several scripts with choices those of
    the first."""
    launches: Launches | None = report.facts.get(Launches)
    script, choices = next(iter(launches.choices.items()), ("", ())) if launches else ("", ())
    if not choices:
        return report
    told = {_place(one) for one in report.findings}
    found: dict[tuple[_Place, str], tuple[LintFinding, list[Choice]]] = {}
    for choice in choices:
        arm = judge(replace(case, chosen={script: choice}))
        for one in arm.findings:
            if _place(one) not in told:
                found.setdefault((_place(one), one.message.en), (one, []))[1].append(choice)
    more = [
        one if len(arms) == len(choices) else _labelled(one, script, arms)
        for one, arms in found.values()
    ]
    if not more:
        return report
    names = {one.name for one in more}
    every = sorted([*report.findings, *more], key=lambda f: (f.file, f.line, f.column))
    passed = tuple(name for name in report.passed if name not in names)
    gaps = tuple(gap for gap in report.not_checked if gap[0] not in names)
    return replace(report, findings=tuple(every), passed=passed, not_checked=gaps)


def _place(one: LintFinding) -> _Place:
    return one.name, one.file, one.line, one.column


def _labelled(one: LintFinding, script: str, arms: Sequence[Choice]) -> LintFinding:
    """The finding with its arms. What repairs it may spoil others, but for what stands in the arm."""
    told = [_named(arm) for arm in arms]
    which = Text(_OR.en.join(t.en for t in told), _OR.zh.join(t.zh for t in told))
    message = _WITH.fill(which=which, what=one.message)
    inside = len(arms) == 1 and arms[0].first <= one.line <= arms[0].last
    if inside and one.file.endswith(script.rpartition("/")[2]):
        return replace(one, message=message)
    return replace(one, message=message, fix=None, shown=(), by_hand=())


def _named(choice: Choice) -> Text:
    name = f"${choice.name}" if choice.name.isdigit() else choice.name
    if choice.pattern == "*":
        return _OTHER.fill(name=name)
    return Text(f"{name}={choice.pattern}", f"{name}={choice.pattern}")
