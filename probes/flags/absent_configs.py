"""The probe of configurations that a command names and that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from medic.facts import GivenFile, Launch, Launches, LogHits, Word
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, source_of
from medic.records import replace
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from ..config.readers.command import Flag, flags
from .absent_programs import absent_hydra, absent_program
from .named_in_configs import named_files
from .script_text import ScriptText, read_script

PATH = "path-wrong-or-forbidden"
_CONFIGS = frozenset(
    ("config", "config_file", "deepspeed", "deepspeed_config", "deepspeed_config_file",
     "ds_config", "fsdp_config", "hostfile", "config_path")
)  # fmt: skip
_ENDINGS = (".yaml", ".yml", ".json", ".toml")
_MOVES = regex(r"(?m)(?:^|[;&|(]|\bthen|\bdo)\s*(?:cd|pushd|git\s+clone|wget|curl)\b")
_PLAIN = regex(r"[\w.+@-][\w./+@-]*")
_NEEDS = Text(
    "a script whose command names a configuration file, in the folder that it starts in",
    "点名了配置文件的启动脚本，且位于其启动目录",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    judged: list[bool] = []
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is None or given.name.startswith("<") or _moves(script):
            continue
        own = [one for one in launches if one.span.file == given.path]
        for flag, there in (one for launch in own for one in _judged(look, script, given, launch)):
            judged.append(there)
            if not there:
                source = script.at(flag.span)
                yield Finding(PATH, "fires", {"path": flag.value}, source, span=flag.span)
        for absent in (
            a for one in own for a in (*absent_program(script, one), *absent_hydra(script, one))
        ):
            judged.append(False)
            finding = Finding(
                PATH, "fires", {"path": absent.path}, script.at(absent.span), span=absent.span
            )
            yield replace(finding, repair=absent.repair)
        for setting, there in _of_configs(look, script, own):
            judged.append(there)
            if not there:
                place = setting.origin.span
                value = {"path": str(setting.value)}
                yield Finding(PATH, "fires", value, source_of(setting.origin), span=place)
    # The cause has other faces: of a run, paths that are there here do not speak against it.
    if all(judged) and not look.has(LogHits):
        yield Finding(PATH, "passes") if judged else Skip(needs=_NEEDS, check=PATH)


def _of_configs(
    look: Look, script: ScriptText, launches: Sequence[Launch]
) -> Iterator[tuple[Setting, bool]]:
    """Of the configurations that the commands name."""
    words = (w for one in launches for w in (*one.launcher_words, *one.arguments))
    named = {path for word in words if (path := _literal(word)).endswith(_ENDINGS)}
    if named:
        base = Path(script.file).absolute().parent
        yield from named_files(config_of(look), base, named, script.text)


def _judged(
    look: Look, script: ScriptText, given: GivenFile, launch: Launch
) -> Iterator[tuple[Flag, bool]]:
    """(flag, whether its file is there) of the configurations that the command names, where the
    folder that it starts in is known: some other file that it names lies there, or the folder of
    the path itself is there.
    """
    base = Path(given.path).absolute().parent
    words = (*launch.launcher_words, *launch.arguments)
    paths = [path for word in (*words, launch.script) if (path := _literal(word))]
    known = {PurePath(file.name).name for file in look.files("config", "model-config")}
    roots = [root for root in (base, Path.cwd()) if _is_root(root, paths)]
    for flag in (*flags(launch.launcher_words), *flags(launch.arguments)):
        path = flag.value or ""
        if flag.name.lstrip("-").replace("-", "_") not in _CONFIGS or not _is_config(path):
            continue
        name = PurePath(path).name
        if _is_there(path, (base, Path.cwd())):
            yield flag, True
        elif name in known or script.text.count(name) > 1:
            continue  # given from elsewhere, or something else in the script makes it
        elif roots or _folder_is_there(path, base) or _another_is_there(look, script, path):
            yield flag, False


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
    named = any(part not in (".", "..") for part in folder.parts)
    return named and (base / folder).is_dir()


def _another_is_there(look: Look, script: ScriptText, path: str) -> bool:
    """Whether beside the script a configuration of the same kind is given that it does not name: a
    name without folders is looked for there."""
    base, wanted = Path(script.file).absolute().parent, PurePath(path)
    beside = [
        one.name
        for file in look.files("config")
        if file.named and (one := Path(file.path).absolute()).parent == base
    ]
    unnamed = (one for one in beside if one not in script.text)
    alike = any(PurePath(one).suffix == wanted.suffix for one in unnamed)
    return alike and len(wanted.parts) == 1


PROBE = Probe(
    name="absent-configs",
    title=Text("configurations that a command names", "命令所引用的配置文件"),
    tells=(PATH,),
    run=run,
    wants=(Launches, RunConfig, LogHits),
    files=("script",),
    without=(Skip(_NEEDS, PATH),),
    seconds=0.01,
    limit_seconds=5,
)
