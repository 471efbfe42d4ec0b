"""Loading and saving a model: what they take on one GPU beside what stays, in bytes.

Loading, up to where the engine has what it holds from then on:

- One GPU, DDP: the weights, in the dtype in which they stay. A checkpoint arrives tensor by tensor
  (transformers ``core_model_loading.py``, ``modeling_utils.py``), or the model is made on the host and moved
  (``Module.to`` replaces one parameter after the other): there is no second copy.
- bitsandbytes: one map in 16 bits beside its packed form (transformers ``Bnb4bitQuantize``: each weight is moved
  to the card and packed before the next); peft's preparation casts the embedding to fp32 beside itself
  (``prepare_model_for_kbit_training``).
- FSDP: the shards and one unit that is not sharded yet: a layer, or at the end all outside the layers (torch
  ``_fully_shard/_fsdp_init.py`` ``_move_states_to_device``; accelerate ``fsdp_utils.py`` hands on one parameter
  after the other). FSDP1 copies the unit into its flat weight (``_flat_param.py``). A model that was put on the
  card before lies there whole, on each rank.
- ZeRO: 16-bit weights and the rank's fp32 ones. Under stage 3 ``zero.Init``, which transformers uses, leaves a
  rank its part of each module before the next is made; without it ``deepspeed.initialize`` moves the whole model to
  each card first (``runtime/engine.py``, ``_configure_distributed_model``). Stages 1 and 2 lay the weights flat on
  the card only where it has room for a copy (``stage_1_and_2.py``, ``flatten_on_gpu``).

Saving: weights and optimizer states lie there, gradients are gone where the step freed them.

- One GPU, DDP, ZeRO-1 and 2, Megatron, shards of FSDP (DCP): each tensor goes to the host as it is.
- FSDP, a full state dict: a unit at a time in the shards' own precision (FSDP1, ``_state_dict_utils.py``; the last is
  the one outside the layers, whose copies lie beside it), a parameter at a time (FSDP2, ``_gather_state_dict``), moved
  to the host before the next where it is offloaded, as accelerate does
  (``FullStateDictConfig(offload_to_cpu=True, rank0_only=True)``). torch's default is not to (``fsdp/api.py``): then
  all of it stays on the card. Shards (accelerate's default for FSDP2, ``utils/dataclasses.py``) take nothing, but FSDP1
  gathers its units for them, too, and copies the rank's part of each parameter.
- ZeRO-3, 16-bit weights: the parameters of one module at a time (``engine.py``,
  ``_zero3_consolidated_16bit_state_dict``).
"""

from __future__ import annotations

from collections.abc import Mapping

from medic.i18n import Text
from medic.memory import details
from medic.memory.quantities import Quantities
from medic.memory.resident import HEAVY, Parts, local_parameters, reference_model, states_of
from medic.memory.setup import Setup
from medic.memory.states import WEIGHT
from medic.run_config import RunConfig

HALF = 2  # bytes of a 16-bit value
OWN_LOOP = "own-loop"
LOAD, FIRST, SAVE = "load", "first step", "save"
# What of a phase no measured row stands behind, where it makes the peak.
TERMS = {
    LOAD: Text("the whole model on each rank before it is sharded", "切分前每个 rank 上的完整模型"),
    SAVE: Text("a full state dict gathered on the card", "在显卡上聚合完整的 state dict"),
}


def whole_at_load(config: RunConfig, *, sharded: bool) -> tuple[bool, bool, bool]:
    """Whether the whole model lies on each card before it is sharded: low, likely and high."""
    if not sharded:
        return False, False, False
    if details.flag(config, "sharded_start") is False:
        return True, True, True
    return _told(config, details.flag(config, "whole_start"))


def whole_at_save(config: RunConfig) -> tuple[bool, bool, bool]:
    """Whether FSDP's full state dict is gathered on the card and stays there."""
    if config.get("fsdp") is not True:
        return False, False, False
    return _told(config, details.flag(config, "whole_save"))


def saves_shards(config: RunConfig) -> bool:
    """Whether FSDP's ranks save their shards: told, or accelerate's default."""
    told = details.word(config, "state_dict_type")
    if told or config.framework == OWN_LOOP:
        return "sharded" in told
    return details.count(config, "fsdp_version", 1) == 2


def _told(config: RunConfig, told: bool | None) -> tuple[bool, bool, bool]:
    """What a loop of one's own says; trainers never do it."""
    if told is None:
        return False, False, config.framework == OWN_LOOP
    return told, told, told


def held_bytes(setup: Setup) -> float:
    """Of one weight as it is loaded and sharded."""
    return setup.frozen_bytes if setup.lora else WEIGHT[setup.style]


def loading(step: Quantities, always: Parts) -> Parts:
    """Parts alive at the fullest moment of loading; ``always``: what stays through the steps."""
    setup, states = step.setup, states_of(step.setup)
    parts = {"context": always["context"], "weights": states.weights}
    if setup.reference:
        parts["reference model"] = reference_model(setup)
    # Of frozen weights there are no wide ones (``stage_1_and_2.py`` takes what the optimizer is given).
    if setup.style == "master" and not setup.offloaded and not setup.lora:
        share = setup.shards if setup.zero else 1
        parts["optimizer"] = int(4 * local_parameters(setup) / share)
    if setup.engine == "megatron":  # its buffer of gradients is made with the model
        parts["gradients"] = states.gradients
    if setup.whole_at_load:
        whole = local_parameters(setup)
        if (
            setup.flat and setup.view == HEAVY
        ):  # the last unit's flat copy finds no block that was freed
            whole += step.shape.ends // setup.tensor
        return {**parts, "weights": int(whole * held_bytes(setup))}
    passing = _passing_at_load(step)
    return {**parts, "passing weights": passing} if passing else parts


def _passing_at_load(step: Quantities) -> int:
    setup, shape = step.setup, step.shape
    if setup.quantised:
        packed = shape.hidden * max(shape.ffn, shape.q) * HALF
        cast = HALF * shape.embedding if setup.frozen_ends > HALF else 0
        return int(max(packed, cast)) // setup.tensor
    if setup.zero != 3:
        return 0
    if setup.engine == "deepspeed":
        return HALF * shape.embedding // setup.tensor
    unit = max(shape.ends, shape.layer)
    return int((2 if setup.flat else 1) * held_bytes(setup) * unit) // setup.tensor


def saving(step: Quantities, always: Parts) -> Parts:
    """Parts alive at the fullest moment of saving; ``always``: what stays between two steps."""
    setup, shape = step.setup, step.shape
    if setup.zero != 3:
        return always
    if setup.whole_at_save:
        whole = local_parameters(setup) + (shape.ends // setup.tensor if setup.flat else 0)
        return {**always, "gathered weights": int(whole * held_bytes(setup))}
    if setup.engine == "deepspeed":
        return {**always, "gathered weights": HALF * shape.embedding // setup.tensor}
    values: float = max(shape.ends, shape.layer) if setup.flat else shape.embedding
    if setup.saves_shards:
        values = values + local_parameters(setup) / setup.shards if setup.flat else 0
    return {**always, "gathered weights": int(held_bytes(setup) * values) // setup.tensor}


def by_formula(setup: Setup) -> tuple[str, ...]:
    """Of loading, the first step and saving those that no measured row stands behind."""
    spread = setup.tensor > 1 or setup.pipeline > 1 or setup.engine in ("deepspeed", "megatron")
    return (LOAD, FIRST, SAVE) if spread or setup.offloaded else ()


def could_take(setup: Setup, heavy: Mapping[str, Parts], peak: int) -> dict[str, int]:
    """Bytes of loading and of saving where the whole model may lie on the card, which is open, as far as
    that is above the ``peak``."""
    sure = {LOAD: setup.whole_at_load, SAVE: setup.whole_at_save}
    sizes = {name: sum(heavy[name].values()) for name in sure if not sure[name]}
    return {name: total for name, total in sizes.items() if total > peak}
