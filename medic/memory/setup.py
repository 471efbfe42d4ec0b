"""All that the formulas need of a run: one of its three set-ups, low, likely or high."""

from __future__ import annotations

from typing import Literal

from medic.memory.shape import MAPS, Shape
from medic.memory.states import ADAMW, Optimizer, Style
from medic.records import dataclass

# group: ranks that share one model and no replica of it.
Engine = Literal["single", "group", "ddp", "deepspeed", "fsdp", "megatron"]


@dataclass(frozen=True)
class Setup:
    """All that the formulas need. ``shape``, ``micro`` and ``sequence`` are None where unknown."""

    shape: Shape | None
    parameters: int
    micro: int | None
    sequence: int | None
    style: Style = "fp32"
    optimizer: Optimizer = ADAMW
    gradient_bytes: int = 0  # 0: the style's own
    zero: int = 0  # FSDP counts as 3
    shards: int = 1
    engine: Engine = "single"
    tensor: int = 1
    pipeline: int = 1
    stage: int = 0  # of the pipeline
    chunks: int = 1  # model chunks of an interleaved pipeline stage
    all_forward_first: bool = False  # GPipe's schedule instead of 1F1B
    context: int = 1
    expert: int = 1
    expert_tensor: int = 0  # ranks that share each expert; 0: as many as share a layer
    sequence_parallel: bool = False
    gathered_inputs: bool = False  # what maps take is kept gathered, not gathered again (DTensor)
    loss_parallel: bool = False  # logits and loss are split over tensor parallel ranks
    lora: int = 0  # rank of the adapters; 0: all weights are trained
    saved_ends: int = 0  # embedding and head that are trained beside adapters
    adapted: tuple[str, ...] = MAPS  # the maps of a layer that have adapters
    own_adapters: bool = False  # modules of one's own that take their input as it is, not peft's
    frozen_bytes: float = 0.0
    frozen_ends: float = 0.0  # of embeddings and head, where they differ
    offloaded: bool = False
    parameters_offloaded: bool = False
    flat: bool = False  # FSDP1, whose layers are one flat weight each
    reshard: bool = True  # FSDP gives gathered layers up after their forward pass
    bucket: int = 0  # DeepSpeed's reduce bucket in values; 0: its default
    overlap: bool | None = None
    bucket_view: bool = False
    quantised: bool = False
    fp8: bool = False
    mixture: bool = False  # the model has experts
    in_part: bool = False  # gradients and moments are those of a part of the weights
    more_models: bool = False  # a reference model, a critic, a rollout engine
    preferring: bool = False  # of these a reference model alone, and answers in pairs
    reference_logits: bool = False  # whole, beside those of the trained model
    reference: int = 0  # bytes of a weight of a frozen copy of the model; 0: there is none
    unsloth: bool = False  # its kernels, which keep less
    own_modules: bool = False  # the trainer's own code, of whatever family the model is
    known: bool = False  # the model's code is one that was measured
    casts: bool = False  # autocast runs, also over weights in 16 bits
    recompute: bool = False
    recomputed_share: float = 1.0  # of the layers, where ``recompute``
    attention_recomputed: bool = False
    modules_recomputed: bool = (
        False  # chosen ones beside attention's core, which are not told apart
    )
    by_operator: bool = False  # recomputed layers keep what some operators gave
    fused_attention: bool = True
    window: int = 0  # tokens that all layers look back at, by a mask; 0: all
    padded: bool = False  # a micro batch holds padding, which fused attention is told by a mask
    fused_gate: bool = False
    lean_norms: bool = False  # norms keep their input only
    local_layers: bool = False  # Megatron's own, without Transformer Engine
    compiled: bool = False
    fused_loss: bool = False
    logit_bytes: int = 0  # of a loss whose gradient takes the logits' place; 0: the usual one
    loss_chunks: int = 0  # torchtune's losses in chunks of the tokens; 0: all at once
    whole_logits: bool = False  # of these the one that is handed all logits
    old_liger: bool = False  # before 0.8.5, whose fused loss takes more
    accumulation: int = 1
    evaluation: int = 0  # sequences of an evaluation step; 0: unknown
    lean_evaluation: bool = False  # its logits are never whole
    whole_at_load: bool = False  # the model lies on each card before it is sharded
    saves_shards: bool = False  # of FSDP, not a full state dict
    whole_at_save: bool = False  # FSDP's full state dict stays on the card
    error: float = 1.0  # factor on activations
    view: int = 1  # 0 low, 1 likely, 2 high

    @property
    def passing_style(self) -> Style:
        """The style of activations: 16-bit embeddings under adapters keep the stream in 16 bits."""
        narrow = self.lora and self.quantised and self.frozen_ends == 2
        return "pure" if narrow and self.style == "autocast" else self.style

    @property
    def adapter_width(self) -> int:
        """Bytes of a kept input value of an adapter: peft takes it in fp32 (peft,
        ``_cast_input_dtype``), which autocast casts to 16 bits; a norm that was made fp32 (peft,
        ``prepare_model_for_kbit_training``) hands it over so, and what is kept is its 16-bit form."""
        if self.own_adapters and self.style == "pure":
            return 2
        wide_norms = self.quantised and self.frozen_ends != 2
        return 2 if self.casts or wide_norms or self.style == "autocast" else 4

    @property
    def shares_inputs(self) -> bool:
        """Whether adapters keep their input itself, one for all maps that it goes into."""
        return self.own_adapters and self.passing_style == "pure"

    @property
    def recomputes_some(self) -> bool:
        """Whether some layers, or some of a layer, are recomputed, and others kept."""
        return self.recompute and (self.by_operator or self.recomputed_share < 1)

    @property
    def every_map(self) -> bool:
        """Whether adapters lie on all linear maps."""
        return len(self.adapted) == len(MAPS)

    @property
    def int8(self) -> bool:
        """Whether frozen maps are int8 and not 4-bit."""
        return self.quantised and self.frozen_bytes > 1

    @property
    def stage_layers(self) -> int:
        """Layers of this pipeline stage."""
        return -(-self.shape.layers // self.pipeline) if self.shape else 0

    @property
    def is_first(self) -> bool:
        return self.stage == 0

    @property
    def is_last(self) -> bool:
        return self.stage == self.pipeline - 1

    @property
    def embeddings(self) -> int:
        """Embedding-sized matrices on this stage: a tied one lies on both ends of a pipeline."""
        both = self.is_first + self.is_last
        return min(both, 1) if self.shape is not None and self.shape.tied else both

    @property
    def in_flight(self) -> float:
        """Micro batches whose activations wait on this stage (Narayanan et al. 2021, section 2.2:
        1F1B keeps at most as many as stages follow, interleaving (p - 1)/v more)."""
        steps = max(1, self.accumulation)
        if self.pipeline == 1:
            return 1
        if self.all_forward_first:
            return steps
        follow = self.pipeline - self.stage
        if self.chunks > 1:
            warm = (follow - 1) * 2 + (self.chunks - 1) * self.pipeline + 1
            return min(warm / self.chunks, steps)
        return min(follow, steps)
