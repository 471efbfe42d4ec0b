"""A folder that one rank could not make because another one had just made it."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Traceback, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK = "missing-path"
_EXISTS = regex(r"\[Errno 17\] File exists: '([^']+)'$")
_MAKES = regex(r"\b(?:makedirs|mkdir)\((?!.*exist_ok\s*=\s*True)")


def run(look: Look) -> Iterator[Finding]:
    failed: dict[int, tuple[Traceback, str, str]] = {}
    for told in look.fact(Tracebacks).all:
        exists = _EXISTS.search(told.message) if told.exception == "FileExistsError" else None
        makes = next((f.code for f in told.frames if _MAKES.search(f.code)), "")
        if exists and makes and told.uncaught and told.source.rank is not None:
            failed.setdefault(told.source.rank, (told, exists[1], makes.strip()))
    ranks = max(config_of(look).integer("world_size") or 0, len(look.fact(LogHits).ranks))
    # A folder that was there before stops every rank.
    if not failed or len(failed) >= ranks:
        return
    told, path, code = failed[min(failed)]
    value = {"path": path, "rank": told.source.rank, "code": code, "count": len(failed)}
    yield Finding(CHECK, "made-by-another-rank", {**value, "ranks": ranks}, told.source)


PROBE = Probe(
    name="folder-race",
    title=Text("a folder that several ranks make", "多个 rank 同时创建的目录"),
    tells=(CHECK,),
    needs=(LogHits, Tracebacks),
    wants=(RunConfig,),
    run=run,
    seconds=0.01,
    limit_seconds=5.0,
)
