"""Training steps as a trace of allocations, to see what the allocator reserves for them.

Weights, the layers forwards (``layers``), logits and loss, the layers backwards (``layers_back``)
with a gradient for each matrix, the optimizer's moments in its first step, its temporaries. Blocks
that were split for small tensors no longer take large ones, and the moments of the first step
settle where activations were: most of what is called fragmentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from medic.facts.memory import MIB
from medic.memory.allocator import Allocator, Block, Meter
from medic.memory.head import HeadTrace
from medic.memory.layers_back import program_of
from medic.memory.overheads import CUBLAS
from medic.memory.peak import Step
from medic.memory.program import Layer, Passed, Program
from medic.memory.states import ADAPTER, MOMENT, WEIGHT
from medic.memory.tape import Sizes, Tape

MICRO_BATCHES = 2  # of a step that are traced: the later ones repeat the second
BUCKET = 25 * MIB  # torch DDP's bucket_cap_mb
Thread = Literal["forward", "backward"]
# Backward passes in a row that changed nothing before the next is taken to change nothing: between
# them blocks are only freed, or those of gathered weights change places. Tests look for set-ups where
# it is not so.
ALIKE = 2


class Trace:
    """Runs the steps of one rank through an allocator. ``gathers``: weights come and go with layers."""

    gathers = False

    def __init__(self, step: Step, limit: int = 0) -> None:
        self.step, self.setup, self.shape = step, step.setup, step.shape
        self.sizes = Sizes(step)
        self.meter = Meter(limit)
        self.pool = Allocator(self.meter)
        self.ends = HeadTrace(
            self.sizes,
            step,
            self.pool,
            lambda: self._end_gradient(first=True),
            lambda: self._workspace("backward"),
        )
        self.copies = Tape(self.pool)  # of weights, that autocast keeps
        self._programs: dict[tuple[int, ...], Program] = {}
        self.layers = self._layers()
        self.gradients: list[Block | None] = []
        self.head: Block | None = None  # a tied weight's gradient, from the head's side
        self.masks: list[Block | None] = []  # of eager attention, of recomputed micro batches
        self.with_workspace: set[Thread] = set()
        self.buckets: list[Block | None] = []
        self.passed: list[Passed] = []
        self.first_share = 1.0  # of the first step alone, as ``run`` has it of all
        self.first = True  # the micro batch makes the gradients, later ones are added to them

    def _layers(self) -> list[Layer]:
        return [self._layer(number) for number in range(self.setup.stage_layers)]

    def _layer(self, number: int) -> Layer:
        kind = tuple(self.sizes.matrices(number))
        if kind not in self._programs:
            self._programs[kind] = program_of(self.sizes, number)
        return Layer(number, self._programs[kind], self.pool, self._gradient, self.copies.new)

    def run(self) -> float:
        """Reserved bytes as a multiple of the peak of allocated bytes."""
        self.begin()
        return self.finish()

    def begin(self) -> None:
        """All before the first step of the optimizer: nothing of it depends on the optimizer."""
        self._weights()
        self._lay_buckets()
        self._step()

    def finish(self) -> float:
        """The rest of a run: the optimizer's first step, and a second step."""
        self._optimizer(first=True)
        self.first_share = self.meter.most / max(1, self.meter.peak)
        self._lay_buckets()
        self._step()
        self._optimizer(first=False)
        return self.meter.most / max(1, self.meter.peak)

    # --- phases -----------------------------------------------------------------------------

    def _weights(self) -> None:
        setup, sizes = self.setup, self.sizes
        each = setup.frozen_bytes if setup.lora else sizes.weight
        outer = setup.frozen_ends or each if setup.lora else each
        ends = sizes.ends()
        self._take([n * outer for n in ends[:1]])
        for layer in self.layers:
            self._take([n * each for n in sizes.matrices(layer.number)])
        self._take([n * outer for n in ends[1:]])
        if setup.lora:
            self._take([self._adapters() * ADAPTER] * len(self.layers))

    def _adapters(self) -> int:
        """Values of one layer's adapters."""
        return self.shape.adapters(self.setup.lora, self.setup.adapted) // max(1, self.shape.layers)

    def _lay_buckets(self) -> None:
        """torch DDP's: one at first, laid out anew after the first step (reducer.cpp)."""
        if self.setup.engine != "ddp":
            return
        total = sum(self._counts()) * (ADAPTER if self.setup.lora else self.sizes.weight)
        bucket = BUCKET if self.buckets else total
        self.buckets, old = self._take([bucket] * max(1, total // bucket)), self.buckets
        self._give(old)

    def _step(self) -> None:
        """The micro batches of a step."""
        for micro in range(max(1, min(MICRO_BATCHES, self.setup.accumulation))):
            self.first = micro == 0
            self._micro_batch()

    def _micro_batch(self) -> None:
        inputs = self._forward(self.layers)
        self._head_forward(inputs)
        self.copies.clear()
        self._backward(self.layers, inputs)

    # What sharded weights do around a layer.
    def _enter(self, layer: Layer) -> None: ...
    def _leave(self, layer: Layer) -> None: ...
    def _enter_back(self, layer: Layer) -> None: ...
    def _leave_back(self, layer: Layer) -> None: ...

    def _backward(self, layers: list[Layer], inputs: list[Block | None]) -> None:
        pool = self.pool
        self.ends.backward()
        self._workspace("backward")
        pool.give(inputs.pop())
        self.passed = []
        for layer in reversed(layers):
            self._enter_back(layer)
            if not self._as_before(layer):
                self._layer_back(layer)
            pool.give(inputs.pop())
            self._leave_back(layer)
        if self.setup.recompute:
            pool.give(self.masks.pop(0))
        self.ends.loss.clear()
        if not self.setup.lora and self.setup.is_first:
            self._end_gradient(first=not self.shape.tied)

    def _layer_back(self, layer: Layer) -> None:
        meter = self.meter
        before, reserved, peak = meter.allocated, meter.reserved, meter.peak
        meter.peak, free = before, self.pool.free_sizes() if self.gathers else ()
        layer.backward()
        above = meter.peak - before
        meter.peak = max(peak, meter.peak)
        if meter.allocated != before or meter.reserved != reserved or any(layer.slots):
            self.passed.clear()
        else:
            self.passed.append(Passed(layer.program, above, meter.given_back, free))

    def _as_before(self, layer: Layer) -> bool:
        """Whether recomputed layers find room where those behind them did, which left all of it free
        again: their own passes change nothing then, and are left out."""
        meter, passed = self.meter, self.passed[-ALIKE:]
        if len(passed) < ALIKE or any(layer.slots):
            return False
        if any(p.program is not layer.program or p.given_back != meter.given_back for p in passed):
            return False
        if self.gathers and not self.pool.holds(passed[-1].free):
            return False
        meter.peak = max(meter.peak, meter.allocated + max(p.above for p in passed))
        return True

    def _forward(self, layers: list[Layer]) -> list[Block | None]:
        """Inputs of the layers, as far as they are kept, the last one's result behind them."""
        sizes, pool = self.sizes, self.pool
        graph = not self.setup.recompute
        kept: list[Block | None] = [pool.take(sizes.residual(sizes.stream))]
        mask = pool.take(self.step.mask())
        self._workspace("forward")
        for layer in layers:
            self._enter(layer)
            kept.append(layer.forward())
            if sizes.stream == 2 and graph and len(kept) > 2:
                pool.give(kept[-2])
                kept[-2] = None
            self._leave(layer)
        self.masks.append(mask)
        return kept

    def _head_forward(self, inputs: list[Block | None]) -> None:
        if self.setup.is_last:
            self.ends.norm()
        self._forward_ends(inputs)
        if self.setup.is_last:
            self.ends.forward()

    def _forward_ends(self, inputs: list[Block | None]) -> None:
        """The model returns: what its own frame held is freed (modeling_llama.py: the embedding's
        result, the last layer's, the mask), unless the graph keeps it."""
        graph = not self.setup.recompute
        some = [0] if graph else []
        if self.setup.is_last:
            some.append(-1)
        for place in some if self.sizes.stream == 2 else ():
            self.pool.give(inputs[place])
            inputs[place] = None
        if graph:
            self.pool.give(self.masks.pop())

    def _workspace(self, thread: Thread) -> None:
        """What cuBLAS works in, from the thread's first product on, to the end."""
        if thread not in self.with_workspace:
            self.with_workspace.add(thread)
            self.pool.take(CUBLAS)

    # --- gradients and optimizer ------------------------------------------------------------

    def _gradient(self, values: int) -> None:
        self._keep_gradient(values, kept=self.first)

    def _end_gradient(self, *, first: bool) -> None:
        """Of the embedding or the head. A tied weight's two wait for each other and are added up:
        into the head's where a cast made it, else beside both (torch, ``InputBuffer::accumulate``)."""
        values, pool = self.sizes.embedding, self.pool
        if not self.shape.tied or self.setup.pipeline > 1:
            self._keep_gradient(values, kept=self.first)
            return
        block = pool.take(values * self._gradient_width())
        if first:
            self.head = block
            return
        if not (self.sizes.autocast or self.setup.fused_loss):
            total = pool.take(values * self._gradient_width())
            pool.give(self.head)
            self.head = total
        pool.give(block)
        self._arrives(self.head, kept=self.first)
        self.head = None

    def _keep_gradient(self, values: int, *, kept: bool) -> None:
        """Of a matrix."""
        self._arrives(self.pool.take(values * self._gradient_width()), kept=kept)

    def _arrives(self, block: Block | None, *, kept: bool) -> None:
        """A gradient is kept, or added to the one that is there."""
        if kept and not self.setup.bucket_view:
            self.gradients.append(block)
        else:
            self.pool.give(block)

    def _gradient_width(self) -> int:
        return self.setup.gradient_bytes or WEIGHT[self.setup.style]

    def _counts(self) -> list[int]:
        """Values of the trained tensors in the order of the model."""
        if self.setup.lora:
            return [self._adapters()] * len(self.layers)
        ends = self.sizes.ends()
        inside = [n for layer in self.layers for n in self.sizes.matrices(layer.number)]
        return [*ends[:1], *inside, *ends[1:]]

    def _optimizer(self, *, first: bool) -> None:
        setup, counts = self.setup, self._counts()
        if first and not setup.offloaded:
            kept = setup.optimizer.held(setup.style)
            some = 2 if setup.optimizer.moments > 1 else 1
            self._take([n * kept / some for n in counts for _ in range(some)])
        if setup.optimizer.temporaries == "all" and setup.optimizer.moments and not setup.lora:
            self.pool.passing([n * MOMENT[setup.style] for n in counts])
        else:
            each = setup.optimizer.passing(setup.style)
            for n in counts if each else ():
                self.pool.passing([n * width for width in each])
        if first:  # nothing is looked at behind the second step
            self._give(self.gradients)
            self.gradients = []

    # --- blocks -----------------------------------------------------------------------------

    def _take(self, sizes: Sequence[float]) -> list[Block | None]:
        return [self.pool.take(n) for n in sizes]

    def _give(self, blocks: Sequence[Block | None]) -> None:
        for block in blocks:
            self.pool.give(block)
