"""Lines of a text report: headings, wrapped paragraphs, quoted evidence, diffs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.report.console import Console
from medic.report.words import SIGN, WEIGHT, place
from medic.text.safetext import one_line, wrap

if TYPE_CHECKING:
    from medic.facts import Source
    from medic.session.diagnosis import EvidenceLine


class Blocks:
    """Writes the parts of a report to a console, wrapped to its width."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(40, min(console.width, 110))

    def heading(self, text: Text | str) -> None:
        self.console.styled("")
        self.console.styled(self.console.style(str(text), "bold"))

    def paragraph(self, text: Text | str, indent: str = "", first: str | None = None) -> None:
        lead = indent if first is None else first
        for i, line in enumerate(wrap(str(text), self.width - len(indent))):
            self.console.out((lead if i == 0 else indent) + line)

    def aside(self, text: Text | str) -> None:
        """A paragraph beside the report, on stderr."""
        for line in wrap(str(text), self.width):
            self.console.talk(line)

    def command(self, text: str, indent: str) -> None:
        """A command as it is typed: a line break within it would end it in a shell."""
        for i, line in enumerate(text.splitlines()):
            self.console.out(f"{indent}{'  ' if i else '$ '}{line}")

    def evidence(self, lines: Iterable[EvidenceLine]) -> None:
        """Each finding with its line; a line that stands above already is named, not repeated."""
        quoted: set[tuple[str, int]] = set()
        for line, weights in _once(lines):
            sign = SIGN.get(line.weight, ".")
            words = [WEIGHT[weight] for weight in weights if weight in WEIGHT]
            said = Text(", ".join(w.en for w in words), "，".join(w.zh for w in words))
            tail = Text(" ({words})", "（{words}）").fill(words=said) if words else ""
            self.paragraph(f"{line.sentence}{tail}", indent="    ", first=f"  {sign} ")
            for source in (line.source, *line.more[:2]):
                self.source(source, quoted)

    def source(self, source: Source, quoted: set[tuple[str, int]]) -> None:
        if not source.file:
            if source.text:  # what the user said, in their words
                self.console.out("      | " + source.excerpt(self.width - 8))
            return
        where = place(source.file, source.line, source.rank)
        self.console.styled("      " + self.console.style(where, "cyan"))
        if source.text and (source.file, source.line) not in quoted:
            quoted.add((source.file, source.line))
            self.console.out("      | " + source.excerpt(self.width - 8))

    def diff(self, text: str, indent: str = "    ") -> None:
        for line in text.splitlines():
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
            shown = one_line(line)
            if style:
                self.console.styled(indent + self.console.style(shown, style))
            else:
                self.console.out(indent + shown)


def _once(lines: Iterable[EvidenceLine]) -> Iterable[tuple[EvidenceLine, list[str]]]:
    """Each finding with all that it weighs: a symptom and a check may be told by one line, in the
    same words."""
    found: dict[tuple[str, str, int], tuple[EvidenceLine, list[str]]] = {}
    for line in lines:
        key = (line.text.en, line.source.file, line.source.line)
        weights = found.setdefault(key, (line, []))[1]
        weights += [line.weight] if line.weight not in weights else []
    return found.values()
