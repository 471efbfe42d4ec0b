"""The probe of an engine's file that a configuration names, where no script is given with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from medic.facts import LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, source_of
from medic.run_config import RunConfig, Setting

from ..config.several import of_each
from .named_in_configs import bare_file

PATH = "path-wrong-or-forbidden"
_ABOVE = 4  # folders above a configuration, one of which the command starts in


def run(look: Look) -> Iterator[Finding | Skip]:
    if look.files("script") or look.has(LogHits):
        return  # where the command starts says the script, and what is there the run
    yield from of_each(look.fact(RunConfig), lambda config: list(_judged(look, config)))


def _judged(look: Look, config: RunConfig) -> Iterator[Finding]:
    values = {str(one.value) for one in config.settings if isinstance(one.value, str)}
    for setting in config.settings:
        span, path = setting.origin.span, bare_file(setting)
        if span is None or not path:
            continue
        own = Path(span.file).absolute().parent
        roots = (Path.cwd(), own, *list(own.parents)[:_ABOVE])
        if any((root / path).exists() for root in roots):
            continue
        if _another_is_beside(look, own, path, values) or _folder_is_there(own, path):
            value = {"path": path}
            yield Finding(
                PATH, "fires", value, source_of(setting.origin, _line(setting)), span=span
            )


def _line(setting: Setting) -> str:
    return f"{setting.origin.key}: {setting.value}"


def _another_is_beside(look: Look, folder: Path, path: str, named: set[str]) -> bool:
    """Whether a file of the same kind is given in the folder and no setting names it: the name, which
    has no folder, is looked for there."""
    given = (Path(file.path).absolute() for file in look.files("config") if file.named)
    alike = [one for one in given if one.parent == folder and one.suffix == PurePath(path).suffix]
    return "/" not in path and any(one.name not in named for one in alike)


def _folder_is_there(folder: Path, path: str) -> bool:
    """Whether the folder that a path names is there from one above, with other files of the kind."""
    within = PurePath(path).parent
    if within == PurePath() or ".." in within.parts:
        return False
    found = (above / within for above in list(folder.parents)[:_ABOVE])
    return any(one.is_dir() and next(one.glob("*.json"), None) is not None for one in found)


PROBE = Probe(
    name="absent-engines",
    title=Text("engine files that a configuration names", "配置所引用的引擎文件"),
    tells=(PATH,),
    run=run,
    needs=(RunConfig,),
    wants=(LogHits,),
    files=("config",),
    seconds=0.01,
    limit_seconds=5,
)
