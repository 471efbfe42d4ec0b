"""The last norm, the logits and the loss of a trace, forwards and backwards.

The order is that of transformers' causal models, read off allocation histories (torch 2.11).
"""

from __future__ import annotations

from medic.memory import activations as act
from medic.memory.allocator import Block
from medic.memory.peak import Step
from medic.memory.setup import Setup
from medic.memory.shape import Shape
from medic.memory.states import WEIGHT
from medic.memory.tape import Sizes, Tape


class Head:
    """What ``Trace`` does at the end of the forward pass and at the start of the backward pass."""

    step: Step
    setup: Setup
    shape: Shape
    sizes: Sizes
    loss: Tape
    outputs: list[Block | None]

    # What the trace that this is a part of does with gradients, and with the inputs of the layers.
    def _end_gradient(self, *, first: bool) -> None: ...
    def _workspace(self, thread: int) -> None: ...
    def _forward_ends(self, inputs: list[Block | None]) -> None: ...

    def _head_forward(self, inputs: list[Block | None]) -> None:
        setup, sizes, t = self.setup, self.sizes, self.loss
        if setup.is_last:
            self._norm()
        self._forward_ends(inputs)
        if not setup.is_last:
            return
        if sizes.autocast:
            t.new("weight", 2 * sizes.embedding)
            t.new("in", sizes.whole(2))
        if setup.fused_loss:
            self._fused_loss()
            return
        each = sizes.tokens * sizes.vocab
        if sizes.split > 1:  # each rank's part, then gathered
            t.new("part", sizes.inner * each // sizes.split)
            t.new("gathered", sizes.inner * each)
        t.new("logits", sizes.inner * each)
        t.drop("gathered", "part")
        if sizes.inner == 2:
            t.new("float", 4 * each)
        t.new("soft", 4 * each)
        if setup.pipeline > 1:
            self.outputs.append(t.held.pop("logits"))
        t.drop("float", *(("out",) if sizes.autocast else ()), "logits")

    def _norm(self) -> None:
        """In fp32; of a 16-bit stream its input and result are cast."""
        sizes, t = self.sizes, self.loss
        narrow = sizes.stream == 2
        if narrow:
            t.new("wide", sizes.residual(4))
        t.passing(sizes.residual(4))
        t.new("norm", sizes.residual(4))
        if narrow:
            t.new("low", sizes.residual(2))
        t.new("out", sizes.residual(sizes.stream))
        if narrow:
            t.drop("norm", *(("low",) if self.setup.lora else ()))

    def _fused_loss(self) -> None:
        t, setup = self.loss, self.setup
        chunk = self.step.tokens * act.fused_loss_bytes(self.shape)
        t.new("chunk", chunk)
        if not setup.lora:
            self._end_gradient(first=True)
            t.passing(self.step.fused_loss_fixed() - self.sizes.embedding * self.weight())
        t.drop("chunk")

    def weight(self) -> int:
        return WEIGHT[self.setup.style]

    def _head_backward(self) -> None:
        setup, sizes, t = self.setup, self.sizes, self.loss
        if not setup.is_last:
            t.new("g", sizes.residual(sizes.stream))
            return
        if not setup.fused_loss:
            self._logits_back()
        if "hidden" not in t.held and (setup.fused_loss or sizes.autocast or sizes.split > 1):
            t.new("hidden", sizes.whole(sizes.stream))
            t.drop("d.in")
        t.drop("in", "weight", "out")
        self._norm_back()

    def _norm_back(self) -> None:
        sizes, t = self.sizes, self.loss
        low, wide = sizes.residual(sizes.stream), sizes.residual(4)
        t.new("a", low)
        t.passing(low, 8 * sizes.rows * sizes.h)
        t.drop("hidden", "d.in", "norm", "low")
        t.new("b", wide)
        t.new("c", wide)
        t.drop("a", "b")
        t.passing(wide, wide, wide, wide)
        t.drop("wide")
        if sizes.stream == 2:
            t.new("g", low)
            t.drop("c")
        else:
            t.held["g"] = t.held.pop("c")

    def _logits_back(self) -> None:
        sizes, t = self.sizes, self.loss
        each = sizes.tokens * sizes.vocab
        t.new("losses", 4 * each)
        t.new("back", 4 * each)
        t.drop("losses", "soft")
        if sizes.inner == 2:
            t.new("back", 2 * each)
        if sizes.split > 1:
            t.new("back", sizes.inner * each // sizes.split)
        if sizes.autocast and not self.setup.lora:
            t.new("weight gradient", 2 * sizes.embedding)
            self._workspace(1)
        elif not self.setup.lora:
            self._end_gradient(first=True)
        self._workspace(1)
        t.new("d.in", sizes.whole(sizes.inner))
        t.drop("back")
        if sizes.autocast and not self.setup.lora:
            t.drop("weight", "in")
            t.new("hidden", sizes.whole(4))
            t.drop("d.in")
            self._end_gradient(first=True)
            t.drop("weight gradient")
