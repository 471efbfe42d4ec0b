"""Whether a checkpoint's tensors are those that the model wants, and how to rename them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from medic.facts import CheckpointIndex, Checkpoints, Launches, LogHits, Source, StateDictError
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, source_of
from medic.records import replace
from medic.run_config import RunConfig

from .compare import LAYER_TENSORS, Comparison, Shape, compare, is_buffer, is_head, layer_of
from .model_config import against_config
from .renaming import Rule, wrapper_start
from .subject import known, resumed, trained, without_logs
from .units import are_parts_of_one


def run(look: Look) -> Iterator[Finding | Skip]:
    checkpoints = known(look, Checkpoints) or Checkpoints()
    indexes = [i for i in checkpoints.indexes if i.tensors]
    error = known(look, StateDictError)
    found: Finding | None = None
    if error is not None and not _ended_well(look):
        found = _of_error(look, error, indexes)
    elif without_logs(look) and len(indexes) == 2:
        found = _of_pair(*indexes)
    elif not trained(look):
        found = _of_config(look, indexes)
    if found is not None and found.outcome == "vocabulary-changed" and error is not None:
        yield from _of_setting(look, error)
    yield found or Skip(
        needs=Text(
            "the error of a failed load, or two checkpoints to compare",
            "加载失败的报错，或两个可比较的检查点",
        ),
        check="checkpoint-keys",
    )


def _of_setting(look: Look, error: StateDictError) -> Iterator[Finding]:
    """The rows that the model has and the checkpoint has not are those of the configuration."""
    config = known(look, RunConfig)
    size = config.integer("vocab_size") if config is not None else None
    for _, saved, current in error.mismatched:
        if size is not None and saved and current[:1] == (size,) != saved[:1]:
            origin = config.origin("vocab_size") if config is not None else None
            source = source_of(origin) if origin and origin.span else error.source
            value = {"configured": size, "saved": saved[0]}
            yield Finding("vocabulary-setting", "differs", value=value, source=source)
            return


def _ended_well(look: Look) -> bool:
    logs = known(look, LogHits)
    return logs is not None and logs.ended == "well"


# --- a failed load --------------------------------------------------------------------------


def _of_error(look: Look, error: StateDictError, indexes: list[CheckpointIndex]) -> Finding | None:
    loaded = _loaded(look, error, indexes)
    result: Comparison | None
    if loaded is not None and not error.truncated:
        have = shapes(loaded)
        listed = set(error.unexpected)
        wanted: dict[str, Shape] = {n: s for n, s in have.items() if n not in listed}
        wanted |= dict.fromkeys(error.missing)
        wanted |= {name: there for name, _, there in error.mismatched}
        result = compare(have, wanted)
    else:
        result = of_lists(error)
    if result is None:
        return None
    if _is_part(error, indexes):
        result = replace(result, outcome="part-loaded")
    value = {**result.value(), "file": loaded.file if loaded else ""}
    more = (Source(file=loaded.file),) if loaded else ()
    return Finding("checkpoint-keys", result.outcome, value, error.source, more)


def _is_part(error: StateDictError, indexes: list[CheckpointIndex]) -> bool:
    """Whether the load was given a part of the model, as one shard of several.

    All the names that it lacked are in a checkpoint that is here; or it lacked whole layers and
    names beside the layers: more layers in the configuration add nothing but layers.
    """
    if not error.missing or error.unexpected or error.mismatched:
        return False
    if any(set(error.missing) <= index.tensors.keys() for index in indexes):
        return True
    counted = Counter(layer_of(name) for name in error.missing)
    beside = [n for n in error.missing if not layer_of(n) and not is_buffer(n, None)]
    whole = [at for at, n in counted.items() if at is not None and n >= LAYER_TENSORS]
    return bool(whole) and any(not is_head(name) for name in beside)


def _loaded(
    look: Look, error: StateDictError, indexes: list[CheckpointIndex]
) -> CheckpointIndex | None:
    """The checkpoint that the failed load was about: it holds every name that was not expected."""
    first = resumed(look, indexes)
    names = {*error.unexpected, *(name for name, _, _ in error.mismatched)}
    for index in [first, *indexes] if first else indexes:
        if names <= index.tensors.keys() and not set(error.missing) & index.tensors.keys():
            return index
    return None


def of_lists(error: StateDictError) -> Comparison | None:
    """The lists alone: names that agree are not in them, and the lists may have been cut."""
    have: dict[str, Shape] = dict.fromkeys(error.unexpected)
    wanted: dict[str, Shape] = dict.fromkeys(error.missing)
    one_side = error.unexpected if not error.missing else error.missing
    start = wrapper_start(one_side) if not (error.missing and error.unexpected) else ""
    if start and not error.mismatched:
        rule = Rule(strip=start) if error.unexpected else Rule(add=start)
        return Comparison("prefix-only", rule, len(one_side), len(one_side))
    for name, ours, theirs in error.mismatched:
        have[name], wanted[name] = ours, theirs
    if not have and not wanted:
        return None
    result = compare(have, wanted, partial=True)
    if error.truncated and result.rule.changes() and result.matched and not result.mismatched:
        # Cut lists end at different names; what one side lacks may only not have been printed.
        return Comparison("prefix-only", result.rule, result.matched, result.total)
    return result


# --- two files, and a file against a config -------------------------------------------------


def _of_pair(ours: CheckpointIndex, theirs: CheckpointIndex) -> Finding | None:
    if are_parts_of_one(ours.file, theirs.file):
        return None
    result = compare(shapes(ours), shapes(theirs))
    value = {**result.value(), "file": ours.file, "other": theirs.file}
    source = Source(file=ours.file)
    return Finding("checkpoint-keys", result.outcome, value, source, (Source(file=theirs.file),))


def _of_config(look: Look, indexes: list[CheckpointIndex]) -> Finding | None:
    config = known(look, RunConfig)
    index = resumed(look, indexes)
    if index is None and without_logs(look) and len(indexes) == 1:
        index = indexes[0]
    if config is None or index is None or index.part is not None:
        return None
    found = against_config(index, config)
    if found is None:
        return None
    outcome, value, field = found
    where = source_of(config.origin(field))
    value = {**value, "file": index.file}
    return Finding("checkpoint-keys", outcome, value, Source(file=index.file), (where,))


def shapes(index: CheckpointIndex) -> dict[str, Shape]:
    return {name: info.shape for name, info in index.tensors.items()}


PROBE = Probe(
    name="checkpoint-keys",
    title=Text("tensors of the checkpoint", "检查点中的张量"),
    tells=("checkpoint-keys", "vocabulary-setting"),
    wants=(Checkpoints, StateDictError, RunConfig, LogHits, Launches),
    seconds=0.2,
    run=run,
)
