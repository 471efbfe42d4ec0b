"""The sentence that a finding says, with its values filled in."""

from __future__ import annotations

from typing import Any

from medic.entries.words import TELLTALE
from medic.facts import Counted
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.probe import SAYS, Finding


def finding_text(index: Index, finding: Finding) -> Text:
    """What is seen, in the words of the finding itself, else of its entry."""
    said = finding.value.get(SAYS)
    if isinstance(said, Text):
        return said.fill(_worded(index, finding))
    symptom = index.symptoms.get(finding.name)
    if symptom is not None:
        pattern = (
            symptom.seen if symptom.seen and _has_all(symptom.seen, finding) else symptom.title
        )
        return pattern.fill(_worded(index, finding))
    outcome = index.checks[finding.name].outcomes[finding.outcome]
    pattern = outcome.seen if outcome.seen and _has_all(outcome.seen, finding) else outcome.title
    return pattern.fill(_worded(index, finding))


def question_of(index: Index, finding: Finding) -> Text | None:
    """What was asked, where the finding is told by the title of its outcome alone: "not at all" says
    nothing without it."""
    if finding.name in index.symptoms or finding.name == TELLTALE or SAYS in finding.value:
        return None
    check = index.checks[finding.name]
    seen = check.outcomes[finding.outcome].seen
    if finding.name in index.lint_names or (seen and _has_all(seen, finding)):
        return None
    return check.title


def _worded(index: Index, finding: Finding) -> dict[str, Any]:
    """The values of a finding; a symptom that is one of them by its title."""
    known = index.symptoms
    return {
        key: known[value].title if isinstance(value, str) and value in known else _counted(value)
        for key, value in finding.value.items()
        if key != SAYS
    }


def _counted(value: object) -> object:
    """A number of lines is told as one."""
    if not Counted.is_count(value):
        return value
    return Text(f"{value} (by the count of logged lines)", f"{value}（按日志行数计）")


def _has_all(pattern: Text, finding: Finding) -> bool:
    blank = dict.fromkeys(finding.value, "")  # a value may hold braces of its own
    return "{" not in pattern.fill(blank).en
