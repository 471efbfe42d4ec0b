"""A flag that the command gives as False, and that the program prints as True: ``type=bool``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import SAYS, Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

CHECK = "boolean-flag-with-value"
MAX_LINES, MAX_LOGS = 20_000, 8
_FALSE = ("false", "no", "off")
# As argparse prints what it made of a command.
_MADE = regex(r"\bNamespace\((.+)\)")
_PAIR = regex(r"\b(\w{2,80})=True\b")
_TOLD = Text(
    "the command gives --{flag} {value}, and the program made it True: type=bool takes every word for "
    "true, as bool('False') is",
    "命令里写的是 --{flag} {value}，程序却得到 True：type=bool 把任何非空的词都当作真，bool('False') 就是真",
)


def run(look: Look) -> Iterator[Finding]:
    off = {s.path[-1]: s for s in config_of(look).settings if _is_off(s)}
    for log in look.files("log")[:MAX_LOGS] if off else ():
        with suppress(Unreadable):  # told by the probe that reads the log
            for number, text in islice(look.lines(log.path), MAX_LINES):
                made = _MADE.search(text) if "Namespace(" in text else None
                names = [name for name in _PAIR.findall(made[1]) if name in off] if made else []
                if names:
                    at = Source(log.name, number, text=text.strip()[:400])
                    yield _found(off[names[0]], names[0], at)
                    return


def _is_off(setting: Setting) -> bool:
    written = setting.written or str(setting.value)
    return bool(setting.path) and setting.origin.syntax == "shell" and written.lower() in _FALSE


def _found(setting: Setting, name: str, at: Source) -> Finding:
    value = setting.written or str(setting.value)
    told = _TOLD.fill(flag=name, value=value)
    place = source_of(setting.origin, f"--{name} {value}")
    values = {"flag": f"--{name}", "value": value, "correct": "", SAYS: told}
    return Finding(CHECK, "fires", values, place, (at,), exact=True)


PROBE = Probe(
    name="printed-true",
    title=Text("flags given as False and printed as True", "传入 False 却打印为 True 的选项"),
    tells=(CHECK,),
    needs=(LogHits, RunConfig),
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
