"""The probe of overrides in a command (``a.b=value``) whose key the framework does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from medic.facts import Launch, Launches, LogHits, Repair, Respelt, Word
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, source_of
from medic.records import replace
from medic.run_config import Edit, RunConfig, Span
from medic.text.patterns import regex

from .forks import several, shown
from .key_names import Framework, names_of, normal
from .lint_keys import MISSPELT, NEAR, RENAMED
from .meanings import dictionary
from .override_blocks import below_a_block
from .override_names import HYDRA, THERE, WHOLE, always, configured, strange, wrong
from .own_programs import path_of
from .parted_overrides import parted

SYNTAX = "override-syntax-wrong"
# Behind the name of the configuration: --a.b=1 (OLMo scripts/train.py, clean_opt).
_FLAGS = "flags"
# +a.b adds a key and ~a.b takes one away on purpose.
_ADDED = regex(r"\+([A-Za-z_]\w*(?:\.\w+)+)=")
_ISTHERE = Text(
    "+{key}: the configuration has this key, and + only adds one; write {key}=, or ++{key}=",
    "+{key}：配置里已有该键，+ 只能新增；请写 {key}= 或 ++{key}=",
)
_OPEN_LIST = regex(r"\+{0,2}[A-Za-z_]\w*(?:\.[A-Za-z_][\w-]*)+=[^\s\"'\[{(,$]+,")
_VALUE_LACKS = Text(
    "{word}: a comma parts the values of a sweep, and none follows", "{word}：逗号后面没有取值"
)
_NEEDS = Text("a command with overrides of a Hydra configuration", "带 Hydra 配置覆盖项的命令")
_NO_SIGN = Text("the key is there", "该键已存在")
_OVERRIDE = regex(r"([A-Za-z_]\w*(?:\.[A-Za-z_][\w-]*)*)=")


def run(look: Look) -> Iterator[Finding | Skip]:
    added = False
    for finding in _all(look):
        added |= finding.name == SYNTAX
        yield finding
    if not added and not look.has(LogHits):  # a log tells other faces of it
        yield _nothing(look)


def _nothing(look: Look) -> Finding | Skip:
    config = config_of(look)
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    hydra = {f.name for f in look.frameworks if f.overrides == HYDRA}
    read = any(_speaks(config, launch) in hydra for launch in launches)
    return Finding(SYNTAX, "passes") if read else Skip(needs=_NEEDS, check=SYNTAX)


def _all(look: Look) -> Iterator[Finding]:
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    if not launches:
        return
    tables = {f.name: f for f in look.frameworks if f.overrides}
    config = look.fact(RunConfig)
    for launch in launches:
        framework = tables.get(_speaks(config, launch)) or _of_file(config, launch, tables)
        hydra = framework is not None and framework.overrides == HYDRA
        for one in parted(launch, hydra=hydra) if not look.has(LogHits) else ():
            source = source_of(one.span, one.raw)
            value = {"what": one.what}
            yield Finding(SYNTAX, "fires", value, source, span=one.span, repair=one.repair)
        if framework is not None:
            yield from _of_launch(launch, framework, tables, look.frameworks)
        if framework is not None and hydra:
            yield from _added(launch, framework)
            yield from _open_list(launch)


def _speaks(config: RunConfig, launch: Launch) -> str:
    """The framework that reads the command's arguments."""
    places = {word.span for word in launch.arguments}
    for setting in config.settings:
        span = setting.origin.span
        inside = span is not None and any(
            p.file == span.file and p.start <= span.start < p.end for p in places
        )
        if setting.origin.syntax == "shell" and inside:
            return setting.origin.framework
    return ""


def _of_file(
    config: RunConfig, launch: Launch, tables: Mapping[str, Framework]
) -> Framework | None:
    """The framework of the configuration that a command begins with, where flags override that."""
    first = launch.arguments[0].value if launch.arguments else None
    if not first or not first.endswith((".yaml", ".yml")):
        return None
    name = PurePath(first).name
    said = (s.origin for s in config.settings if s.origin.syntax == "yaml" and s.origin.span)
    names = {o.framework for o in said if o.span and PurePath(o.span.file).name == name}
    found = [one for one in tables.values() if one.overrides == _FLAGS and one.name in names]
    return found[0] if len(found) == 1 else None


def _of_launch(
    launch: Launch,
    framework: Framework,
    tables: Mapping[str, Framework],
    every: Sequence[Framework],
) -> Iterator[Finding]:
    names = names_of(framework, tables)
    book = dictionary(framework, every, names)
    dashes = "--" if framework.overrides == _FLAGS else ""
    found = [(word, path) for word in launch.arguments if (path := _path(word, dashes))]
    written = frozenset(path for _, path in found)
    steps_used = {step for path in written for step in path}
    fork = shown(framework, steps_used, {}, path_of(launch), launch.span.file)
    own = (fork is not None and fork.sure) or several(list(strange(written, names)))
    words = [word.value or "" for word in launch.arguments]
    shipped = "--config" in words[:-1] and "." not in words[words.index("--config") + 1]
    for word, path in found:
        if fork is not None and not fork.names.isdisjoint(path):
            continue
        told = wrong(path, written, book, shipped=shipped, own=own)
        if told is None and not own and not configured(words) and framework.name in THERE:
            whole = below_a_block(path, names)
            told = (WHOLE, whole) if whole and tuple(whole.split(".")) not in written else None
        if told is not None:
            at, meant = told
            key = path[: at + 1] if at >= 0 else path
            what = NEAR.fill(framework=framework.title, key=".".join(key), meant=meant)
            steps, step = (path, at) if at >= 0 else ((".".join(path),), 0)
            span = _part(word, steps, step, len(dashes))
            source = source_of(span, word.raw)
            repair = _respelt(word, span, meant.split(".")[max(at, 0) :])
            yield Finding(MISSPELT, "fires", {"what": what}, source, span=span, repair=repair)


def _added(launch: Launch, framework: Framework) -> Iterator[Finding]:
    """A setting that every version of the framework has, with the + of one that is missing."""
    known = always(framework)
    for word in launch.arguments:
        found = _ADDED.match(word.raw)
        if found is None or found[1] not in known:
            continue
        span = word.span
        edit = Edit(span.file, span.start, span.start + 1, "")
        repair = Repair((Respelt((edit,), joins=True),), safe=True, why=_NO_SIGN)
        source = source_of(span, word.raw)
        what = _ISTHERE.fill(key=found[1])
        yield Finding(SYNTAX, "fires", {"what": what}, source, span=span, repair=repair)


def _open_list(launch: Launch) -> Iterator[Finding]:
    """``a.b=1,``: to Hydra's grammar a comma parts values, and one has to follow."""
    for word in launch.arguments:
        if _OPEN_LIST.fullmatch(word.raw) is not None:
            what = _VALUE_LACKS.fill(word=word.raw)
            source = source_of(word.span, word.raw)
            yield Finding(SYNTAX, "fires", {"what": what}, source, span=word.span)


def _respelt(word: Word, span: Span, meant: Sequence[str]) -> Repair | None:
    """The step by its name, where it is written out in the word."""
    if span == word.span:
        return None
    edit = Edit(span.file, span.start, span.end, ".".join(meant))
    return Repair((Respelt((edit,)),), safe=False, why=RENAMED)


def _path(word: Word, dashes: str = "") -> tuple[str, ...]:
    if not word.text.startswith(dashes):
        return ()
    found = _OVERRIDE.match(word.text.removeprefix(dashes))
    return tuple(normal(found[1]).split(".")) if found else ()


def _part(word: Word, path: tuple[str, ...], at: int, before: int = 0) -> Span:
    """The place of one step of the key in the word, which ``before`` signs stand before."""
    span, skip = word.span, len(".".join(path[:at])) + bool(at) + before
    size = len(path[at])
    if normal(word.raw[skip : skip + size]) != path[at]:
        return span
    column = span.column + skip
    return replace(
        span,
        start=span.start + skip,
        end=span.start + skip + size,
        column=column,
        end_line=span.line,
        end_column=column + size,
    )


PROBE = Probe(
    name="override-keys",
    title=Text("overrides in the command", "命令行中的覆盖项"),
    tells=(MISSPELT, SYNTAX),
    run=run,
    needs=(RunConfig,),
    wants=(Launches, LogHits),
    files=("script",),
    without=(Skip(_NEEDS, SYNTAX),),
    seconds=0.02,
    limit_seconds=5,
)
