"""What the overrides of a command mean that its framework does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .key_names import Framework, Names, nearest_name, normal, plain_key
from .meanings import Dictionary
from .override_blocks import block_apart
from .shortened import same_but_shorter

# Where + adds a key, and one that is there is an error; and where an unknown key is added without a
# word: one of a block that is written at the top is lost.
HYDRA, _SWALLOWS = "hydra", "omegaconf"
# Of these every version has the key; others came later, and older ones need the sign.
_EVERYWHERE = frozenset(
    ("learning_rate", "weight_decay", "base_model", "nodes", "gpus_per_node", "epochs",
     "micro_batch_size", "global_batch_size", "save_interval", "output_dir", "total_steps")
)  # fmt: skip
# In the oldest sft_trainer.yaml of verl the one is missing, the other data.micro_batch_size.
_NOT_EVERYWHERE = {"verl-sft": frozenset(("save_interval", "micro_batch_size"))}
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
THERE = {"verl": _VERL, "verl-sft": _VERL_SFT}
WHOLE = -1  # no step of a key but all of it


def wrong(
    path: tuple[str, ...],
    written: frozenset[tuple[str, ...]],
    book: Dictionary,
    *,
    shipped: bool,
    own: bool,
) -> tuple[int, str] | None:
    """(step that is not known, what is meant), if that is beyond doubt; the step is ``WHOLE`` for
    a key that stands elsewhere. ``shipped``: the
    configuration is one of the framework's own, so nobody added keys to it. ``own``: a fork has, so
    that nothing is told but what is a slip of the fingers.
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
            apart = _other_block(path, written, names) if at == len(path) - 1 and not own else None
            return apart or _apart(path, at, names, own=own)
        beside = {p[at] for p in written if len(p) == at + 1 and p[:at] == above}
        near = nearest_name(step, [name for name in known if name not in beside])
        if names.framework.overrides == HYDRA:
            near = near or same_but_shorter(step, known)
        if not own:
            near = near or book.own(step, above) or _deeper(step, above, book)
            near = near or _batch_of(step, known, book)
        if not near and (block := _apart(path, at, names, own=own)):
            return block
        return (at, ".".join((*above, near))) if near and near not in beside else None
    return None


def _apart(path: tuple[str, ...], at: int, names: Names, *, own: bool) -> tuple[int, str] | None:
    block = "" if own else block_apart(path, at, names)
    return (at, ".".join((*path[:at], block))) if block else None


def strange(paths: Collection[tuple[str, ...]], names: Names) -> Iterator[str]:
    """Of paths with a step that is not known, and near none, that step: a fork's, once each."""
    found: dict[str, None] = {}
    for path in paths:
        for at, step in enumerate(path):
            known = names.below.get(".".join(path[:at]), ())
            if step not in known:
                if step not in names.leaves and not nearest_name(step, known):
                    found.setdefault(step)
                break
    yield from found


def configured(words: Sequence[str]) -> bool:
    """Whether a command names a configuration of its own, which may have other blocks."""
    return any(word.startswith(("--config", "-cn", "-cp", "config=")) for word in words)


def _other_block(
    path: tuple[str, ...], written: frozenset[tuple[str, ...]], names: Names
) -> tuple[int, str] | None:
    """The one place of a key that every version of the framework has there, and only there."""
    if names.framework.name not in THERE or not names.below.get(".".join(path[:-1])):
        return None
    every = always(names.framework)
    found = [key for key in every if key.rpartition(".")[2] == path[-1]]
    alone = len(found) == 1 and tuple(found[0].split(".")) not in written
    return (WHOLE, found[0]) if alone else None


def always(framework: Framework) -> frozenset[str]:
    """The settings that every version of a framework has."""
    fields = _EVERYWHERE - _NOT_EVERYWHERE.get(framework.name, frozenset())
    known = (key.key for key in framework.keys if key.field in fields)
    return frozenset(known) | THERE.get(framework.name, frozenset())


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
