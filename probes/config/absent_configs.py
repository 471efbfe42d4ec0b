"""The probe of configurations that a command names and that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from medic.facts import GivenFile, Launch, Launches, Source, Word
from medic.patterns import regex
from medic.probe import Finding, Look, Probe

from ..flags.script_text import ScriptText, read_script
from .readers.command import flags

PATH = "path-wrong-or-forbidden"
_CONFIGS = frozenset(
    ("config", "config_file", "deepspeed", "deepspeed_config", "deepspeed_config_file",
     "ds_config", "fsdp_config", "hostfile", "config_path")
)  # fmt: skip
_ENDINGS = (".yaml", ".yml", ".json", ".toml")
_MOVES = regex(r"(?m)(?:^|[;&|(]|\bthen|\bdo)\s*(?:cd|pushd|git\s+clone|wget|curl)\b")
_PLAIN = regex(r"[\w.+@-][\w./+@-]*")


def run(look: Look) -> Iterator[Finding]:
    launches = look.fact(Launches).launches
    found: list[Finding] = []
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is None:
            continue
        own = (one for one in launches if one.span.file == given.path)
        found += (one for launch in own for one in _missing(look, script, given, launch))
    yield from found or [Finding(PATH, "passes")]


def _missing(look: Look, script: ScriptText, given: GivenFile, launch: Launch) -> Iterator[Finding]:
    """Configurations that the command names, where the folder that it starts in is known: some
    other file that it names lies there, or the folder of the path itself is there.
    """
    base = Path(given.path).absolute().parent
    if given.name.startswith("<") or _moves(script):
        return
    words = (*launch.launcher_words, *launch.arguments)
    paths = [path for word in (*words, launch.script) if (path := _literal(word))]
    known = {PurePath(file.name).name for file in look.files("config", "model-config")}
    roots = [root for root in (base, Path.cwd()) if _is_root(root, paths)]
    for flag in (*flags(launch.launcher_words), *flags(launch.arguments)):
        path = flag.value or ""
        if flag.name.lstrip("-").replace("-", "_") not in _CONFIGS or not _is_config(path):
            continue
        name = PurePath(path).name
        if name in known or script.text.count(name) > 1 or _is_there(path, (base, Path.cwd())):
            continue  # something else in the script makes it, or it is there
        if roots or _folder_is_there(path, base):
            source = Source(script.name, flag.span.line, text=script.line_text(flag.span.line))
            yield Finding(PATH, "fires", {"path": path}, source, span=flag.span)


def _moves(script: ScriptText) -> bool:
    """Whether the script goes to another folder, or gets its files there."""
    return _MOVES.search(script.text) is not None


def _literal(word: Word | None) -> str:
    """A relative path that a word names; "" for anything else."""
    text = (word.value or "").rpartition("=")[2] if word is not None else ""
    path = _PLAIN.fullmatch(text) is not None and PurePath(text).suffix != ""
    return text if path and not text.startswith("/") else ""


def _is_config(path: str) -> bool:
    return _PLAIN.fullmatch(path) is not None and path.endswith(_ENDINGS)


def _is_root(root: Path, paths: Sequence[str]) -> bool:
    return any((root / path).is_file() for path in paths)


def _is_there(path: str, roots: Sequence[Path]) -> bool:
    return any((root / path).exists() for root in roots)


def _folder_is_there(path: str, base: Path) -> bool:
    folder = PurePath(path).parent
    return str(folder) not in (".", "..") and (base / folder).is_dir()


PROBE = Probe(
    name="absent-configs",
    tells=(PATH,),
    run=run,
    needs=(Launches,),
    seconds=0.01,
    limit_seconds=5,
)
