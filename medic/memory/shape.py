"""The shape of a dense decoder and what follows from it: parameters, by part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """A pre-norm decoder without biases. ``gated``: three feed-forward matrices, else two."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    tied: bool
    gated: bool = True

    @property
    def kv(self) -> int:
        """Width of the keys, and of the values."""
        return self.hidden * self.kv_heads // self.heads

    @property
    def matrices(self) -> int:
        """Parameters of one layer's linear maps."""
        attention = 2 * self.hidden * (self.hidden + self.kv)
        return attention + (3 if self.gated else 2) * self.hidden * self.ffn

    @property
    def layer(self) -> int:
        return self.matrices + 2 * self.hidden

    @property
    def embedding(self) -> int:
        return self.vocab * self.hidden

    @property
    def ends(self) -> int:
        """Parameters outside the layers: embedding, output head, last norm."""
        return self.embedding * (1 if self.tied else 2) + self.hidden

    @property
    def parameters(self) -> int:
        return self.layers * self.layer + self.ends

    def adapters(self, rank: int, *, every: bool) -> int:
        """Parameters of LoRA adapters on all linear maps, or on queries and values only."""
        h, kv, ffn = self.hidden, self.kv, self.ffn
        sides = (h + h) + (h + kv)
        if every:
            sides += (h + kv) + (h + h) + (3 if self.gated else 2) * (h + ffn)
        return self.layers * rank * sides
