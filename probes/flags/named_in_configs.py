"""Configurations that a configuration names, where it is known which folder the command starts in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path, PurePath

from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

# transformers training_args.py, axolotl, accelerate: opened as they stand, from the folder that the
# command starts in.
_KEYS = frozenset(("deepspeed", "deepspeed_config_file"))
_FILE = regex(r"[\w.+@-][\w./+@-]*\.json")


def named_files(
    config: RunConfig, base: Path, named: Collection[str], text: str
) -> Iterator[tuple[Setting, bool]]:
    """(key, whether its file is there) of the configurations that a script in ``base`` names by the
    paths ``named``, and that lie there; ``text``: of the script, which may make files itself."""
    for setting in config.settings:
        value, span = bare_file(setting), setting.origin.span
        if span is None or not value:
            continue
        own = Path(span.file).absolute()
        roots = [r for r in {base, Path.cwd()} if any((r / one).absolute() == own for one in named)]
        if not roots:
            continue
        there = any((root / value).exists() for root in (*roots, own.parent, base))
        folder = PurePath(value).parent
        if there:
            yield setting, True
        elif PurePath(value).name not in text and any(_holds_some(r / folder) for r in roots):
            yield setting, False


def bare_file(setting: Setting) -> str:
    """The relative path of an engine's file that a key names, else ""."""
    value = setting.value
    if not setting.path or setting.path[-1] not in _KEYS or not isinstance(value, str):
        return ""
    return value if _FILE.fullmatch(value) is not None and not value.startswith("/") else ""


def _holds_some(folder: Path) -> bool:
    """Whether configurations were brought along: else this one lies elsewhere with them."""
    return folder.is_dir() and next(folder.glob("*.json"), None) is not None
