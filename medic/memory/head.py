"""The last norm, the logits and the loss of a trace, forwards and backwards.

The order is that of transformers' causal models, read off allocation histories (torch 2.11).
"""

from __future__ import annotations

from collections.abc import Callable

from medic.memory import activations as act
from medic.memory.allocator import Allocator, Block
from medic.memory.peak import Step
from medic.memory.states import WEIGHT
from medic.memory.tape import Sizes, Tape


class HeadTrace:
    """Takes and frees in ``pool`` what the end of the forward pass and the start of the backward
    pass of a micro batch do. ``end_gradient`` keeps the gradient of the head's weight, ``product``
    is called before a matrix product of the backward pass."""

    def __init__(
        self,
        sizes: Sizes,
        step: Step,
        pool: Allocator,
        end_gradient: Callable[[], None],
        product: Callable[[], None],
    ) -> None:
        self.step, self.setup, self.shape, self.sizes = step, step.setup, step.shape, sizes
        self.end_gradient, self.product = end_gradient, product
        self.loss = Tape(pool)
        self.outputs: list[Block | None] = []  # logits that a pipeline keeps to the step's end

    def forward(self) -> None:
        """Logits and loss, behind ``norm``; only of a last stage."""
        setup, sizes, t = self.setup, self.sizes, self.loss
        if sizes.autocast:
            t.new("weight", 2 * sizes.embedding)
            t.new("in", sizes.whole(2))
        if setup.fused_loss:
            self._fused_loss()
            return
        if setup.loss_chunks:
            self._chunks()
            return
        each = sizes.tokens * sizes.vocab
        if self._gathers():  # each rank's part, then gathered
            t.new("part", sizes.inner * each // sizes.split)
            t.new("gathered", sizes.inner * each)
        t.new("logits", sizes.inner * each)
        t.drop("gathered", "part")
        if setup.logit_bytes:
            t.new("soft", (setup.logit_bytes - 2) * each)
            return
        if sizes.inner == 2:
            t.new("float", 4 * each)
        t.new("soft", 4 * each)
        if setup.pipeline > 1:
            self.outputs.append(t.held.pop("logits"))
        t.drop("float", *(("out",) if sizes.autocast else ()), "logits")

    def _chunks(self) -> None:
        """torchtune's: the log-softmax of each chunk stays."""
        setup, sizes, t = self.setup, self.sizes, self.loss
        each = sizes.tokens * sizes.vocab // setup.loss_chunks
        logits = [f"logits {i}" for i in range(setup.loss_chunks)]
        for name in logits if setup.whole_logits else ():
            t.new(name, sizes.inner * each)
        for i, name in enumerate(logits):
            if not setup.whole_logits:
                t.new(name, sizes.inner * each)
            if sizes.inner == 2:
                t.new("float", 4 * each)
            t.new(f"soft {i}", 4 * each)
            t.drop("float", *(() if setup.whole_logits else (name,)))
        t.drop(*logits, *(("out",) if sizes.autocast else ()))

    def _chunks_back(self) -> None:
        setup, sizes, t = self.setup, self.sizes, self.loss
        each = sizes.tokens * sizes.vocab // setup.loss_chunks
        t.new("d.in", sizes.whole(sizes.inner))
        for i in reversed(range(setup.loss_chunks)):
            t.new("losses", 4 * each)
            t.new("back", 4 * each)
            t.drop("losses", f"soft {i}")
            if sizes.inner == 2:
                t.new("back", 2 * each)
            if i == setup.loss_chunks - 1 and not setup.lora:
                self.end_gradient()
            self.product()
            t.drop("back")

    def _gathers(self) -> bool:
        """Whether each rank makes a part of the logits and holds all of them."""
        return self.sizes.split > 1 and not self.setup.loss_parallel

    def norm(self) -> None:
        """The last norm, in fp32; of a 16-bit stream its input and result are cast."""
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
            self.end_gradient()
            t.passing(self.step.fused_loss_fixed() - self.sizes.embedding * WEIGHT[setup.style])
        t.drop("chunk")

    def backward(self) -> None:
        """To the gradient of the last layer's result, ``g``."""
        setup, sizes, t = self.setup, self.sizes, self.loss
        if not setup.is_last:
            t.new("g", sizes.residual(sizes.stream))
            return
        if setup.loss_chunks and not setup.fused_loss:
            self._chunks_back()
        elif not setup.fused_loss:
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
        if self.setup.logit_bytes:
            t.held["back"] = t.held.pop("logits")
            t.drop("soft")
        else:
            t.new("losses", 4 * each)
            t.new("back", 4 * each)
            t.drop("losses", "soft")
        if sizes.inner == 2 and not self.setup.logit_bytes:
            t.new("back", 2 * each)
        if self._gathers():
            t.new("back", sizes.inner * each // sizes.split)
        if sizes.autocast and not self.setup.lora:
            t.new("weight gradient", 2 * sizes.embedding)
            self.product()
        elif not self.setup.lora:
            self.end_gradient()
        self.product()
        t.new("d.in", sizes.whole(sizes.inner))
        t.drop("back")
        if sizes.autocast and not self.setup.lora:
            t.drop("weight", "in")
            t.new("hidden", sizes.whole(4))
            t.drop("d.in")
            self.end_gradient()
            t.drop("weight gradient")
