"""A remedy and a run config -> the new values of canonical fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from medic.changes import batch, launch, learning_rate, schedule
from medic.changes.flags import flag_values, is_flag
from medic.changes.known import Computed, ImpossibleError, Known, MissingError, agreed
from medic.changes.worked import of_good
from medic.entries import Compute, Remedy, Set
from medic.i18n import Text
from medic.records import dataclass, field, replace
from medic.run_config import Change, RunConfig, Scalar

Computation = Callable[[Known, str], Computed]

COMPUTATIONS: Mapping[Compute, Computation] = {
    "halve-to-divisor": batch.halve_to_divisor,
    "split-global-batch": batch.split_global_batch,
    "keep-global-batch": batch.keep_global_batch,
    "accumulation-from-global": batch.keep_global_batch,
    "global-batch-product": batch.global_batch_product,
    "steps-from-tokens": schedule.steps_from_tokens,
    "tokens-from-steps": schedule.tokens_from_steps,
    "decay-to-total": schedule.decay_to_total,
    "warmup-share": schedule.warmup_share,
    "half-learning-rate": learning_rate.half_learning_rate,
    "minimum-below-peak": learning_rate.minimum_below_peak,
    "tenfold-learning-rate": learning_rate.tenfold_learning_rate,
    "world-from-nodes": launch.world_from_nodes,
    "gpus-from-host": launch.gpus_from_host,
    "workers-from-cores": launch.workers_from_cores,
    "fewer-workers": launch.fewer_workers,
    "next-free-port": launch.next_free_port,
    "doubled-timeout": launch.doubled_timeout,
}
# Those that estimate a step's memory, and so want the sizes of the model.
ESTIMATING: frozenset[Compute] = frozenset({"halve-to-divisor"})
# What others follow from is computed first.
_FIRST = ("micro_batch_size", "data_parallel_size", "nodes", "gpus_per_node", "world_size")
_LAST = ("global_batch_tokens", "total_steps", "decay_steps", "warmup_steps", "warmup_ratio")

AS_IS = Text("the run is configured so already", "当前配置已是如此")


@dataclass(frozen=True)
class Plan:
    """What a remedy changes. All of it or nothing: with ``missing`` or ``note`` there is no change.

    ``values`` fills the placeholders of the remedy's ``do``: every known field by its name, the new
    one as ``{field_new}``, GB_tok with its unit as ``{gb_tok}``. ``note`` says why no value fits,
    and what else there is.
    """

    changes: tuple[Change, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    note: Text | None = None


def compute(
    remedy: Remedy,
    run_config: RunConfig,
    facts: Mapping[type[Any], Any] | None = None,
    exact: Sequence[Change] = (),
) -> Plan:
    """The changes of a remedy for this run. Pure: the same arguments give the same plan.

    ``exact`` are repairs that a probe already knows; they count for the fields that the remedy
    changes, and for flags.
    """
    known = Known(run_config, facts or {}, exact)
    told = {c.field: c for c in exact if c.field in remedy.changes}
    flags = tuple(c for c in exact if is_flag(c.field))
    changes: list[Change] = []
    missing: dict[str, None] = {}
    note: Text | None = None
    for wanted in sorted(remedy.changes, key=_order):
        if is_flag(wanted):
            changes += flags
            missing |= {} if flags else {"flag": None}
            continue
        entry, name = remedy.changes[wanted], schedule.stated_form(run_config, wanted)
        try:
            agreed(run_config, name, *(n for n in remedy.needs if n in run_config.values))
            change = told.get(wanted) or _change(known, name, entry)
        except MissingError as lacking:
            missing |= dict.fromkeys(lacking.names)
            continue
        except ImpossibleError as problem:
            note = note or problem.why
            continue
        if change is not None:
            changes.append(change)
            known = replace(known, new={**known.new, change.field: change.new})
    if missing or note:
        changes = []
    elif remedy.changes and not changes:
        note = AS_IS
    values = _values(run_config, changes)
    if missing or (note is not None and note is not AS_IS):  # what it would become is not known
        values |= {f"{name}_new": "?" for name in remedy.changes if not is_flag(name)}
    return Plan(tuple(changes), values, tuple(missing), note)


def estimates_memory(remedy: Remedy) -> bool:
    """Whether one of its values is computed from an estimate of the step's memory."""
    return any(entry.compute in ESTIMATING for entry in remedy.changes.values())


def _order(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name), name
    return (100 + _LAST.index(name) if name in _LAST else 50), name


def _change(known: Known, name: str, entry: Set) -> Change | None:
    """None if the field has the value already."""
    old = known.config.get(name)
    constant = Computed(entry.set, Text("", ""))
    good = of_good(known, name, entry.compute)
    found = good or (COMPUTATIONS[entry.compute](known, name) if entry.compute else constant)
    done = same(old, found.value) and not (found.value is True and _in_part(known, name))
    return None if done else Change(name, old, found.value, found.why)


def _in_part(known: Known, name: str) -> bool:
    """Whether a switch that is on is so for a part: of each layer attention's core alone is recomputed."""
    from medic.memory.recomputing import granularity

    return name == "activation_checkpointing" and granularity(known.config) == "selective"


def same(one: Scalar, other: Scalar) -> bool:
    """Equal, and no truth value taken for a number."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _values(config: RunConfig, changes: Sequence[Change]) -> dict[str, object]:
    values: dict[str, object] = {name: config.get(name) for name in config}
    values = {name: value for name, value in values.items() if value is not None}
    new = {c.field: c.new for c in changes if not is_flag(c.field)}
    for name, value in {**values, **new}.items():
        values[f"{name}_new"] = new.get(name, value)
    total = config.number("total_steps")
    if "warmup_ratio" in new and "warmup_steps" not in new and total is not None:
        values["warmup_steps_new"] = round(float(new["warmup_ratio"] or 0) * total)
    values["gb_tok"] = _batch_in_words(config)
    values |= flag_values(changes)
    return values


def _batch_in_words(config: RunConfig) -> Text:
    known = Known(config)
    try:
        return Text("{n} tokens", "{n} 个 token").fill(n=batch.tokens_per_step(known))
    except (MissingError, ImpossibleError):
        pass
    try:
        n = batch.sequences_per_rank(known)
    except (MissingError, ImpossibleError):
        return Text("the same batch", "同样的批")
    return Text("{n} sequences per rank", "每个 rank {n} 条序列").fill(n=n)
