"""Two training steps as a trace of allocations, to see what the allocator reserves for them.

The order is what torch autograd does for a transformers decoder: weights; the layers' saved
tensors; logits, their fp32 copy and log-softmax; gradients of both; the layers backwards with a
gradient for each matrix; in the first step the optimizer's moments, then its temporaries. The
moments of the first step settle in the blocks that held activations and logits, so that the second
step has to reserve some of those anew: most of what is called fragmentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from medic.memory import activations as act
from medic.memory.allocator import Allocator, Block
from medic.memory.peak import Step
from medic.memory.states import MOMENT, WEIGHT

STEPS = 2
TRACED = ("fp32", "autocast", "pure")
_WINDOW = 3  # gradients of activations that are alive together


class Trace:
    """Runs the steps of one rank through an allocator."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.setup = step.setup
        self.shape = step.shape
        self.pool = Allocator()
        self.gradients: list[Block | None] = []
        self.weight = WEIGHT[self.setup.style]

    def run(self) -> float:
        """Reserved bytes as a multiple of the peak of allocated bytes."""
        self._weights()
        for number in range(STEPS):
            for micro in range(min(2, self.setup.accumulation)):
                self._micro_batch(first=micro == 0)
            self._optimizer(first=number == 0)
        return self.pool.reserved / max(1, self.pool.peak)

    # --- sizes ------------------------------------------------------------------------------

    def _matrices(self) -> list[int]:
        h, q, kv, ffn = self.shape.hidden, self.shape.q, self.shape.kv, self.shape.ffn
        maps = [h * ffn] * self.shape.maps
        some = self.shape.experts
        if some is not None:  # transformers stacks a layer's experts in two tensors
            each = h * some.width * some.count
            maps = [*[h * some.shared] * self.shape.maps, (self.shape.maps - 1) * each, each]
        return [n // self.setup.tensor for n in (h * q, h * kv, h * kv, q * h, *maps)]

    def _ends(self) -> list[int]:
        return [self.shape.embedding // self.setup.tensor] * (1 if self.shape.tied else 2)

    def _saved(self) -> list[float]:
        """Bytes of the tensors that one layer saves."""
        shape, tokens = self.shape, self.step.tokens
        stream, inner = act.widths(self.setup.passing_style)
        h, q, kv, ffn = shape.hidden, shape.q, shape.kv, shape.ffn
        maps = 2 if shape.gated else 1
        copies = 3 if self.setup.passing_style == "autocast" else 1
        each: list[float] = [4 * h, stream * h, *[inner * h] * copies, inner * q, inner * kv]
        each += [inner * kv, inner * q]
        if not self.step.fused_attention:
            each += [4 * shape.heads * self.step.sequence]
            each += [2 * shape.heads * self.step.sequence] if inner == 2 else []
        each += [4 * h, stream * h, *[inner * h] * (maps if copies == 3 else 1)]
        each += [inner * ffn] * (2 * maps)
        scale = self.step.each() / sum(each)
        return [tokens * n * scale for n in each]

    # --- phases -----------------------------------------------------------------------------

    def _weights(self) -> None:
        frozen = self.setup.frozen_bytes if self.setup.lora else self.weight
        for _ in range(self.shape.layers):
            self._take([n * frozen for n in self._matrices()])
        self._take([n * frozen for n in self._ends()])
        if self.shape.tied:  # the head's own weight, made and dropped
            self._give(self._take([self._ends()[0] * frozen]))

    def _micro_batch(self, *, first: bool) -> None:
        setup, pool = self.setup, self.pool
        autocast = setup.passing_style == "autocast"
        saved = self._saved()
        stored = self.step.tokens * act.stored_input_bytes(self.shape, setup.passing_style)
        layers = []
        for _ in range(self.shape.layers):
            copies = self._take([2 * n for n in self._matrices()]) if autocast else []
            kept = self._take(saved)
            if setup.recompute:
                self._give(kept)
                self._give(copies)
                kept, copies = [pool.take(stored)], []
            layers.append((kept, copies))
        tail = self._loss(first=first)
        for kept, copies in reversed(layers):
            self._backward(kept, copies, saved, first=first)
        self._give(tail)
        if not setup.lora:
            self._gradient(self._ends()[0], first=first and not self.shape.tied)

    def _loss(self, *, first: bool) -> list[Block | None]:
        """Head, loss and their backward pass. Returns the head's copy, freed with the graph."""
        tokens, (_, inner) = self.step.tokens, act.widths(self.setup.passing_style)
        ends = self._ends()[-1]
        copy = self._take([2 * ends]) if self.setup.passing_style == "autocast" else []
        hidden = self._take([tokens * self.shape.hidden * n for n in (4, inner)])
        if self.setup.fused_loss:
            self._fused_loss(ends, first=first)
        else:
            self._full_loss(ends, inner, first=first)
        self._give(hidden)
        return copy

    def _fused_loss(self, ends: int, *, first: bool) -> None:
        passing = self._take([self.step.tokens * act.fused_loss_bytes(self.shape)])
        if not self.setup.lora:
            more = self.step.fused_loss_fixed() - ends * self.weight
            temporary = self.pool.take(more)
            self._gradient(ends, first=first)
            self.pool.give(temporary)
        self._give(passing)

    def _full_loss(self, ends: int, inner: int, *, first: bool) -> None:
        pool = self.pool
        each = self.step.tokens * self.shape.vocab // self.setup.tensor
        logits = pool.take(inner * each)
        wide = pool.take(4 * each) if inner == 2 else None
        soft = pool.take(4 * each)
        self._give([logits, wide])
        losses = pool.take(4 * each)
        back = pool.take(4 * each)
        self._give([losses, soft])
        if inner == 2:
            narrow = pool.take(2 * each)
            pool.give(back)
            back = narrow
        if not self.setup.lora:
            self._gradient(ends, first=first)
        pool.give(back)

    def _backward(
        self,
        kept: list[Block | None],
        copies: list[Block | None],
        saved: Sequence[float],
        *,
        first: bool,
    ) -> None:
        again: list[Block | None] = []
        if self.setup.recompute:
            if self.setup.passing_style == "autocast":
                copies = self._take([2 * n for n in self._matrices()])
            again, kept = kept, self._take(saved)
        matrices = [] if self.setup.lora else self._matrices()
        alive: list[Block | None] = []
        for block, size in zip(reversed(kept), reversed(saved), strict=True):
            alive.append(self.pool.take(size))
            if len(alive) > _WINDOW:
                self.pool.give(alive.pop(0))
            if matrices:
                self._gradient(matrices.pop(), first=first)
            self.pool.give(block)
        for count in matrices:
            self._gradient(count, first=first)
        self._give(alive)
        self._give(copies)
        self._give(again)

    def _gradient(self, count: int, *, first: bool) -> None:
        """Of a matrix: kept, or added to the one that is there."""
        narrow = self.pool.take(2 * count) if self.setup.style == "autocast" else None
        block = self.pool.take(count * (self.setup.gradient_bytes or self.weight))
        self.pool.give(narrow)
        if first:
            self.gradients.append(block)
        else:
            self.pool.give(block)

    def _optimizer(self, *, first: bool) -> None:
        setup = self.setup
        if not setup.lora:
            counts = [*self._matrices() * self.shape.layers, *self._ends()]
            if first and not setup.offloaded:
                moments = [n * setup.optimizer.held(setup.style) / 2 for n in counts]
                self._take([n for n in moments for _ in (0, 1)])
            if setup.optimizer.temporaries == "all" and setup.optimizer.moments:
                self._give(self._take([n * MOMENT[setup.style] for n in counts]))
            elif setup.optimizer.temporaries == "largest":
                for n in counts:
                    self._give(self._take([n * self.weight, n * self.weight]))
        self._give(self.gradients)
        self.gradients = []

    # --- blocks -----------------------------------------------------------------------------

    def _take(self, sizes: Sequence[float]) -> list[Block | None]:
        return [self.pool.take(n) for n in sizes]

    def _give(self, blocks: Sequence[Block | None]) -> None:
        for block in blocks:
            self.pool.give(block)


@lru_cache(maxsize=512)
def reserved_share(step: Step) -> float:
    """What torch reserves for the step, as a multiple of the peak of its tensors (>= 1)."""
    return Trace(step).run()


def traced(step: Step) -> bool:
    """Whether the trace holds: one rank that has the whole model and its states to itself."""
    setup = step.setup
    whole = setup.zero == 0 and setup.pipeline == 1 and setup.tensor == 1
    return whole and setup.engine in ("single", "ddp") and setup.style in TRACED
