"""The shape of a decoder, dense or with experts, and what follows from it: parameters, by part."""

from __future__ import annotations

from medic.records import dataclass

# The linear maps of a layer.
MAPS = ("q", "k", "v", "o", "gate", "up", "down")


@dataclass(frozen=True)
class Experts:
    """Experts of a layer: ``count`` of them, ``used`` by a token, each ``width`` wide; ``shared``
    is the width of those that every token uses, ``dense`` the number of layers without experts."""

    count: int
    used: int
    width: int
    shared: int = 0
    dense: int = 0


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
    experts: Experts | None = None

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
    def maps(self) -> int:
        """Feed-forward matrices."""
        return 3 if self.gated else 2

    @property
    def attention(self) -> int:
        """Parameters of a layer's attention."""
        return 2 * self.hidden * (self.q + self.kv)

    @property
    def matrices(self) -> int:
        """Parameters of one layer's linear maps, its experts among them."""
        return self.plain_matrices + self.expert_values

    @property
    def plain_matrices(self) -> int:
        """As ``matrices``, without the experts that a token chooses from."""
        if self.experts is None:
            return self.attention + self.maps * self.hidden * self.ffn
        shared = self.maps * self.hidden * self.experts.shared
        return self.attention + shared + self.hidden * self.experts.count

    @property
    def expert_values(self) -> int:
        """Parameters of one layer's experts."""
        if self.experts is None:
            return 0
        return self.maps * self.hidden * self.experts.width * self.experts.count

    @property
    def norms(self) -> int:
        heads = 2 * (self.q // self.heads) if self.head_norms else 0
        return 2 * self.hidden + heads

    @property
    def layer(self) -> int:
        return self.matrices + self.norms

    @property
    def embedding(self) -> int:
        return self.vocab * self.hidden

    @property
    def ends(self) -> int:
        """Parameters outside the layers: embedding, output head, last norm."""
        return self.embedding * (1 if self.tied else 2) + self.hidden

    @property
    def inside(self) -> int:
        """Parameters of all layers."""
        if self.experts is None or not self.experts.dense:
            return self.layers * self.layer
        dense = self.attention + self.maps * self.hidden * self.ffn + self.norms
        return self.experts.dense * dense + (self.layers - self.experts.dense) * self.layer

    @property
    def parameters(self) -> int:
        return self.inside + self.ends

    def adapters(self, rank: int, maps: tuple[str, ...] = MAPS) -> int:
        """Parameters of LoRA adapters on ``maps`` of every layer."""
        h, q, kv, ffn = self.hidden, self.q, self.kv, self.ffn
        sides = {"q": h + q, "k": h + kv, "v": h + kv, "o": q + h, "up": h + ffn, "down": h + ffn}
        sides["gate"] = h + ffn if self.maps > 2 else 0
        return self.layers * rank * sum(sides[name] for name in maps)
