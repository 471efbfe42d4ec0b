"""The sentence that a finding says, with its values filled in."""

from __future__ import annotations

from typing import Any

from medic.entries.words import TELLTALE
from medic.facts import Counted
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.probe import SAYS, Finding

# An outcome's title alone, "not at all", says nothing without what was asked.
_ANSWER = Text("{check}: {outcome}", "{check}：{outcome}")


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
    check = index.checks[finding.name]
    outcome = check.outcomes[finding.outcome]
    if outcome.seen and _has_all(outcome.seen, finding):
        return outcome.seen.fill(_worded(index, finding))
    told = outcome.title.fill(_worded(index, finding))
    if finding.name == TELLTALE or finding.name in index.lint_names:
        return told
    return _ANSWER.fill(check=check.title, outcome=told)


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
