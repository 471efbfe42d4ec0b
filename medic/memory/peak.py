"""The phases of a training step and what is alive in each, in bytes on the fullest GPU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from medic.memory import activations as act
from medic.memory.loading import FIRST, LOAD, SAVE, loading, saving
from medic.memory.quantities import Quantities
from medic.memory.resident import Parts, deepspeed_buckets, fixed, states_of
from medic.memory.setup import Setup
from medic.memory.states import WEIGHT
from medic.records import dataclass, replace

_TRAINING = ("forward", "loss", "backward", "optimizer step")
_ORDER = (LOAD, FIRST, *_TRAINING, "second step", "outputs joined", SAVE, "evaluation")


@dataclass(frozen=True)
class Step(Quantities):
    """One micro batch through the model: ``tokens`` of one rank in sequences of ``sequence``."""

    @cached_property
    def phases(self) -> Mapping[str, Parts]:
        """Parts alive at the peak of the loss, the backward pass and the optimizer step."""
        states = states_of(self.setup)
        always = {
            **fixed(self.setup, states),
            "weights": states.weights,
            "optimizer": states.optimizer,
        }
        whole, between = {**always, "gradients": states.gradients}, always
        if self._keeps_gradients():
            always = whole
        backward = (self._first(always), self._last(whole), self._embedding(whole))
        found = {
            LOAD: loading(self, always),
            "forward": self._forward(always),
            "loss": self._loss(always),
            "backward": max(backward, key=size),
            "optimizer step": self._optimizer_step(whole),
        }
        found[FIRST] = self._first_step(found)
        if self.setup.engine == "ddp":
            found["second step"] = self._rebuilding(found, states.gradients)
        outputs = self.pipeline_outputs()
        if outputs:
            joined = {"joined outputs": sum(outputs.values())}
            found["outputs joined"] = {**whole, **self.pipeline_buffers(), **outputs, **joined}
        found[SAVE] = saving(self, always if self._lasting_gradients() else between)
        if self.setup.evaluation:
            found["evaluation"] = self._evaluation(states.weights, always)
        return {name: found[name] for name in _ORDER if name in found}

    def _first_step(self, found: Mapping[str, Parts]) -> Parts:
        """The fullest moment of the first step: up to the optimizer's own there are no moments yet
        (torch ``optim/adamw.py``: ``_init_group`` makes them at the first step). DeepSpeed's ZeRO-3 makes
        them before it (``stage3.py``, ``initialize_optimizer_states``)."""
        setup = self.setup
        made = found[LOAD].get("optimizer", 0)
        if setup.engine == "deepspeed" and setup.zero == 3:
            return max((found[name] for name in _TRAINING), key=size)
        before = [{**found[name], "optimizer": made} for name in _TRAINING[:-1]]
        return max((*before, found[_TRAINING[-1]]), key=size)

    def _keeps_gradients(self) -> bool:
        """Whether gradients are there in every forward pass."""
        setup = self.setup
        return setup.accumulation > max(1, setup.in_flight) or self._lasting_gradients()

    def _lasting_gradients(self) -> bool:
        """Whether they are there between steps, too. ZeRO-3 has a buffer for them."""
        setup = self.setup
        buffer = setup.engine == "deepspeed" and setup.zero == 3
        return setup.engine == "megatron" or setup.bucket_view or buffer

    def _bucket(self) -> Parts:
        """DeepSpeed's reduce bucket, made in the backward pass of ZeRO-1 and 2."""
        setup = self.setup
        if setup.engine != "deepspeed" or setup.zero == 3:
            return {}
        return {"buckets": deepspeed_buckets(setup)}

    # --- phases -----------------------------------------------------------------------------

    def _loss(self, always: Parts) -> Parts:
        return {
            **always,
            **self.gathered(self.setup.view),
            "activations": self.kept(),
            "logits": self.logits(),
            "weight copies": self.copies(),
            **self.pipeline_buffers(),
            **self.pipeline_outputs(),
        }

    def _forward(self, always: Parts) -> Parts:
        """The end of the forward pass: autocast still caches its copies of all weights.

        The logits, their fp32 copy and the log-softmax are alive, no gradient of them yet.
        """
        parts = self._loss(always)
        if self.setup.style == "autocast":
            parts["weight copies"] = self.copies(cached=True)
        if not (self.setup.fused_loss or self.setup.logit_bytes):
            times = 2 if self.setup.reference_logits else 1
            parts["logits"] = parts["logits"] * act.FORWARD_LOGIT_BYTES * times // act.LOGIT_BYTES
        return parts

    def _embedding(self, whole: Parts) -> Parts:
        """The end of the backward pass: a tied weight's second gradient beside its first, and where
        no cast made them their sum; beside those of earlier micro batches, the first too."""
        setup, shape = self.setup, self.shape
        if not shape.tied or setup.lora or setup.pipeline > 1 or setup.engine == "megatron":
            return whole
        each = self._gradient_width() * shape.embedding // setup.tensor
        count = 1 if setup.style == "autocast" or setup.fused_loss else 2
        return {**whole, "second embedding gradient": (count + self._adds_up()) * each}

    def _gradient_width(self) -> int:
        """Bytes of a gradient value as the backward pass makes it."""
        return 2 if self.setup.style in ("shards", "master") else WEIGHT[self.setup.style]

    def _adds_up(self) -> bool:
        """Whether gradients of earlier micro batches lie in full beside a later one's."""
        setup = self.setup
        return setup.accumulation > 1 and setup.engine in ("single", "ddp", "group")

    def _first(self, always: Parts) -> Parts:
        """The first layer that the backward pass reaches: all other activations still wait."""
        setup = self.setup
        layer = self.live_layer()
        # A layer that was not recomputed is among the activations already.
        extra = layer if setup.recompute else max(0, layer - int(self.tokens * self.each()))
        trains_head = 0 if setup.lora or not setup.is_last else WEIGHT[setup.style]
        head = trains_head * self.shape.embedding // setup.tensor
        kept = always.get("gradients", 0)
        waits = self.shape.tied and setup.pipeline == 1 and self._adds_up()  # for the embedding's
        return {
            **always,
            **self.gathered(1 + setup.view),
            "gradients": kept + head if waits else max(kept, head),
            "activations": self.kept(head=False) + extra,
            "weight copies": self.copies(),
            **self.dequantised(),
            **self.pipeline_buffers(),
            **self.pipeline_outputs(),
            **self._bucket(),
        }

    def _last(self, whole: Parts) -> Parts:
        """The last layer: all gradients are there."""
        setup = self.setup
        mask = self.mask() if setup.recompute else 0
        parts = {**whole, **self.gathered(0), "activations": self.live_layer() + mask}
        if setup.zero == 3 and setup.view and not setup.lora and setup.engine == "fsdp":
            # Gradients outside the layers in bf16 and, to be reduced, in fp32; of weights that are in
            # bf16 themselves in bf16 (torch ``fsdp/_fully_shard/_fsdp_collectives.py``,
            # ``foreach_reduce``: the gradients' own type where no policy names another).
            each = 6 if setup.style == "shards" else 4
            parts["gradients before sharding"] = each * self.shape.ends // setup.tensor
        return {**parts, **self.dequantised(), **self._bucket()}

    def _optimizer_step(self, whole: Parts) -> Parts:
        setup, parts = self.setup, dict(whole)
        extra = self.optimizer_temporaries()
        if extra:
            parts["temporaries"] = extra
        if setup.engine == "deepspeed" and not setup.lora:
            parts["gradients in fp32"] = self.fp32_gradients()
        return parts

    def _rebuilding(self, found: Mapping[str, Parts], gradients: int) -> Parts:
        """DDP lays its buckets out anew after the first step, while the first ones are alive
        (torch/csrc/distributed/c10d/reducer.cpp, ``rebuild_buckets``; measured)."""
        fullest = max(("forward", "loss", "backward"), key=lambda name: size(found[name]))
        parts = dict(found[fullest])
        parts["buckets"] = parts.get("buckets", 0) + gradients
        return parts

    def _evaluation(self, weights: int, always: Parts) -> Parts:
        """Forward pass without gradients: logits of all sequences and one layer's results."""
        setup = self.setup
        tokens = setup.evaluation * self.sequence // setup.context
        logits = self.logits() if setup.lean_evaluation else 0
        if setup.is_last and not setup.lean_evaluation:
            logits = tokens * act.FORWARD_LOGIT_BYTES * self.shape.vocab // setup.tensor
        copies = 2 * weights // WEIGHT[setup.style] if setup.style == "autocast" else 0
        return {
            **{k: v for k, v in always.items() if k != "gradients"},
            **self.gathered(setup.view),
            "activations": tokens * 4 * self.shape.hidden,
            "logits": logits,
            "weight copies": copies,
        }


def size(parts: Parts) -> int:
    return sum(parts.values())


def step_of(setup: Setup) -> Step | None:
    """The step, or None if the shape, the micro batch or the sequence length is unknown."""
    if setup.shape is None or setup.micro is None or setup.sequence is None:
        return None
    tokens = setup.micro * setup.sequence // setup.context
    return Step(setup, setup.shape, tokens, setup.sequence)


@lru_cache(maxsize=64)
def steps_of(setup: Setup) -> tuple[Step, ...]:
    """The step on each stage of the pipeline that may be the fullest: the first and the last."""
    stages = (0, setup.pipeline - 1) if setup.pipeline > 1 else (0,)
    found = (step_of(replace(setup, stage=stage)) for stage in stages)
    return tuple(step for step in found if step is not None)
