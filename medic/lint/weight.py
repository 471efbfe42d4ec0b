"""How heavy a finding is where it is not as its entry says, and what then follows from it."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Finding

_SAME = Text("the run is the same without it", "去掉后运行不受影响")


def severity(usual: str, finding: Finding) -> str:
    """That of the entry; what it only tells of is a warning where the probe calls it ``grave``, and
    what is ``mild`` is only told of. An error of which it is ``unsure``, since a release that is not
    known may be in use, is a warning."""
    if finding.value.get("mild"):
        return "info"
    if usual == "error" and finding.value.get("unsure"):
        return "warning"
    return "warning" if usual == "info" and finding.value.get("grave") else usual


def consequence(finding: Finding, usual: Text) -> Text:
    """That of the entry, or the probe's own ``then``; of what is ``mild`` none, or the text that it
    is."""
    if isinstance(then := finding.value.get("then"), Text):
        return then
    mild = finding.value.get("mild")
    return mild if isinstance(mild, Text) else _SAME if mild else usual
