"""DeepSpeed's ZeRO as a trace: flat partitions, the reduce bucket, the step in fp32.

deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, read off allocation histories (0.19.8): each
partition is one block, so that the step's blocks find no place between those of the activations.
"""

from __future__ import annotations

from medic.memory.allocator import Block
from medic.memory.peak import Step
from medic.memory.program import Layer
from medic.memory.quantities import REUSED, SUB_GROUP
from medic.memory.resident import deepspeed_buckets
from medic.memory.states import MOMENT
from medic.memory.trace import Trace

HALF = 2  # bytes of a weight and of a gradient
WIDE = 4  # of the master copy


class Zero(Trace):
    def __init__(self, step: Step, limit: int = 0) -> None:
        super().__init__(step, limit)
        self.values = sum(self._counts())
        self.part = self.values / max(1, self.setup.shards)
        self.stage3 = self.gathers = self.setup.zero == 3
        self.bucket: Block | None = None
        self.partition: Block | None = None  # gradients of the rank's own part
        self.whole: dict[int, list[Block | None]] = {}

    def _weights(self) -> None:
        held = self.part if self.stage3 else self.values
        self._take([held * HALF, *([] if self.setup.offloaded else [self.part * WIDE])])
        if self.setup.offloaded and not self.stage3:
            self._take([max(self._counts()) * HALF])  # a gradient on its way to the host
        if self.stage3 and not self.setup.offloaded:
            self.bucket = self.pool.take(deepspeed_buckets(self.setup))
            self.partition = self.pool.take(self.part * HALF)

    # --- gathered weights (stage 3) -----------------------------------------------------------

    def _open(self, layer: int) -> None:
        if self.stage3 and layer not in self.whole:
            values = self.sizes.ends() if layer < 0 else self.sizes.matrices(layer)
            self.whole[layer] = self._take([n * HALF for n in values])

    def _close(self, layer: int) -> None:
        self._give(self.whole.pop(layer, []))

    def _enter(self, layer: Layer) -> None:
        self._open(layer.number)

    def _leave(self, layer: Layer) -> None:
        behind = len(self.layers) - layer.number
        if behind * sum(self.sizes.matrices(layer.number)) > REUSED:
            self._close(layer.number)

    def _enter_back(self, layer: Layer) -> None:
        self._open(layer.number)

    def _leave_back(self, layer: Layer) -> None:
        self._close(layer.number)

    # --- gradients and step -------------------------------------------------------------------

    def _step(self) -> None:
        self._open(-1)
        super()._step()
        self._close(-1)
        if not self.stage3:
            self.pool.give(self.bucket)
            self.bucket = None

    def _gradient_width(self) -> int:
        return HALF

    def _arrives(self, block: Block | None, *, kept: bool) -> None:  # noqa: ARG002
        """Copied into the bucket at once, from there into the rank's own part."""
        if self.bucket is None:
            self.bucket = self.pool.take(deepspeed_buckets(self.setup))
        if self.partition is None and not self.setup.offloaded:
            self.partition = self.pool.take(self.part * HALF)
        self.pool.give(block)

    def _optimizer(self, *, first: bool) -> None:
        if self.setup.offloaded:
            return
        pool, moments = self.pool, self.setup.optimizer.held("master")
        flat = None if self.stage3 else pool.take(self.part * HALF)
        gradient = pool.take(min(self.part, SUB_GROUP if self.stage3 else self.part) * WIDE)
        pool.give(flat)
        if not self.stage3:
            pool.give(self.partition)
            self.partition = None
        if first:
            some = 2 if self.setup.optimizer.moments > 1 else 1
            self._take([self.part * moments / some] * some)
        if self.setup.optimizer.temporaries == "all":
            pool.give(pool.take(self.part * MOMENT["master"]))
        pool.give(gradient)
