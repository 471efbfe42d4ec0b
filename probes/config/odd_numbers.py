"""The probe of whole numbers that PyYAML reads otherwise than they look: octal ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from medic.errors import Unreadable
from medic.facts import Repair, Rewritten, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import FIELDS, Origin, RunConfig

ODD = "number-read-otherwise"
_LOADER = "yaml-1.1"
_OCTAL = re.compile(rb"[-+]?0[0-7_]+")
_DECIMAL = Text("the number without its leading zero", "去掉前导零")
_MAX_BYTES = 2 * 1024 * 1024


def run(look: Look) -> Iterator[Finding]:
    """Of keys that state a number, in files of frameworks that read with PyYAML."""
    config = look.fact(RunConfig)
    loaders = {f.name: f.yaml_floats for f in look.frameworks}
    origins = _origins(config, loaders)
    fired = False
    for given in look.files("config"):
        data = _data(look, given.path) if given.path in origins else b""
        for origin in origins.get(given.path, ()):
            span = origin.span
            raw = data[span.start : span.end] if span else b""
            number = _loaded(raw)
            if span is not None and number is not None:
                fired = True
                written = raw.decode()
                value = {"key": ".".join(origin.path), "raw": written, "number": number}
                source = Source(given.name, span.line, text=f"{origin.key}: {written}")
                meant = int(written.replace("_", ""))
                step = Rewritten(span, "yaml", origin.path[-1], meant)
                repair = Repair((step,), safe=False, why=_DECIMAL)
                yield Finding(ODD, "fires", value, source, span=span, repair=repair)
    if origins and not fired:
        yield Finding(ODD, "passes")


def _origins(config: RunConfig, loaders: Mapping[str, str]) -> dict[str, list[Origin]]:
    """Where each file states numbers that PyYAML reads."""
    found: dict[str, list[Origin]] = {}
    for field, value in config.values.items():
        for origin in value.carriers() if FIELDS[field][0] in (int, float) else ():
            read = origin.syntax == "yaml" and loaders.get(origin.framework) == _LOADER
            if origin.span is not None and read:
                found.setdefault(origin.span.file, []).append(origin)
    return found


def _data(look: Look, path: str) -> bytes:
    try:
        with look.open(path, _MAX_BYTES) as handle:
            return handle.read(_MAX_BYTES)
    except Unreadable:
        return b""


def _loaded(raw: bytes) -> int | None:
    """What PyYAML makes of a number with a leading zero; None where that is the same number."""
    if not _OCTAL.fullmatch(raw):
        return None
    text = raw.decode().replace("_", "")
    number = int(text, 8)
    return number if number != int(text) else None


PROBE = Probe(
    name="config-odd-numbers",
    tells=(ODD,),
    run=run,
    needs=(RunConfig,),
    seconds=0.01,
    limit_seconds=5,
)
