"""The only printer. stdout is the result, stderr is talk; nothing hostile passes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from medic.i18n import Text
from medic.text.safetext import clean, one_line, shortened

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}


class Console:
    """Writes cleaned text; colour only on a terminal that wants it."""

    def __init__(self, redact: Callable[[str], str] | None = None) -> None:
        self.redact = redact
        self.aliases: Mapping[str, str] = {}  # path -> how it is shown
        self.color = _is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and _wants_color()
        self.width = _width() if _is_terminal(sys.stdout) else 80

    def style(self, text: str, *names: str) -> str:
        """Marks text for colour; resolved when it is written."""
        if not self.color or not text:
            return clean(text)
        codes = ";".join(STYLES[n] for n in names)
        return f"\x1b[{codes}m{clean(text)}\x1b[0m"

    def styled(self, line: str) -> None:
        """A line built from ``style`` parts only; every part is clean already."""
        self._write(sys.stdout, line)

    def out(self, text: Text | str = "") -> None:
        self._write(sys.stdout, clean(str(text)))

    def talk(self, text: Text | str) -> None:
        self._write(sys.stderr, clean(str(text)))

    def error(self, text: Text | str) -> None:
        word = str(Text("error", "错误"))
        self._write(sys.stderr, one_line(f"{word}: {shortened(str(text))}"))

    def raw(self, data: str) -> None:
        """Machine output (JSON): its own escapes make it safe."""
        if self.redact and data[:1] in ("{", "["):
            import json

            from medic.redact.whole import redacted
            from medic.report.dumps import dumps

            data = dumps(redacted(json.loads(data), self.redact))  # before a quote was escaped
        self._write(sys.stdout, data)

    def _write(self, stream: TextIO | None, line: str) -> None:
        if stream is None:  # closed by the caller: there is nobody to tell
            return
        for path, shown in self.aliases.items():
            line = line.replace(path, shown)
        if self.redact:
            line = self.redact(line)
        try:
            stream.write(line + "\n")
        except UnicodeEncodeError:
            encoding = stream.encoding or "ascii"
            stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
        except BrokenPipeError:
            # The reader has gone (| head): what is left has nowhere to go.
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _width() -> int:
    try:
        return os.get_terminal_size().columns or 80
    except OSError:
        return 80


def _wants_color() -> bool:
    return os.environ.get("TERM", "") not in ("", "dumb")
