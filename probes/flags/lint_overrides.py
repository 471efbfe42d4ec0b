"""The probe of overrides in a command (``a.b=value``) whose key the framework does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath

from medic.facts import Launch, Launches, LogHits, Repair, Respelt, Word
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, source_of
from medic.records import replace
from medic.run_config import Edit, RunConfig, Span
from medic.text.patterns import regex

from .key_names import Framework, Names, names_of, nearest_name, normal, plain_key
from .lint_keys import MISSPELT, NEAR, RENAMED
from .meanings import Dictionary, dictionary
from .parted_overrides import parted
from .shortened import same_but_shorter

SYNTAX = "override-syntax-wrong"
# Where + adds a key, and one that is there is an error; and where an unknown key is added without a
# word: one of a block that is written at the top is lost.
_HYDRA, _SWALLOWS = "hydra", "omegaconf"
# Behind the name of the configuration: --a.b=1 (OLMo scripts/train.py, clean_opt).
_FLAGS = "flags"
# +a.b adds a key and ~a.b takes one away on purpose.
_ADDED = regex(r"\+([A-Za-z_]\w*(?:\.\w+)+)=")
# Of these every version has the key; others came later, and older ones need the sign.
_EVERYWHERE = frozenset(
    ("learning_rate", "weight_decay", "base_model", "nodes", "gpus_per_node", "epochs",
     "micro_batch_size", "global_batch_size", "save_interval", "output_dir", "total_steps")
)  # fmt: skip
# The same of keys that state no such field: verl trainer/config/ppo_trainer.yaml, sft_trainer.yaml.
_VERL = frozenset(
    """
    data.train_files data.val_files data.max_prompt_length data.max_response_length
    actor_rollout_ref.model.path actor_rollout_ref.actor.ppo_mini_batch_size
    actor_rollout_ref.rollout.name actor_rollout_ref.rollout.n
    actor_rollout_ref.rollout.gpu_memory_utilization
    actor_rollout_ref.rollout.tensor_model_parallel_size algorithm.adv_estimator
    trainer.project_name trainer.experiment_name trainer.logger trainer.test_freq
    """.split()  # noqa: SIM905
)
_VERL_SFT = frozenset(
    "data.train_files data.val_files trainer.project_name trainer.experiment_name".split()  # noqa: SIM905
)
_THERE = {"verl": _VERL, "verl-sft": _VERL_SFT}
_IS_THERE = Text(
    "+{key}: the configuration has this key, and + only adds one; write {key}=, or ++{key}=",
    "+{key}：配置里已有该键，+ 只能新增；请写 {key}= 或 ++{key}=",
)
_OPEN_LIST = regex(r"\+{0,2}[A-Za-z_]\w*(?:\.[A-Za-z_][\w-]*)+=[^\s\"'\[{(,$]+,")
_VALUE_LACKS = Text(
    "{word}: a comma parts the values of a sweep, and none follows", "{word}：逗号后面没有取值"
)
_NEEDS = Text("a command with overrides of a Hydra configuration", "带 Hydra 配置覆盖项的命令")
_NO_SIGN = Text("the key is there", "该键已存在")
_WHOLE = -1  # no step of a key but all of it
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
    hydra = {f.name for f in look.frameworks if f.overrides == _HYDRA}
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
        hydra = framework is not None and framework.overrides == _HYDRA
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
    words = [word.value or "" for word in launch.arguments]
    shipped = "--config" in words[:-1] and "." not in words[words.index("--config") + 1]
    for word, path in found:
        told = _wrong(path, written, book, shipped=shipped)
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
    known = _always(framework)
    for word in launch.arguments:
        found = _ADDED.match(word.raw)
        if found is None or found[1] not in known:
            continue
        span = word.span
        edit = Edit(span.file, span.start, span.start + 1, "")
        repair = Repair((Respelt((edit,), joins=True),), safe=True, why=_NO_SIGN)
        source = source_of(span, word.raw)
        what = _IS_THERE.fill(key=found[1])
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


def _wrong(
    path: tuple[str, ...],
    written: frozenset[tuple[str, ...]],
    book: Dictionary,
    *,
    shipped: bool,
) -> tuple[int, str] | None:
    """(step that is not known, what is meant), if that is beyond doubt; the step is ``_WHOLE`` for
    a key that stands elsewhere. ``shipped``: the
    configuration is one of the framework's own, so nobody added keys to it.
    """
    names = book.names
    for at, step in enumerate(path):
        above = path[:at]
        known = names.below.get(".".join(above), ())
        if step in known:
            continue
        if step in names.leaves:
            if len(path) == 1:
                return _block_of(step, names) if shipped else None
            return _other_block(path, written, names) if at == len(path) - 1 else None
        beside = {p[at] for p in written if len(p) == at + 1 and p[:at] == above}
        near = nearest_name(step, [name for name in known if name not in beside])
        if names.framework.overrides == _HYDRA:
            near = near or same_but_shorter(step, known)
        near = near or book.own(step, above) or _deeper(step, above, book)
        near = near or _batch_of(step, known, book)
        return (at, ".".join((*above, near))) if near and near not in beside else None
    return None


def _other_block(
    path: tuple[str, ...], written: frozenset[tuple[str, ...]], names: Names
) -> tuple[int, str] | None:
    """The one place of a key that every version of the framework has there, and only there."""
    if names.framework.name not in _THERE or not names.below.get(".".join(path[:-1])):
        return None
    every = _always(names.framework)
    found = [key for key in every if key.rpartition(".")[2] == path[-1]]
    alone = len(found) == 1 and tuple(found[0].split(".")) not in written
    return (_WHOLE, found[0]) if alone else None


def _always(framework: Framework) -> frozenset[str]:
    """The settings that every version of a framework has."""
    known = (key.key for key in framework.keys if key.field in _EVERYWHERE)
    return frozenset(known) | _THERE.get(framework.name, frozenset())


def _batch_of(name: str, known: Collection[str], book: Dictionary) -> str:
    """The name of what others call the global batch: verl's counts prompts, and samples several."""
    field = book.meant.get(name, ("", ""))[1]
    near = book.names.framework.nearly.get(field, "") if field == "global_batch_size" else ""
    batch = near.rpartition(".")[2]
    return batch if batch in known else ""


def _deeper(name: str, above: tuple[str, ...], book: Dictionary) -> str:
    """The one key below a block that sets what another framework's name in it means."""
    field = book.meant.get(name, ("", ""))[1]
    start = ".".join(above) + "."
    keys = (plain_key(k) for k in book.names.framework.keys if field and k.field == field)
    found = {normal(key) for key in keys if normal(key).startswith(start)}
    return found.pop().removeprefix(start) if len(found) == 1 else ""


def _block_of(name: str, names: Names) -> tuple[int, str] | None:
    """A key at the top that belongs into one block only."""
    blocks = [block for block in names.below.get("", ()) if name in names.below.get(block, ())]
    alone = len(blocks) == 1 and names.framework.overrides == _SWALLOWS
    return (0, f"{blocks[0]}.{name}") if alone else None


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
