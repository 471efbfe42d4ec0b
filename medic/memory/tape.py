"""Named tensors in the pools of torch's allocator, and the sizes of a decoder's tensors."""

from __future__ import annotations

from medic.memory import activations as act
from medic.memory.allocator import Allocator, Block
from medic.memory.peak import Step
from medic.memory.states import WEIGHT


class Tape:
    """Tensors by name: of a layer, of the loss or of the step."""

    __slots__ = ("held", "pool")

    def __init__(self, pool: Allocator) -> None:
        self.pool = pool
        self.held: dict[str, Block | None] = {}

    def new(self, name: str, size: float) -> None:
        """A tensor of ``size`` bytes; one of this name that is still there is freed after it."""
        block = self.pool.take(size)
        if name in self.held:
            self.pool.give(self.held[name])
        self.held[name] = block

    def drop(self, *names: str) -> None:
        """Frees what is there under the names."""
        for name in names:
            self.pool.give(self.held.pop(name, None))

    def passing(self, *sizes: float) -> None:
        """Tensors that are alive together for a moment."""
        self.pool.passing(sizes)

    def clear(self) -> None:
        self.drop(*list(self.held))


class Sizes:
    """Bytes of one micro batch's tensors on one rank, and values of its matrices."""

    def __init__(self, step: Step) -> None:
        setup, shape = step.setup, step.shape
        self.tokens = step.tokens
        self.sequence = step.sequence
        self.setup, self.shape = setup, shape
        self.style = setup.passing_style
        self.stream, self.inner = act.widths(self.style)
        self.autocast = self.style == "autocast"
        self.lora = setup.lora
        self.fused = step.fused_attention
        self.masked, self.padding = step.masked, step.padding
        split = setup.tensor
        self.h, self.vocab = shape.hidden, shape.vocab // step.vocab_split()
        self.q, self.kv, self.ffn = shape.q // split, shape.kv // split, shape.ffn // split
        # Key and value heads of which there are fewer than ranks are copied.
        self.kv = max(self.kv, shape.kv // shape.kv_heads)
        self.heads = shape.heads // split
        self.split = split
        # Values of the residual stream that lie on this rank.
        self.rows = self.tokens // (split if setup.sequence_parallel else 1)
        self.embedding = shape.embedding // split
        # Bytes of a weight, and of a gradient as the backward pass makes it.
        self.weight = 2 if setup.style in ("shards", "master") else WEIGHT[setup.style]

    def residual(self, width: int) -> int:
        """A tensor of the residual stream with ``width`` bytes a value."""
        return self.rows * self.h * width

    def whole(self, width: int) -> int:
        """As ``residual``, gathered over tensor parallel ranks."""
        return self.tokens * self.h * width

    def matrices(self, layer: int = 0) -> list[int]:
        """Values of a layer's matrices in the order of its modules."""
        shape, h = self.shape, self.h
        some = shape.experts
        dense = some is None or layer < some.dense
        maps = [h * self.ffn] * shape.maps
        if some is not None and not dense:  # transformers stacks a layer's experts in two tensors
            each = h * some.width * some.count // self.setup.expert // self.split
            maps = [(shape.maps - 1) * each, each]
            maps += [h * some.shared] * (shape.maps if some.shared else 0)
        return [h * self.q, h * self.kv, h * self.kv, self.q * h, *maps]

    def ends(self) -> list[int]:
        """Values of the embedding and of the head on this rank's pipeline stage."""
        return [self.embedding] * self.setup.embeddings
