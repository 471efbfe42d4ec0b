"""The shape of a dense decoder and what follows from it: parameters, by part."""

from __future__ import annotations

from medic.records import dataclass


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
    head_dim: int = 0  # 0: hidden / heads
    head_norms: bool = False  # queries and keys are normalised by head (Qwen3)

    @property
    def kv(self) -> int:
        """Width of the keys, and of the values."""
        if self.head_dim:
            return self.head_dim * self.kv_heads
        return self.hidden * self.kv_heads // self.heads

    @property
    def q(self) -> int:
        """Width of the queries."""
        return self.head_dim * self.heads or self.hidden

    @property
    def matrices(self) -> int:
        """Parameters of one layer's linear maps."""
        attention = 2 * self.hidden * (self.q + self.kv)
        return attention + (3 if self.gated else 2) * self.hidden * self.ffn

    @property
    def layer(self) -> int:
        heads = 2 * (self.q // self.heads) if self.head_norms else 0
        return self.matrices + 2 * self.hidden + heads

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
        h, q, kv, ffn = self.hidden, self.q, self.kv, self.ffn
        sides = (h + q) + (h + kv)
        if every:
            sides += (h + kv) + (q + h) + (3 if self.gated else 2) * (h + ffn)
        return self.layers * rank * sides
