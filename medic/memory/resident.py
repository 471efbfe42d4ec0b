"""What one rank holds through the whole step, in bytes on the fullest GPU."""

from __future__ import annotations

from medic.memory import overheads
from medic.memory.setup import Setup
from medic.memory.states import ADAPTER, States, model_states

Parts = dict[str, int]


def local_parameters(setup: Setup) -> float:
    """Parameters of the rank that has most: an end of the pipeline with its share of layers."""
    shape = setup.shape
    if shape is None or setup.pipeline == 1:
        return setup.parameters / (setup.tensor * setup.pipeline)
    layers = -(-shape.layers // setup.pipeline)
    share = (layers * shape.layer + shape.embedding) / shape.parameters
    return setup.parameters * share / setup.tensor


def states_of(setup: Setup) -> States:
    """Weights, gradients and optimizer states of one rank."""
    local = local_parameters(setup)
    if setup.lora:
        return _adapter_states(setup, local)
    return model_states(
        local,
        setup.style,
        setup.optimizer,
        gradient_bytes=setup.gradient_bytes,
        zero=setup.zero,
        shards=setup.shards,
        offloaded=setup.offloaded,
    )


def _adapter_states(setup: Setup, local: float) -> States:
    """Frozen weights, and fp32 adapters with fp32 moments."""
    frozen = local * setup.frozen_bytes / (setup.shards if setup.zero == 3 else 1)
    if setup.shape is None:
        return States(int(frozen), 0, 0)
    trained = setup.shape.adapters(setup.lora, every=setup.every_map)
    trained //= setup.tensor * setup.pipeline
    moments = 0 if setup.offloaded else int(trained * 4 * setup.optimizer.moments)
    return States(int(frozen) + trained * ADAPTER, trained * ADAPTER, moments)


def fixed(setup: Setup, states: States) -> Parts:
    """What is there beside the tensors of the model."""
    view = setup.view
    nccl = 0 if setup.engine == "single" else overheads.NCCL[view]
    parts = {"context": overheads.CONTEXT[view] + nccl, "workspace": overheads.WORKSPACE}
    if setup.engine == "ddp":
        parts["buckets"] = states.gradients
    if setup.engine == "deepspeed" and view:
        values = min(local_parameters(setup), overheads.DEEPSPEED_BUCKET)
        parts["buckets"] = int(2 * view * values)
    return parts
