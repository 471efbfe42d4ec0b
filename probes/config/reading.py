"""The probe that reads the run's configuration into one RunConfig."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from medic.errors import BrokenProgram, Unreadable
from medic.facts import Document, GivenFile, Launch, Launches, OtherRuns, Releases, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread, source_of
from medic.records import replace
from medic.run_config import PLAIN, RunConfig, Value
from medic.text.parserwords import in_chinese

from .carriers import Stated
from .choose import Command, mentioned, of_one_launch, the_command
from .combine import combine
from .derive import complete
from .files import problems
from .hydra_parts import parts_of, placed
from .keys import Framework
from .mistaken import mistaken_fields
from .part_read import several_documents
from .pins import version_of
from .programs import beside_arguments, defaults_first, less, programs
from .readers.wandb import unwrapped
from .recognise import Recogniser
from .rivals import choose, copied, of_newest_log, passed_over
from .written import written

_REFUSED = Text(
    "json.load refuses it: {w}; take comments, trailing commas and a byte order mark out",
    "json.load 无法读取：{w}；请去掉注释、多余的逗号和 BOM",
)
_NOT_CHOSEN = Text(
    "a part that may be chosen in place of another; {f} names others",
    "可替换的配置片段；{f} 选用的是其他片段",
)
_OF_SEVERAL = Text(
    "a part of several configurations: give it with one of them",
    "属于多份配置的片段：请只与其中一份一起检查",
)
_REFUSED_BY_SOME = Text(
    "transformers and accelerate stop at it (json.load: {w}), only DeepSpeed itself reads it; take "
    "comments, trailing commas and a byte order mark out",
    "transformers 和 accelerate 读到此处会报错（json.load：{w}），只有 DeepSpeed 自身能读；"
    "请去掉注释、多余的逗号和 BOM",
)
_BEYOND = Text(
    "not all of its launches are judged: {n} are together at most; give fewer files, or lint with --each",
    "其中有启动命令未检查：一次最多检查 {n} 条；请减少文件，或用 lint --each",
)
MAX_OTHERS = 400  # launches that are judged beside the one that states most
BROKEN = "config-syntax-error"
_CACHE: list[tuple[tuple[int, ...], Sequence[Framework], Recogniser]] = []


def recogniser(frameworks: Sequence[Framework]) -> Recogniser:
    """The recogniser of these entries; the last one is kept, its tables are large."""
    key = tuple(id(f) for f in frameworks)
    if not _CACHE or _CACHE[0][0] != key:
        _CACHE[:] = [(key, list(frameworks), Recogniser(frameworks))]
    return _CACHE[0][2]


def run(look: Look) -> Iterator[Finding | Skip | Unread | RunConfig | OtherRuns]:
    frameworks: Sequence[Framework] = look.frameworks
    reader = recogniser(frameworks)
    files: list[Stated] = []
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    for found in _documents(look, reader, launches):
        if isinstance(found, Stated):
            files.append(found)
        else:
            yield found
    files += beside_arguments(look, reader, launches, files)
    commands = [_command(reader, launch) for launch in launches]
    yield from _broken(look)
    own = of_newest_log(look, launches)
    command = the_command(commands, files) if own is None else commands[own]
    mentions = {*(command.mentions if command else ()), *(m for f in files for m in f.mentions)}
    launcher = command.launcher.framework.name if command and command.launcher else ""
    program = command.program if command else ""
    kept, left = of_one_launch(files, mentions, launcher, program)
    stated = command.stated if command else ()

    def built(own: Sequence[Stated]) -> RunConfig:
        return build([*stated, *defaults_first(own)], look.given, frameworks)

    own_values = [(other, why) for other, why in left if not copied(other, kept)]
    choice = choose(look, kept, own_values, mentions, built)
    if choice is not None and choice.named:
        kept, left = of_one_launch(files, mentions | {choice.named}, launcher, program)
    yield from passed_over(left, kept, choice)
    if not stated and not kept and not look.given:
        yield from problems(look, ())
        return
    config = built(kept)
    if choice is not None:
        config = choice.settled(config)
        yield OtherRuns(choice.other_logs)
    releases = look.fact(Releases).packages if look.has(Releases) else {}
    config = replace(config, framework_version=version_of(config.framework, releases))
    if not look.files("log"):
        others = [c for c in commands if c is not command and c.script is not None]
        others, beyond = others[:MAX_OTHERS], others[MAX_OTHERS:]
        config = replace(config, others=tuple(_others(others, kept, frameworks)))
        yield from _not_judged(beyond)
    yield config
    yield from _precision(config)
    yield from problems(look, kept)


def _command(reader: Recogniser, launch: Launch) -> Command:
    program = (launch.script.value if launch.script is not None else None) or ""
    return Command(reader.launcher(launch), reader.script(launch), reader.batch(launch), program)


def _others(
    commands: Sequence[Command], files: Sequence[Stated], frameworks: Sequence[Framework]
) -> Iterator[RunConfig]:
    """The launches beside the one that is read whole, each with the files that it names."""
    for other in commands:
        named = [file for file in files if mentioned(file, other.mentions)]
        yield build([*other.stated, *defaults_first(named)], {}, frameworks)


def _not_judged(commands: Sequence[Command]) -> Iterator[Unread]:
    """The files of launches beyond the limit; none is left out silently."""
    for name in dict.fromkeys(c.script.name for c in commands if c.script is not None):
        yield Unread(name, _BEYOND.fill(n=MAX_OTHERS + 1), partly=True, aside=True)


def _documents(
    look: Look, reader: Recogniser, launches: Sequence[Launch]
) -> Iterator[Stated | Unread]:
    """What each file states. A program that is too long, or sets nothing, is no configuration."""
    handed, parts, blocks = reader.handed(launches), parts_of(look), reader.blocks(launches)
    mains: dict[str, Stated] = {}
    for given, found in sorted(_parsed(look, launches), key=lambda one: one[0].path in parts.named):
        if isinstance(found, Unread):
            yield found
            continue
        if given.path in parts.others:
            main = PurePath(parts.others[given.path]).name
            yield Unread(given.name, _NOT_CHOSEN.fill(f=main) if main else _OF_SEVERAL, aside=True)
            continue
        document, part = unwrapped(found), parts.named.get(given.path)
        main_file = mains.get(part.main) if part is not None else None
        if part is not None:
            document = placed(document, part.package)
        elif (block := blocks.get(PurePath(given.name).name)) is not None:
            document = placed(document, (block,))
        if main_file is not None:
            handed[PurePath(given.name).name] = main_file.framework.name
        stated = reader.file(given, document, handed)
        if stated is not None and main_file is not None:
            stated = less(stated, [main_file])
        elif stated is not None:
            mains[given.path] = stated
        refused = _refused(given, document, stated)
        if refused is not None:
            yield refused
        if (more := several_documents(given, document, known=stated is not None)) is not None:
            yield more
        if stated is not None and (refused is None or refused.partly):
            yield stated


def _parsed(
    look: Look, launches: Sequence[Launch]
) -> Iterator[tuple[GivenFile, Document | Unread]]:
    for given in (*look.files("config", "model-config"), *programs(look, launches)):
        found = _parse(look, given)
        if found is not None:
            yield given, found
    for script, one in written(look):
        # By its own name: that tells whose it is, and which command names it.
        given = GivenFile(script.path, one.name, "config")
        if one.document is not None:
            yield given, one.document
        elif not one.exact:
            yield given, Unread(one.at, Text(one.en, one.zh), partly=True)


def _broken(look: Look) -> Iterator[Finding]:
    """Files that a script writes and that nobody can read: here they stand as they will be."""
    for script, one in written(look):
        if one.document is None and one.exact:
            line = one.at.rpartition(":")[2]
            values = {"name": one.name, "what": Text(one.en, one.zh)}
            source = Source(script.path, int(line) if line.isdigit() else 0)
            yield Finding(BROKEN, "fires", values, source)


def _parse(look: Look, given: GivenFile) -> Document | Unread | None:
    try:
        return look.parse(given.path)
    except Unreadable as problem:
        broken = isinstance(problem, BrokenProgram)
        if given.kind == "python" and not broken and not given.named:
            return None
        return Unread(problem.at or given.name, Text(problem.en, problem.zh))


def _refused(given: GivenFile, document: Document, stated: Stated | None) -> Unread | None:
    """A JSON file with comments, trailing commas or a byte order mark, at which json.load stops.

    An engine's file is still read: DeepSpeed itself reads HJSON, which has them. Not one with
    "auto" in it, which only transformers and accelerate fill in: they use json.load.
    """
    problem = next((p for p in document.problems if p.kind == "not-strict"), None)
    if problem is None or not given.name.endswith(".json") or not (stated or given.named):
        return None
    place = f"{document.file}:{problem.span.line}"
    words = Text(problem.detail, in_chinese(problem.detail))
    if stated is None or stated.role != "engine" or _left_to_trainer(document):
        return Unread(place, _REFUSED.fill(w=words))
    return Unread(place, _REFUSED_BY_SOME.fill(w=words), partly=True)


def _left_to_trainer(document: Document) -> bool:
    leaves = document.root.leaves() if document.root is not None else ()
    return any(value.value == "auto" for _, _, value in leaves)


def build(
    sources: Sequence[Stated], given: Mapping[str, object], frameworks: Sequence[Framework]
) -> RunConfig:
    """One RunConfig of all that a launch states."""
    main = _main(sources)
    hand = {k: v for k, v in given.items() if isinstance(v, (int, float, str, bool))}
    values = combine(sources, hand)
    speaking = [s.framework for s in sources if s.role == "trainer"]
    if main is not None:
        speaking = [main, *(f for f in speaking if f is not main)]
    if not speaking:
        speaking = [f for f in frameworks if f.name == PLAIN]
    speaking += [s.framework for s in sources if s.role in ("engine", "launcher")]
    takes_global = any(
        f.unknown_key == "free" or any(key.field == "global_batch_size" for key in f.keys)
        for f in speaking[:1]
    )
    # What an engine leaves to "auto" is filled in from the training's own settings.
    unknown = {name for s in sources if s.role != "engine" for name in s.unknown}
    settings = tuple(setting for s in sources for setting in s.settings)
    if speaking:
        unset = speaking[0].defaults.keys() - values.keys()
        unknown |= mistaken_fields(unset, settings, speaking[0], frameworks)
    for one in (s for s in sources if s.role == "launcher"):
        unset = one.framework.defaults.keys() - values.keys()
        unknown |= mistaken_fields(unset, one.settings, one.framework, frameworks)
    values = complete(values, speaking, takes_global=takes_global, unknown=unknown)
    files = [s for s in sources if s.document is not None and s.document.root is not None]
    return RunConfig(
        values=values,
        framework=main.name if main is not None else "",
        files=tuple(s.document.file for s in files if s.document and s.role != "model"),
        model_files=tuple(s.document.file for s in files if s.document and s.role == "model"),
        frameworks=tuple(dict.fromkeys(s.framework.name for s in sources)),
        settings=settings,
    )


def _main(sources: Sequence[Stated]) -> Framework | None:
    """The framework that trains: a known one before plain names, then the one that states most."""
    trainers = [s for s in sources if s.role == "trainer"]
    if not trainers:
        return None
    best = max(trainers, key=lambda s: (s.framework.unknown_key != "free", len(s.values)))
    return best.framework


def _precision(config: RunConfig) -> Iterator[Finding]:
    value: Value | None = config.values.get("precision")
    if value is None or not config.stated("precision"):
        return
    outcome = {"fp16": "fp16", "bf16": "wide-range", "fp32": "wide-range"}.get(str(value.value))
    if outcome is not None:
        told = {"precision": value.value}
        yield Finding("precision-in-use", outcome, told, source_of(value.origin))


PROBE = Probe(
    name="config",
    title=Text("the configuration", "训练配置"),
    tells=(
        "precision-in-use",
        "duplicate-config-key",
        BROKEN,
        "number-read-as-text",
        "number-read-otherwise",
    ),
    run=run,
    wants=(Launches, Releases),
    gives=(RunConfig, OtherRuns),
    seconds=0.05,
    limit_seconds=20,
)
