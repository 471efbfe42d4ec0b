"""Rows of Parquet and Arrow files, read by pyarrow in a process of its own.

A broken file can crash pyarrow or make it take all memory; then only that process ends. It is
medic's own code that runs there, and rows come back as lines of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.i18n import Text

from .items import Item

if TYPE_CHECKING:
    from .items import Opened

_CHILD = "from medic.probes.data.apart import child; child()"
_TOO_LONG = Text("a row of more than 64 MiB", "有一行超过 64 MiB")
_BROKE_OFF = Text("pyarrow broke off ({code})", "pyarrow 中途退出（{code}）")
MAX_LINE = 64 * 1024 * 1024
MEMORY = 8 * 1024**3  # bytes of address space; pyarrow alone maps about one


def rows(kind: str, path: str, opened: Opened) -> Iterator[Item]:
    """The items of a file; an early end of the process is one of them."""
    ended, code = False, 0
    with subprocess.Popen(
        [sys.executable, "-I", "-c", _CHILD, kind, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            while process.stdout is not None and not ended:
                line = process.stdout.readline(MAX_LINE)
                if not line:
                    break
                found = json.loads(line)
                if "whole" in found:
                    ended, opened.whole = True, found["whole"]
                    opened.sampled = _words(found["sampled"])
                else:
                    yield Item(
                        found["place"], found["row"], 0, found["fault"], _text(found["text"])
                    )
            code = process.wait()
        except ValueError:
            yield Item("rows", fault="cut-off", text=_TOO_LONG)
            return
        finally:
            process.kill()
    if not ended:
        yield Item("rows", fault="cut-off", text=_BROKE_OFF.fill(code=str(code)))


def _text(text: Any) -> str | Text:
    """What the process wrote: a pair for both languages."""
    return _words(text) or str(text)


def _words(sampled: Any) -> Text | None:
    return Text(*sampled) if isinstance(sampled, list) and len(sampled) == 2 else None


def child() -> None:
    """Writes the rows of the file that the arguments name to standard output."""
    from . import tables
    from .items import Opened

    kind, path = sys.argv[1:3]
    _limit()
    opened = Opened(kind, iter(()))
    read = tables.rows_of_parquet if kind == "parquet" else tables.rows_of_arrow
    with Path(path).open("rb") as file:
        for item in read(file, opened):
            said = item.text
            text = [said.en, said.zh] if isinstance(said, Text) else said
            _send({"place": item.place, "row": item.value, "fault": item.fault, "text": text})
    sampled = [opened.sampled.en, opened.sampled.zh] if opened.sampled else None
    _send({"whole": opened.whole, "sampled": sampled})


def _send(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record, default=_short) + "\n")


def _short(value: object) -> str:
    """Bytes, times and what else JSON does not know."""
    return f"<{len(value)} bytes>" if isinstance(value, bytes) else str(value)[:1000]


def _limit() -> None:
    """No more memory than a sample needs, where the system knows such limits."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return
