"""A pipeline stage as a trace: torch's own 1F1B schedule (torch/distributed/pipelining)."""

from __future__ import annotations

from medic.memory.allocator import Block
from medic.memory.program import Layer
from medic.memory.trace import Trace

Waiting = tuple[list[Layer], list["Block | None"]]


class Pipelined(Trace):
    """Micro batches that wait for their backward pass have layers of their own."""

    def _step(self) -> None:
        setup = self.setup
        count = max(1, setup.accumulation)
        follow = setup.pipeline - setup.stage - 1
        buffers = self._take([self.sizes.residual(self.sizes.stream)] * count)
        waiting: list[Waiting] = []
        self.first = True
        for micro in range(count):
            layers = self._layers() if follow else self.layers
            waiting.append((layers, self._forward(layers)))
            self._head_forward(waiting[-1][1])
            if micro >= follow:
                self._backward(*waiting.pop(0))
                self.first = False
        for some in waiting:
            self._backward(*some)
        self.copies.clear()
        # The schedule joins the outputs at the end (microbatch.py, merge_chunks).
        self.pool.give(self.pool.take(sum(block.size for block in self.ends.outputs if block)))
        self._give([*self.ends.outputs, *buffers])
        self.ends.outputs.clear()
