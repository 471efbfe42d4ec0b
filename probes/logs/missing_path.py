"""Whether the path that is missing is one that the settings name, and whether it lies beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from medic.facts import LogHits, Source, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .evidence import failure

CHECK = "missing-path"
_MISSING = regex(r"\[Errno 2\] No such file or directory: '([^']+)'$")
_ABOVE = ("", ".", "/")


def run(look: Look) -> Iterator[Finding]:
    told = failure(look.fact(LogHits), look.fact(Tracebacks))
    found = _MISSING.search(told.message) if told else None
    if told is None or found is None or told.exception != "FileNotFoundError":
        return
    path = found.group(1)
    named = [s for s in look.fact(RunConfig).settings if _names(s, path)]
    if not named:
        return
    span = named[0].origin.span
    file = span.file if span is not None else ""
    value = {"path": path, "key": named[0].path[-1]}
    source = Source(file, span.line, text=f"{value['key']}: {named[0].value}") if span else Source()
    outcome = "beside-the-settings" if _is_beside(str(named[0].value), file) else "as-set"
    yield Finding(CHECK, outcome, value=value, source=source, more=(told.source,))


def _names(setting: Setting, path: str) -> bool:
    """Whether a setting's value is the path, as it is or below the folder of the process."""
    value = setting.value
    if not setting.path or not isinstance(value, str) or value.strip() in _ABOVE:
        return False
    if "/" not in value and "." not in value:
        return False
    plain = str(PurePosixPath(value.strip()))
    same = str(PurePosixPath(path))
    return same == plain or (not plain.startswith(("/", "..")) and same.endswith(f"/{plain}"))


def _is_beside(value: str, file: str) -> bool:
    """Whether a relative path is there, seen from the file that names it."""
    relative = not value.startswith(("/", "~", "$"))
    return bool(file) and relative and (Path(file).absolute().parent / value).exists()


PROBE = Probe(
    name="missing-path",
    title=Text("the path that is missing", "缺失的路径"),
    tells=(CHECK,),
    needs=(LogHits, Tracebacks, RunConfig),
    seconds=0.01,
    run=run,
)
