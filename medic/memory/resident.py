"""What one rank holds through the whole step, in bytes on the fullest GPU."""

from __future__ import annotations

from medic.memory import overheads
from medic.memory.setup import Setup
from medic.memory.states import ADAPTER, WEIGHT, States, model_states
from medic.records import dataclass

Parts = dict[str, int]
HEAVY = 2  # the heaviest view


@dataclass(frozen=True)
class Local:
    """Parameters of one rank: experts, embeddings with the head, and the rest."""

    experts: float
    outer: float
    rest: float

    @property
    def total(self) -> float:
        return self.experts + self.outer + self.rest


def local(setup: Setup) -> Local:
    """The parameters of the rank's stage, split by tensor and expert parallelism.

    Norms stay whole under tensor parallelism; they are less than a thousandth.
    """
    shape = setup.shape
    if shape is None:
        return Local(0.0, 0.0, setup.parameters / (setup.tensor * setup.pipeline))
    layers = setup.stage_layers
    dense = shape.experts.dense if shape.experts else 0
    with_experts = layers if setup.pipeline > 1 else layers - dense
    experts = with_experts * shape.expert_values
    inside = shape.inside * layers / shape.layers
    ends = setup.embeddings * shape.embedding
    # The stated number of parameters counts what the shape leaves out (biases, positions).
    factor = setup.parameters / shape.parameters if setup.parameters else 1.0
    return Local(
        factor * experts / ((setup.expert_tensor or setup.tensor) * setup.expert),
        factor * ends / setup.tensor,
        factor * max(0.0, inside - experts) / setup.tensor,
    )


def local_parameters(setup: Setup) -> float:
    """Parameters of one rank before they are sharded."""
    return local(setup).total


def states_of(setup: Setup) -> States:
    """Weights, gradients and optimizer states of one rank."""
    here = local(setup)
    if setup.lora:
        return _adapter_states(setup, here)
    # Experts are spread over the ranks already: fewer replicas are left to shard over, or more where
    # tensor parallel ranks hold others.
    spread = (setup.expert_tensor or setup.tensor) * setup.expert
    parts = (
        (here.outer + here.rest, here.outer, setup.shards),
        (here.experts, 0.0, max(1, setup.shards * setup.tensor // spread)),
    )
    each = [
        model_states(
            parameters,
            setup.style,
            setup.optimizer,
            gradient_bytes=setup.gradient_bytes,
            zero=setup.zero,
            shards=shards,
            offloaded=setup.offloaded,
            outer=outer,
        )
        for parameters, outer, shards in parts
    ]
    found = States(*(sum(values) for values in zip(*map(_three, each), strict=True)))
    if setup.parameters_offloaded:
        return States(0, 0, 0)
    if setup.in_part and setup.view < HEAVY:  # how large the part is, no formula tells
        return States(found.weights, 0, 0)
    # DeepSpeed keeps gradients of offloaded partitions in pinned host memory.
    away = setup.offloaded and setup.engine == "deepspeed" and setup.zero >= 2
    return States(found.weights, 0, found.optimizer) if away else found


def _three(states: States) -> tuple[int, int, int]:
    return states.weights, states.gradients, states.optimizer


def _adapter_states(setup: Setup, here: Local) -> States:
    """Frozen weights, and fp32 adapters with fp32 moments, sharded as all else is."""
    ends = setup.frozen_ends or setup.frozen_bytes
    frozen = (here.experts + here.rest) * setup.frozen_bytes + here.outer * ends
    frozen /= setup.shards if setup.zero == 3 else 1
    if setup.parameters_offloaded:
        # torch ``fsdp/_fully_shard``, ``CPUOffloadPolicy``: gradients and moments lie where the weights do.
        if setup.engine == "fsdp":
            return States(0, 0, 0)
        frozen = 0.0
    if setup.shape is None:
        return States(int(frozen), 0, 0)
    trained = setup.shape.adapters(setup.lora, setup.adapted)
    # peft trains a copy of a module that is to be saved whole (``modules_to_save``).
    trained += setup.saved_ends * setup.shape.embedding
    trained //= setup.tensor * setup.pipeline
    each = setup.optimizer.moments * (setup.optimizer.moment_bytes or ADAPTER)
    wide, shards = trained * ADAPTER, max(1, setup.shards)
    moments = 0 if setup.offloaded else int(trained * each / (shards if setup.zero else 1))
    weights = wide // (shards if setup.zero == 3 else 1)
    gradients = wide // (shards if setup.zero >= 2 else 1)
    return States(int(frozen) + weights, gradients, moments)


def fixed(setup: Setup, states: States) -> Parts:
    """What is there beside the tensors of the model."""
    view = setup.view
    nccl = 0 if setup.engine == "single" else overheads.NCCL[view]
    parts = {"context": overheads.CONTEXT[view] + nccl, "workspace": overheads.WORKSPACE}
    if setup.reference:
        parts["reference model"] = reference_model(setup)
    if setup.engine == "ddp":
        # Beside the gradients; with gradient_as_bucket_view=True in their place.
        parts["buckets"] = 0 if setup.bucket_view else states.gradients
    if setup.engine == "deepspeed" and setup.zero == 3:
        parts["buckets"] = deepspeed_buckets(setup)
    if setup.engine == "deepspeed" and setup.zero < 3 and setup.offloaded and setup.shape:
        # One gradient on its way to the host (``temp_grad_buffer_for_gpu_offload``).
        parts["buckets"] = 2 * setup.shape.embedding // setup.tensor
    return parts


def reference_model(setup: Setup) -> int:
    """Weights of the frozen copy of the model that preferences are measured against."""
    return int(local_parameters(setup) * setup.reference / (setup.shards if setup.zero == 3 else 1))


def deepspeed_buckets(setup: Setup) -> int:
    """DeepSpeed's contiguous reduce bucket in 16 bits, two where communication overlaps
    (deepspeed/runtime/zero/stage_1_and_2.py, ``ipg_buffer``; none larger than the model)."""
    values = min(local_parameters(setup), setup.bucket or overheads.DEEPSPEED_BUCKET)
    copies = (1, 1, 2)[setup.view] if setup.overlap is None else 1 + setup.overlap
    if setup.lora:
        return 0
    return int(2 * copies * values)


def gradient_bytes(setup: Setup) -> int:
    """Of one gradient value as the backward pass keeps it."""
    return setup.gradient_bytes or WEIGHT[setup.style]
