"""Paths that a launch names, as this machine has them: where it writes, what it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from medic.errors import Unreadable
from medic.facts import Launch, Launches, Place, Places, Source, UnknownPath
from medic.facts.host import PROGRAM
from medic.i18n import Text
from medic.probe import Look, Probe, config_of, source_of
from medic.records import replace
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .host_caches import beside_output
from .host_parts import is_relative, lies_at, place_of
from .host_resumed import names_one, unfit, where_absent

# Keys of what is read before the first step. "load" may name a checkpoint that does not exist yet:
# Megatron then starts from random weights.
_READ = regex(
    r"(?:^|_)(?:data|dataset|datasets|corpus)(?:_?(?:path|paths|dir|file|files|prefix|folder|name))?$"
    r"|(?:^|_)(?:train|valid|validation|val|test|eval|blend|prompt)_?(?:data|files?|paths?|dir|sets?)"
    r"(?:_?(?:path|paths|dir|file|files|prefix))?$"
    r"|^(?:vocab|merge|merges|tokenizer)_?(?:file|model|path|name_or_path|dir)?$"
    r"|^(?:model|pretrained|pretrain|base_model|actor|reward_pretrain|model_name|checkpoint)"
    r"(?:_name)?(?:_or)?_?(?:path|dir)$|^(?:pretrained|pretrain|base_model|init_from)$"
    r"|^deepspeed(?:_config(?:_file)?)?$|^(?:hostfile|config_file|chat_template_path)$",
)
_WRITTEN = regex(r"save|output|cache|log|tensorboard|tmp|export|_to$|target")
_DATA_FILE = regex(r"\.(?:jsonl?|parquet|arrow|csv|tsv|txt|bin|idx|npy|model|zst|gz|yaml|yml)$")
_UNKNOWN = regex(r"[$`]|://|<|\{\{")
_MOVES = regex(
    r"(?:^|[;&|]|\bthen|\bdo|\s[\"'])\s*(?:cd|pushd)\s|^#SBATCH\s+(?:-D|--chdir)"
    r"|\s--(?:chdir|workdir|working-dir|cwd)[= ]"
)
# What the command itself reads: its program, and the configuration behind a flag for one or alone.
_CONFIG_FLAG = regex(r"(?:^|_)config(?:_?(?:file|path|yaml))?$")
_MADE_CONFIG = regex(r"save|output|dump|print|write|generate|export")
_CONFIG_FILE = regex(r"\.(?:ya?ml|toml|json)$")
_ALONE = regex(r"\.(?:ya?ml|toml)$")
_MAKES = regex(
    r">|<<|\b(?:cp|mv|ln|tee|sed|wget|curl|rsync|scp|envsubst|aws|gsutil|git|tar|unzip|gcsfuse|mount)\b"
    r"|\s--?o(?:ut\w*)?(?:[-_]\w+)?[=\s]"
)
_CONTAINER = regex(
    r"--container-(?:image|name)|\b(?:docker|podman|nerdctl)\s+(?:run|exec)\b"
    r"|\b(?:singularity|apptainer)\s+(?:exec|run)\b|\benroot\s+start\b|\bkubectl\s+"
)
_OUTPUTS = frozenset(("output_dir", "out_dir", "save_dir", "save_path", "save", "output_path"))
MAX_PATHS = 64
MAX_UNKNOWN = 8
MAX_OTHERS = 8
MAX_SCRIPT_LINES = 20_000


def run(look: Look) -> Iterator[Places]:
    config = config_of(look)
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    moves, contained = _elsewhere(look)
    moves = moves or next(filter(None, map(_beside, launches)), None)
    made = [*_makes(look, launches)]
    folders = [Path(launch.span.file).absolute().parent for launch in launches]
    named_here = (*_started(launches), *_inputs(config, launches))
    found = [p for p in named_here if p.exists or not _is_made(p.path, made)]
    found = [p for p in found if p.exists or not lies_at(p.path, folders)]
    output = _output(config)
    if output is not None:
        output = replace(output, sure=contained is None)
    named = {p.path: p for p in reversed(found)}  # the program and its configuration come first
    found = [p for p in found if named[p.path] is p]
    unsure = [_doubted(p, contained or (moves if is_relative(p.path) else None)) for p in found]
    left = "" if output is not None else next(filter(None, map(_left, launches)), "")
    unknown = tuple(_unknown(config, launches))[:MAX_UNKNOWN]
    beside = tuple(replace(p, sure=not contained) for p in beside_output(look, config))
    others = (replace(p, sure=contained is None) for p in _other_outputs(output, launches))
    yield Places(output, tuple(unsure), left, unknown, beside, tuple(others))


def _doubted(place: Place, why: Source | None) -> Place:
    return place if why is None else replace(place, sure=False, elsewhere=why)


def _elsewhere(look: Look) -> tuple[Source | None, Source | None]:
    """The line of a script that changes its folder, and the one that starts the run in a container."""
    moves = contained = None
    for file in look.files("script"):
        with suppress(Unreadable):
            for number, line in look.lines(file.path):
                if number > MAX_SCRIPT_LINES:
                    break
                here = Source(file=file.path, line=number, text=line.strip())
                moves = moves or (here if _MOVES.search(line) else None)
                contained = contained or (here if _CONTAINER.search(line) else None)
    return moves, contained


def _makes(look: Look, launches: Sequence[Launch]) -> Iterator[str]:
    """The lines of the scripts above the last command that may make or fetch a file for it."""
    for file in look.files("script"):
        spans = [one.span for one in launches if one.span.file in (file.path, file.name)]
        own = {n for span in spans for n in range(span.line, span.end_line + 1)}
        last = max(own, default=MAX_SCRIPT_LINES)
        with suppress(Unreadable):
            for number, line in look.lines(file.path):
                if number > min(last, MAX_SCRIPT_LINES):
                    break
                if number not in own and _MAKES.search(line):
                    yield line


def _started(launches: Sequence[Launch]) -> Iterator[Place]:
    """The program of each command, and the configuration that it hands over."""
    for launch in launches:
        for key, path, source in _handed(launch):
            yield place_of(key, path, source)


def _handed(launch: Launch) -> Iterator[tuple[str, str, Source]]:
    """(flag, "" or PROGRAM; path; place) of the program and of each configuration."""
    program = launch.script
    if program is not None and (program.value or "").endswith(".py"):
        yield PROGRAM, program.value or "", source_of(program.span)
    before = ""
    for word in (*launch.launcher_words[1:], *launch.arguments):
        flag, sign, value = (word.value or "").partition("=")
        flag, text = (flag, value) if sign else (before, flag)
        before = text if not sign and text.startswith("-") else ""
        name = _plain(flag)
        wanted = _CONFIG_FLAG.search(name) and not _MADE_CONFIG.search(name)
        ends = _CONFIG_FILE if flag else _ALONE
        if (wanted or not flag) and ends.search(text) and not _UNKNOWN.search(text):
            yield flag, text, source_of(word.span)


def _is_made(path: str, lines: Sequence[str]) -> bool:
    """Whether a line that makes files names the path's file, or the folder that it lies in."""
    names = [name for name in (Path(path).name, Path(path).parent.name) if name]
    return any(name in line for line in lines for name in names)


def _beside(launch: Launch) -> Source | None:
    """The place of the script that is started, where its relative path leads somewhere from the
    launch's own folder, and nowhere from here."""
    path = launch.script.value or "" if launch.script is not None else ""
    if launch.script is None or not path.endswith(".py") or Path(path).exists():
        return None
    folder = Path(launch.span.file).absolute().parent
    return source_of(launch.script.span) if lies_at(path, [folder]) else None


def _output(config: RunConfig) -> Place | None:
    named = config.get("output_dir")
    origin = config.origin("output_dir")
    if not isinstance(named, str) or origin is None or _UNKNOWN.search(named):
        return None
    return place_of(origin.key or "output_dir", named, source_of(origin))


def _other_outputs(output: Place | None, launches: Sequence[Launch]) -> Iterator[Place]:
    """The folders of further commands: the configuration has that of one of them."""
    seen = {output.path} if output is not None else set()
    for launch in launches if output is not None else ():
        before = ""
        for word in launch.arguments:
            flag, sign, value = (word.value or "").partition("=")
            flag, path = (flag, value) if sign else (before, flag)
            before = path if not sign and path.startswith("-") else ""
            named = _plain(flag) in _OUTPUTS and path and not path.startswith("-")
            if named and path not in seen and len(seen) < MAX_OTHERS and not _UNKNOWN.search(path):
                seen.add(path)
                yield place_of(flag, path, source_of(word.span))


def _left(launch: Launch) -> str:
    """``--output_dir $OUT/$NAME``, as it is written; "" where none is given so."""
    written = _as_written(launch)
    return next((text for flag, text, _ in written if _plain(flag) in _OUTPUTS), "")


def _as_written(launch: Launch) -> Iterator[tuple[str, str, Source]]:
    """(flag, value as it is written, place) of what only the running shell knows."""
    words = launch.arguments
    for at, word in enumerate(words):
        flag, sign, value = word.text.partition("=")
        holder = word if sign else words[min(at + 1, len(words) - 1)]
        text = (value if sign else holder.text).strip("'\"")
        if _UNKNOWN.search(text):
            yield flag, text, source_of(holder.span)


def _unknown(config: RunConfig, launches: Sequence[Launch]) -> Iterator[UnknownPath]:
    """What is read and holds a variable that is not known: of the launch, and of its files."""
    for setting in config.settings:
        value, key = setting.value, setting.path[-1] if setting.path else ""
        if isinstance(value, str) and "$" in value and _is_read(key):
            yield UnknownPath(setting.origin.key or key, value, source_of(setting.origin))
    for flag, text, source in (one for launch in launches for one in _as_written(launch)):
        if "$" in text and _is_read(_plain(flag)):
            yield UnknownPath(flag, text, source)


def _plain(flag: str) -> str:
    """The last step of a flag or an override: ``train_files`` of ``data.train_files``."""
    return flag.lstrip("-+").rpartition(".")[2].replace("-", "_").lower()


def _inputs(config: RunConfig, launches: Sequence[Launch]) -> Iterator[Place]:
    named = [*_settings(config), *(w for launch in launches for w in _flags(launch))]
    resumed = [*_resumed(config)]
    yield from resumed
    seen = {str(config.get("output_dir") or ""), *(one.path for one in resumed)}
    for key, value, source in named:
        for path in _paths(value):
            if path not in seen and len(seen) <= MAX_PATHS:
                seen.add(path)
                yield place_of(key, path, source)


def _settings(config: RunConfig) -> Iterator[tuple[str, str, Source]]:
    """(key, value, place) of what is read, as the files state it."""
    for setting in config.settings:
        key = setting.path[-1] if setting.path else ""
        if isinstance(setting.value, str) and _is_read(key):
            yield setting.origin.key or key, setting.value, source_of(setting.origin)


def _resumed(config: RunConfig) -> Iterator[Place]:
    """The checkpoint that the run goes on from, and whether it is one that can be gone on from."""
    path, origin = config.get("resume_from"), config.origin("resume_from")
    if not isinstance(path, str) or origin is None or _UNKNOWN.search(path):
        return
    if _explicit(path) or names_one(path):
        place = place_of(origin.key or "resume_from", path, source_of(origin))
        absent, optional = where_absent(path, config)
        wrong = unfit(path, (config.framework, *config.frameworks))
        yield replace(place, unfit=wrong, absent=absent, optional=optional)


def _flags(launch: Launch) -> Iterator[tuple[str, str, Source]]:
    """Each word after a flag that takes several: ``--data-path 0.3 A 0.7 B``."""
    flag = ""
    for word in launch.arguments:
        text = word.value or ""
        if text.startswith("--"):
            flag = "" if "=" in text else text
        elif flag and _is_read(flag.lstrip("-").replace("-", "_").lower()):
            yield flag, text, source_of(word.span)


def _is_read(key: str) -> bool:
    return bool(_READ.search(key)) and not _WRITTEN.search(key)


def _paths(value: str) -> Iterator[str]:
    """The words of a value that can only be paths; a name on the hub looks like a relative one."""
    for word in re.split(r"[\s,]+", value.strip().strip("[]")):
        path = word.strip("'\"")
        if _explicit(path) or (_DATA_FILE.search(path) and not _UNKNOWN.search(path)):
            yield path


def _explicit(path: str) -> bool:
    begins = path.startswith(("/", "./", "../", "~/"))
    return begins and not _UNKNOWN.search(path) and path not in ("/", "./", "../", "/dev/null")


PROBE = Probe(
    name="places",
    title=Text("paths that the launch names", "启动命令中的路径"),
    tells=(),
    run=run,
    wants=(Launches, RunConfig),
    gives=(Places,),
    reads="this-host",
    seconds=0.02,
    limit_seconds=10,  # a network file system can hang
)
