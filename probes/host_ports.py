"""Ports that the scripts name, beside the one at which the ranks of the launch meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import PortNamed, Source
from medic.probe import Look
from medic.text.patterns import regex

# --port 8000, --master_port $((20000 + RANDOM)), MASTER_PORT=…, port=6379, --rdzv_endpoint=$HEAD:$PORT
_NAMED = regex(
    r"(?:(?P<flag>--[\w-]*port)[= ]+|(?P<variable>\b(?:[A-Z_]*_)?(?:PORT|port))="
    r"|(?P<end>--rdzv[-_]endpoint)[= ]+[\"']?[^\s\"':]*:)"
    r"[\"']?(?P<value>\d{2,5}\b|\$\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|\$\([^()]*(?:\([^()]*\)[^()]*)*\)"
    r"|`[^`]+`|\$\{[^}]*\}|\$\w+)"
)
_MASTER = regex(r"master[-_]port|main[-_]process[-_]port|rdzv[-_]endpoint")
MAX_SCRIPT_LINES = 20_000
MAX_NAMED = 32
LAST_PORT = 65535


def named_ports(look: Look) -> Iterator[PortNamed]:
    """In the order of the lines; of a value that only the shell knows, as it is written."""
    count = 0
    for file in look.files("script"):
        with suppress(Unreadable):
            for number, line in look.lines(file.path):
                if number > MAX_SCRIPT_LINES or count >= MAX_NAMED:
                    break
                if line.lstrip().startswith("#"):
                    continue
                for found in _NAMED.finditer(line):
                    name = found["flag"] or found["variable"] or found["end"]
                    value = found["value"]
                    port = int(value) if value.isdecimal() else None
                    if port is not None and port > LAST_PORT:
                        continue
                    source = Source(file=file.path, line=number, text=line.strip())
                    meets = bool(_MASTER.search(name.lower()))
                    count += 1
                    yield PortNamed(name, value, port, meets, source)
