"""FSDP as a trace: weights gathered layer by layer, gradients reduced to shards.

FSDP2 (torch/distributed/fsdp/_fully_shard): a layer's weights arrive in one buffer of the gathering
stream and are copied out of it; its gradients are copied into one buffer to be reduced. FSDP1 (``flat``)
uses its flat buffer as it is. Streams have pools of their own, which share no unused blocks.
"""

from __future__ import annotations

from medic.memory.allocator import Allocator, Block
from medic.memory.peak import Step
from medic.memory.program import Layer
from medic.memory.states import ADAPTER, WEIGHT
from medic.memory.trace import Trace

GATHERED = 2  # bytes of a gathered weight


class Sharded(Trace):
    gathers = True

    def __init__(self, step: Step, limit: int = 0) -> None:
        super().__init__(step, limit)
        self.gathering, self.reducing = Allocator(self.meter), Allocator(self.meter)
        self.whole: dict[int, list[Block | None]] = {}
        self.buffers: dict[int, Block | None] = {}
        self.copied: list[int] = []  # layers whose buffer was copied out of
        self.unsharded: list[Block | None] = []
        self.leaving: Block | None = None  # the buffer that was reduced last
        self.shards = max(1, self.setup.shards)
        self.reduce_bytes = 4 if self.setup.style == "shards" else 2

    def _weights(self) -> None:
        setup = self.setup
        if setup.parameters_offloaded:
            return
        each = (setup.frozen_bytes if setup.lora else WEIGHT[setup.style]) / self.shards
        for layer in (-1, *range(len(self.layers))):
            self._take([n * each for n in self._values(layer)])
        if setup.lora:
            self._take([n * ADAPTER / self.shards for n in self._counts()])

    def _values(self, layer: int) -> list[int]:
        """Values of what is gathered together: a layer, or (-1) all outside the layers."""
        return self.sizes.ends() if layer < 0 else self.sizes.matrices(layer)

    def _gathered(self, layer: int) -> float:
        """Bytes of a gathered value: quantised maps stay packed, what is outside the layers does not."""
        packed = self.setup.quantised and layer >= 0
        return self.setup.frozen_bytes if packed else GATHERED

    # --- gathering --------------------------------------------------------------------------

    def _arrive(self, layer: int) -> None:
        """The weights' buffer is there."""
        if layer in self.buffers or layer in self.whole:
            return
        total = sum(self._values(layer)) * self._gathered(layer)
        shard = self.gathering.take(total / self.shards)
        self.buffers[layer] = self.gathering.take(total)
        self.gathering.give(shard)

    def _open(self, layer: int) -> None:
        """The weights can be used."""
        if layer in self.whole:
            return
        self._arrive(layer)
        if self.setup.flat:
            self.whole[layer] = []
            return
        self.whole[layer] = self._take([n * self._gathered(layer) for n in self._values(layer)])
        self.copied.append(layer)

    def _close(self, layer: int) -> None:
        self._give(self.whole.pop(layer, []))
        if self.setup.flat:
            self.gathering.give(self.buffers.pop(layer, None))

    def _free_copied(self, *, but: int | None = None) -> None:
        """Buffers that were copied are given up when the next ones were, too."""
        for layer in [n for n in self.copied if n != but]:
            self.gathering.give(self.buffers.pop(layer, None))
            self.copied.remove(layer)

    def _step(self) -> None:
        self._open(-1)
        super()._step()
        self._reduce(-1)
        for layer in list(self.whole):
            self._close(layer)
        self._free_copied()
        for layer in list(self.buffers):
            self.gathering.give(self.buffers.pop(layer))
        self._leaves(None)

    def _enter(self, layer: Layer) -> None:
        self._open(layer.number)
        self._free_copied(but=layer.number)

    def _leave(self, layer: Layer) -> None:
        if self.setup.reshard:
            self._close(layer.number)
        if layer.number == len(self.layers) - 1:
            self._free_copied()

    def _enter_back(self, layer: Layer) -> None:
        self._open(layer.number)
        self._free_copied()
        if layer.number:
            self._arrive(layer.number - 1)

    def _leave_back(self, layer: Layer) -> None:
        self._close(layer.number)
        self._reduce(layer.number)

    # --- reducing ---------------------------------------------------------------------------

    def _gradient_width(self) -> int:
        return GATHERED

    def _arrives(self, block: Block | None, *, kept: bool) -> None:  # noqa: ARG002
        self.unsharded.append(block)

    def _reduce(self, layer: int) -> None:
        """The gradients of a layer are reduced; the rank keeps its shard."""
        total = sum(self._values(layer))
        if self.setup.lora:
            total = self._adapters() if layer >= 0 else 0
        self._leaves(None)
        if self.setup.flat:
            self._leaves(self.gathering.take(total * GATHERED))
            self.reducing.give(self.reducing.take(total * GATHERED / self.shards))
        else:
            self._leaves(self.pool.take(total * self.reduce_bytes))
        self._give(self.unsharded)
        self.unsharded = []
        shard = self.reducing.take(total * self.reduce_bytes / self.shards)
        if self.first and not self.setup.parameters_offloaded:
            self.sharded.append(shard)
        else:
            self.reducing.give(shard)

    @property
    def sharded(self) -> list[Block | None]:
        """Gradients of this rank's shards."""
        return self.gradients

    def _leaves(self, block: Block | None) -> None:
        (self.gathering if self.setup.flat else self.pool).give(self.leaving)
        self.leaving = block

    def _optimizer(self, *, first: bool) -> None:
        shards, self.gradients = self.gradients, []
        if not self.setup.parameters_offloaded:
            self._optimizer_of_shards(first=first)
        for block in shards:
            self.reducing.give(block)

    def _optimizer_of_shards(self, *, first: bool) -> None:
        setup = self.setup
        counts = [n / self.shards for n in self._counts()]
        if first and not setup.offloaded:
            kept = setup.optimizer.held(setup.style)
            some = 2 if setup.optimizer.moments > 1 else 1
            self._take([n * kept / some for n in counts for _ in range(some)])
        if setup.optimizer.temporaries == "all" and setup.optimizer.moments and not setup.lora:
            self._give(self._take([n * WEIGHT[setup.style] for n in counts]))
