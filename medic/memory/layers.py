"""The tensors of one decoder layer in the order in which torch makes and frees them.

Forward and backward pass of transformers' Llama layer (modeling_llama.py) as autograd runs it; the
order was read off allocation histories (torch.cuda.memory._record_memory_history, torch 2.11).
Sizes in bytes; ``g`` is the gradient that passes backwards.
"""

from __future__ import annotations

from medic.memory.activations import int8_input_bytes
from medic.memory.program import Recorder
from medic.memory.tape import Sizes
from medic.memory.windows import bias

# cuDNN's attention backward: workspace in bytes for each query value.
ATTENTION_WORKSPACE = 8
# A sum over tokens (gradient of a norm's weight) is staged in 8 bytes a value.
SUM = 8
# What attention keeps beside a written mask, and where heads are padded.
BESIDE = ("bias", "keys", "values", "q.padded", "k.padded", "v.padded", "mixed.padded")
# Maps whose input another one keeps already, where adapters take it as it is.
_SHARING = ("k", "v", "o", "up")


class Forward:
    """Says to ``tape`` what a layer's forward pass makes and frees; ``graph`` is False where the layer
    is recomputed later."""

    def __init__(self, tape: Recorder, sizes: Sizes, number: int) -> None:
        self.tape, self.sizes, self.number = tape, sizes, number
        self.graph = True

    # --- forward ----------------------------------------------------------------------------

    def forward(self, *, graph: bool) -> None:
        """Leaves what the backward pass needs; the layer's result lies under ``result``."""
        s, t = self.sizes, self.tape
        self.graph = graph
        if s.setup.int8:
            t.lasting("int8 inputs", s.tokens * int8_input_bytes(s.shape))
        self._norm("one")
        self._attention()
        t.new("middle", s.residual(s.stream))
        t.drop("o", *(("one.out",) if s.autocast or s.lora else ()))
        self._norm("two")
        if s.shape.experts is None:
            self._feed_forward()
        else:
            self._experts()
        t.drop(*(("two.out",) if s.autocast or s.lora or not graph else ()))
        t.new("result", s.residual(s.stream))
        t.drop("down")
        if s.stream == 2 or not graph:
            t.drop("middle")
        if not graph:
            t.drop("weights", "softmax")  # of eager attention

    def _norm(self, name: str) -> None:
        s, t = self.sizes, self.tape
        wide = s.residual(4)
        if s.stream == 2:
            t.new(f"{name}.wide", wide)
        t.passing(wide)
        t.new(f"{name}.norm", wide)
        if s.stream == 2:
            t.drop(*(() if self.graph else (f"{name}.wide",)))
            t.new(f"{name}.low", s.residual(2))
        t.new(f"{name}.out", s.residual(s.stream))
        if s.stream == 2:
            t.drop(f"{name}.norm")
        if not self.graph or s.lora:
            t.drop(f"{name}.low", f"{name}.norm")
        if s.setup.sequence_parallel:
            t.new(f"{name}.out", s.whole(s.inner))

    def _map(self, name: str, values: int, inputs: int, outputs: int, *, cast: bool = True) -> None:
        """A linear map; ``cast``: its input is not in 16 bits yet."""
        s, t = self.sizes, self.tape
        if s.setup.quantised:
            t.passing(2 * values, s.tokens * outputs * s.inner)
        elif s.setup.fp8:
            t.passing(2 * values, values)
        elif s.autocast and (self.graph or s.lora):
            t.new(f"{name}.weight", 2 * values)
        elif s.autocast:
            t.copied(f"{name}.copy", 2 * values)
        if s.autocast and cast:
            t.new(f"{name}.in", s.tokens * inputs * 2)
        t.new(name, s.tokens * outputs * s.inner)
        if s.lora and name in s.setup.adapted:
            self._adapter(name, inputs, outputs)
        if not self.graph or s.lora:  # a frozen map keeps no input
            t.drop(f"{name}.in")
        if not self.graph and s.lora:
            t.drop(f"{name}.weight")

    def _adapter(self, name: str, inputs: int, outputs: int) -> None:
        """peft: the input in fp32 (under autocast cast again), the adapter's result, its scaled form
        and the sum."""
        s, t = self.sizes, self.tape
        wide = s.setup.adapter_width
        narrow = s.stream == 2 or name in ("o", "down")  # what autocast's own maps gave
        if wide == 2 and narrow:
            t.new("adapter.wide", s.tokens * inputs * 4)
        shared = s.setup.shares_inputs and name in _SHARING
        t.new(f"{name}.adapter", 0 if shared else s.tokens * inputs * wide)
        if wide > s.inner:  # the sum is in fp32 before it is cast
            t.new("result.own", s.tokens * outputs * wide)
            t.new("result.scaled", s.tokens * outputs * wide)
            t.drop("result.own")
            t.new("result.sum", s.tokens * outputs * wide)
            t.drop("result.scaled", name)
            t.new(name, s.tokens * outputs * s.inner)
            t.drop("result.sum")
        else:
            t.passing(s.tokens * outputs * wide, s.tokens * outputs * wide)
            t.new(name, s.tokens * outputs * s.inner)
        t.drop("adapter.wide", *(() if self.graph else (f"{name}.adapter",)))

    def _attention(self) -> None:
        s, t = self.sizes, self.tape
        for name, width in (("q", s.q), ("k", s.kv), ("v", s.kv)):
            self._map(name, s.h * width, s.h, width)
            if s.shape.head_norms and name != "v":
                self._head_norm(name, width)
        for name, width in (("q", s.q), ("k", s.kv)):
            t.new(f"{name}.a", s.tokens * width * s.stream)
            t.passing(s.tokens * width * s.inner, s.tokens * width * s.inner // 2)
            t.new(f"{name}.b", s.tokens * width * s.stream)
            t.new(f"{name}.turned", s.tokens * width * s.stream)
            t.drop(f"{name}.a", f"{name}.b")
        t.drop("q", "k")
        keys = self._masked() if s.masked else s.kv
        if s.autocast:
            grouped = not s.fused and s.kv < s.q  # eager attention repeats keys before their cast
            for name, width in (("q", s.q),) if grouped else (("k", keys), ("q", s.q)):
                t.new(f"{name}.low", s.tokens * width * 2)
        if s.fused:
            self._padded()
            t.new("mixed", s.tokens * s.q * s.inner)
            t.new("sums", s.tokens * s.heads * 4)
            t.drop("keys.wide")
        else:
            self._scores()
        if not self.graph:
            t.drop("q.low", "k.low")
        self._map("o", s.h * s.q, s.q, s.h, cast=False)
        if s.autocast:
            t.drop("q.turned", "k.turned")
        if s.padding > 1 or (s.masked and 1 < self._heads_of_keys < s.heads):
            t.drop("k.turned", "v")
        if not self.graph:
            t.drop("mixed", "sums", "q.turned", "k.turned", "v", "one.out")
            t.drop(*BESIDE)

    def _padded(self) -> None:
        """What flash attention takes and gives where heads are padded; the cast inputs go."""
        s, t = self.sizes, self.tape
        if s.padding == 1:
            return
        for name, width in (("q", s.q), ("k", s.kv), ("v", s.kv), ("mixed", s.q)):
            t.new(f"{name}.padded", s.tokens * width * s.padding * s.inner)
        t.drop("q.low", "k.low")

    @property
    def _heads_of_keys(self) -> int:
        return self.sizes.heads * self.sizes.kv // self.sizes.q

    def _masked(self) -> int:
        """Beside a mask: keys and values of all heads (one head's are a view until keys are cast), the
        bias. The width of the keys that attention takes."""
        s, t = self.sizes, self.tape
        if 1 < self._heads_of_keys < s.heads:
            t.new("keys.wide" if s.autocast else "keys", s.tokens * s.q * s.stream)
            t.new("values", s.tokens * s.q * s.inner)
        t.new("bias", s.tokens * bias(s.sequence, s.inner))
        return s.q

    def _head_norm(self, name: str, width: int) -> None:
        s, t = self.sizes, self.tape
        wide = s.tokens * width * 4
        t.new(f"{name}.wide", wide)
        t.passing(wide)
        t.new(f"{name}.norm", wide)
        t.new(f"{name}.normed", s.tokens * width * s.inner)
        t.new(f"{name}", s.tokens * width * s.stream)
        t.drop(f"{name}.norm", *(() if self.graph else (f"{name}.wide", f"{name}.normed")))

    def _scores(self) -> None:
        """Eager attention: repeated keys and values, scores, their softmax in fp32.

        The weights that attention returns live to the end of the layer (``hidden_states, _ =`` in
        modeling_llama.py): under autocast, where queries are wide, the fp32 softmax itself.
        """
        s, t = self.sizes, self.tape
        each = s.tokens * s.heads * s.sequence
        grouped = s.kv < s.q
        t.new("keys.wide", s.tokens * s.q * 4 if grouped and s.autocast else 0)
        for name in ("keys", "values"):
            t.new(name, s.tokens * s.q * s.inner if grouped or s.autocast else 0)
        t.new("scores", each * s.inner)
        t.new("scores", each * s.inner)
        t.new("scores", each * s.stream)
        if s.stream == 2:
            t.new("scores.wide", each * 4)
        t.new("softmax", each * 4)
        t.drop("scores.wide", *(() if s.stream == 2 else ("scores",)))
        if s.inner == 2:
            t.new("weights", each * 2)
        if not self.graph and s.stream == 2:
            t.drop("softmax")
        t.drop("scores")
        t.passing(s.tokens * s.q * s.inner)
        t.new("mixed", s.tokens * s.q * s.inner)
        t.drop("keys.wide")
        if not self.graph:
            t.drop("keys", "values", *(("weights",) if s.autocast else ()))
            t.drop(*(("softmax",) if s.setup.fused_attention else ()))  # sdpa in fp32 returns none

    def _feed_forward(self) -> None:
        s, t = self.sizes, self.tape
        each, values = s.tokens * s.ffn * s.inner, s.h * s.ffn
        self._map("gate", values, s.h, s.ffn)
        t.new("active", each)
        t.drop(*(() if self.graph else ("gate",)))
        if s.shape.gated:
            self._map("up", values, s.h, s.ffn)
            t.new("product", each)
            t.drop(*(() if self.graph else ("active", "up")))
        self._map("down", values, s.ffn, s.h, cast=False)
        t.drop(*(("product",) if s.lora or not self.graph else ()))
        t.drop(*(() if self.graph else ("active",)))

    def _experts(self) -> None:
        """Grouped products over each token's copies for its experts, in the weights' precision."""
        s, t = self.sizes, self.tape
        some = s.shape.experts
        if some is None:
            return
        wide = (4 if s.autocast else s.inner) * s.tokens * some.used
        if s.autocast:
            t.new("router.in", s.whole(2))
        t.new("router", s.tokens * some.count * 4)
        t.new("copied", wide * s.h)
        t.new("gate", 2 * wide * some.width)
        t.passing(2 * wide * some.width)
        t.new("active", wide * some.width)
        t.new("product", wide * some.width)
        t.new("routed", wide * s.h)
        t.passing(wide * s.h)
        if some.shared:
            t.new("shared", 4 * s.tokens * some.shared * s.inner)
        t.new("down", s.whole(s.stream))
        if not self.graph:
            t.drop("router.in", "router", "copied", "gate", "active", "product", "routed", "shared")
