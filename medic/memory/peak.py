"""The phases of a training step and what is alive in each, in bytes on the fullest GPU."""

from __future__ import annotations

from collections.abc import Mapping

from medic.memory import activations as act
from medic.memory.resident import Parts, fixed, states_of
from medic.memory.setup import Setup
from medic.memory.shape import Shape
from medic.memory.states import WEIGHT
from medic.records import dataclass


@dataclass(frozen=True)
class Step:
    """One micro batch through the model: ``tokens`` of one rank in sequences of ``sequence``."""

    setup: Setup
    shape: Shape
    tokens: int
    sequence: int

    def phases(self) -> Mapping[str, Parts]:
        """Parts alive at the peak of the loss, the backward pass and the optimizer step."""
        states = states_of(self.setup)
        always = {
            **fixed(self.setup, states),
            "weights": states.weights,
            "optimizer": states.optimizer,
        }
        whole = {**always, "gradients": states.gradients}
        if self.setup.accumulation > 1:
            always = whole
        backward = (self._first(always), self._last(whole), self._embedding(whole))
        return {
            "forward": self._forward(always),
            "loss": self._loss(always),
            "backward": max(backward, key=size),
            "optimizer step": self._optimizer_step(whole, states.optimizer),
        }

    # --- phases -----------------------------------------------------------------------------

    def _loss(self, always: Parts) -> Parts:
        return {
            **always,
            **self._gathered(self.setup.view),
            "activations": self.kept(),
            "logits": self.logits(),
            "weight copies": self._copies(),
        }

    def _forward(self, always: Parts) -> Parts:
        """The end of the forward pass: autocast still caches its copies of all weights.

        The logits, their fp32 copy and the log-softmax are alive, no gradient of them yet.
        """
        parts = self._loss(always)
        if self.setup.style == "autocast":
            parts["weight copies"] = self._copies(cached=True)
        if not self.setup.fused_loss:
            parts["logits"] = parts["logits"] * act.FORWARD_LOGIT_BYTES // act.LOGIT_BYTES
        return parts

    def _embedding(self, whole: Parts) -> Parts:
        """The end of the backward pass: a tied weight's second gradient beside its first."""
        if not self.shape.tied or self.setup.lora:
            return whole
        more = WEIGHT[self.setup.style] * self.shape.embedding // self.setup.tensor
        return {**whole, "second embedding gradient": more}

    def _first(self, always: Parts) -> Parts:
        """The first layer that the backward pass reaches: all other activations still wait."""
        layer = self._live_layer()
        # A layer that was not recomputed is among the activations already.
        extra = layer if self.setup.recompute else max(0, layer - int(self.tokens * self.each()))
        trains_head = 0 if self.setup.lora else WEIGHT[self.setup.style]
        head = trains_head * self.shape.embedding // self.setup.tensor
        return {
            **always,
            **self._gathered(1 + self.setup.view),
            "gradients": max(always.get("gradients", 0), head),
            "activations": self.kept() + extra,
            "weight copies": self._copies(),
        }

    def _last(self, whole: Parts) -> Parts:
        """The last layer: all gradients are there."""
        parts = {**whole, **self._gathered(0), "activations": self._live_layer()}
        if self.setup.zero == 3 and self.setup.view and not self.setup.lora:
            # Gradients outside the layers in bf16 and, to be reduced, in fp32.
            parts["gradients before sharding"] = 6 * self.shape.ends // self.setup.tensor
        return parts

    def _optimizer_step(self, whole: Parts, moments: int) -> Parts:
        setup, parts = self.setup, dict(whole)
        way = setup.optimizer.temporaries
        if way == "all" and setup.optimizer.moments:
            copies = 2 if setup.engine == "fsdp" and setup.view == 2 else 1  # FSDP1's flat weights
            parts["temporaries"] = int(copies * moments / setup.optimizer.moments)
        elif way == "largest" and not setup.lora:
            parts["temporaries"] = 2 * WEIGHT[setup.style] * self.shape.embedding // setup.tensor
        return parts

    @property
    def fused_attention(self) -> bool:
        """Whether no attention scores are kept.

        torch's fused kernels for grouped queries take half precision only; in fp32 its sdpa falls
        back to plain matrix products.
        """
        setup, shape = self.setup, self.shape
        grouped = shape.kv_heads < shape.heads
        return setup.fused_attention and not (setup.style == "fp32" and grouped)

    # --- parts ------------------------------------------------------------------------------

    def kept(self) -> int:
        """Activations that wait for the backward pass."""
        setup = self.setup
        layers = -(-self.shape.layers // setup.pipeline)
        in_flight = min(setup.pipeline, max(1, setup.accumulation))
        each = self.each()
        if setup.recompute:
            each = act.stored_input_bytes(self.shape, setup.style) * self._split()
        head = act.head_bytes(self.shape, setup.style)
        return int(self.tokens * (layers * each * in_flight + head))

    def logits(self) -> int:
        setup = self.setup
        if setup.fused_loss:
            return self.tokens * act.fused_loss_bytes(self.shape) + self.fused_loss_fixed()
        each = act.COMPILED_LOGIT_BYTES if setup.compiled else act.LOGIT_BYTES
        if setup.view == 0 and not setup.known:
            each = act.LEAST_LOGIT_BYTES
        return self.tokens * each * self.shape.vocab // setup.tensor

    def fused_loss_fixed(self) -> int:
        """Gradient of the head's weight, computed in the forward pass, and its temporaries."""
        if self.setup.lora:
            return 0
        each = act.fused_loss_weight_bytes(self.setup.style)
        return each * self.shape.embedding // self.setup.tensor

    def _split(self) -> float:
        """Share of activations that tensor parallelism leaves on a rank.

        Without sequence parallelism norms and inputs stay whole (Korthikanti: 10 + 24/t of 34).
        """
        tensor = self.setup.tensor
        return 1 / tensor if self.setup.view == 0 else (10 + 24 / tensor) / 34

    def each(self) -> float:
        """Bytes per token that one layer keeps, not recomputed."""
        setup, shape = self.setup, self.shape
        kept = act.layer_bytes(shape, setup.style, self.sequence, fused=self.fused_attention)
        if setup.lora:
            kept += act.adapter_bytes(shape, setup.style, every=setup.every_map)
        factor = act.COMPILED_SHARE if setup.compiled else 1.0
        return kept * factor * setup.error * self._split()

    def _live_layer(self) -> int:
        setup, shape = self.setup, self.shape
        live = act.live_layer_bytes(shape, setup.style, self.sequence, fused=self.fused_attention)
        return int(self.tokens * live * setup.error * self._split())

    def _copies(self, *, cached: bool = False) -> int:
        """bf16 copies of fp32 weights that autocast makes and the backward pass needs.

        ``cached``: those that autocast keeps to the end of the forward pass.
        """
        if self.setup.style != "autocast" or (cached and self.setup.lora):
            return 0
        layers = (
            0 if self.setup.recompute and not cached else self.shape.layers // self.setup.pipeline
        )
        values = layers * self.shape.matrices + self.shape.embedding
        return 2 * values // self.setup.tensor

    def _gathered(self, layers: int) -> Parts:
        """Weights that FSDP and ZeRO-3 hold whole: outside the layers, and of some layers."""
        if self.setup.zero != 3:
            return {}
        whole = self.shape.ends + layers * self.shape.layer
        return {"gathered weights": 2 * whole // self.setup.tensor}


def size(parts: Parts) -> int:
    return sum(parts.values())


def step_of(setup: Setup) -> Step | None:
    """The step, or None if the shape, the micro batch or the sequence length is unknown."""
    if setup.shape is None or setup.micro is None or setup.sequence is None:
        return None
    tokens = setup.micro * setup.sequence // setup.context
    return Step(setup, setup.shape, tokens, setup.sequence)
