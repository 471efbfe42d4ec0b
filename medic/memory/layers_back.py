"""A decoder layer's backward pass: the counterpart of ``layers``."""

from __future__ import annotations

from medic.memory.layers import ATTENTION_WORKSPACE, BESIDE, SUM, Forward
from medic.memory.program import Program, Recorder
from medic.memory.tape import Sizes


def program_of(sizes: Sizes, number: int) -> Program:
    """What the layer does forwards and backwards."""
    tape = Recorder()
    layer = Backward(tape, sizes, number)
    recompute = sizes.setup.recompute
    layer.forward(graph=not recompute)
    result = tape.hand_over("result")
    forward = tape.written()
    if recompute:
        layer.forward(graph=True)
        tape.drop("result", "down")
    layer.backward()
    return Program(forward, tape.written(), len(tape.slots), result)


class Backward(Forward):
    """Runs backwards over what ``forward`` left."""

    def backward(self) -> None:
        """The gradient of the layer's result lies in the caller's tape and is added to in place."""
        s, t = self.sizes, self.tape
        if s.autocast:
            t.new("g", s.residual(2))
        if s.setup.sequence_parallel:
            t.new("g", s.whole(s.inner))
        if s.shape.experts is None:
            self._feed_forward_back()
        else:
            self._experts_back()
        self._norm_back("two")
        t.drop("middle")
        if s.autocast:
            t.new("g", s.residual(2))
        if s.setup.sequence_parallel:
            t.new("g", s.whole(s.inner))
        self._attention_back()
        self._norm_back("one")
        t.clear()

    def _map_back(
        self, name: str, values: int, inputs: int, grad: str, into: str, *, cast: bool = True
    ) -> None:
        """From the gradient ``grad`` of the map's result to ``into``, that of its input."""
        s, t = self.sizes, self.tape
        if s.lora:
            self._adapter_back(name, values, inputs, grad, into)
            return
        if s.autocast:
            t.new("weight gradient", 2 * values)
        else:
            t.gradient(values)
        t.new("passing", s.tokens * inputs * s.inner)
        t.drop(grad, f"{name}.weight", f"{name}.in")
        if s.autocast and cast:
            t.new("passing", s.tokens * inputs * s.stream)
        t.rename("passing", into)
        if s.autocast:
            t.gradient(values)
            t.drop("weight gradient")

    def _adapter_back(self, name: str, values: int, inputs: int, grad: str, into: str) -> None:
        s, t = self.sizes, self.tape
        if s.setup.quantised:
            t.passing(2 * values)
        if name in s.setup.adapted and s.setup.adapter_width > s.inner:  # the sum was in fp32
            outputs = s.tokens * values // inputs
            t.new("wide", 4 * outputs)
            t.drop(grad)
            t.new("base", s.inner * outputs)
            t.new("scaled", 4 * outputs)
            t.drop("wide", "scaled")
            t.rename("base", grad)
        if f"{name}.adapter" in t.held:  # its own pass comes first: it was made last
            t.new("wide", s.tokens * inputs * 4)
            t.drop(f"{name}.adapter")
            t.new("through", s.tokens * inputs * s.inner)
            t.drop("wide")
        t.new("own", s.tokens * inputs * s.inner)
        t.drop(grad, f"{name}.weight", f"{name}.in", "through")
        t.rename("own", into)

    def _add(self, one: str, other: str) -> None:
        """The sum of two gradients of a norm's result, under ``one``."""
        s, t = self.sizes, self.tape
        if s.stream == 2:
            t.new(one, s.whole(s.inner))
        t.drop(other)

    def _feed_forward_back(self) -> None:
        s, t = self.sizes, self.tape
        each, values = s.tokens * s.ffn * s.inner, s.h * s.ffn
        self._map_back("down", values, s.ffn, "g", "d.product", cast=False)
        t.drop("product")
        t.new("d.active", each)
        if s.shape.gated:
            t.new("d.up", each)
            t.drop("d.product", "up", "active")
            self._map_back("up", values, s.h, "d.up", "d.two")
        t.new("d.gate", each)
        t.drop("d.active", "d.product", "gate", "active")
        self._map_back("gate", values, s.h, "d.gate", "d.other")
        t.drop("two.out")
        if s.shape.gated:
            self._add("d.two", "d.other")
        else:
            t.rename("d.other", "d.two")

    def _experts_back(self) -> None:
        s, t = self.sizes, self.tape
        some = s.shape.experts
        if some is None:
            return
        wide = (4 if s.autocast else s.inner) * s.tokens * some.used
        values = s.matrices(self.number)[4:]
        t.new("d.routed", wide * s.h)
        t.new("d.down", wide * s.h)
        t.drop("routed", "d.routed")
        t.gradient(values[1])
        t.new("d.product", wide * some.width)
        t.drop("d.down", "product")
        t.passing(wide * some.width, wide * some.width)
        t.new("d.gate", 2 * wide * some.width)
        t.drop("d.product", "active", "gate")
        t.gradient(values[0])
        t.new("d.copied", wide * s.h)
        t.drop("d.gate", "copied")
        t.passing(wide * s.h)
        t.new("d.two", s.whole(s.stream))
        t.drop("d.copied", "router.in", "router", "shared", "two.out", "g")

    def _norm_back(self, name: str) -> None:
        s, t = self.sizes, self.tape
        grad, wide, low = f"d.{name}", s.residual(4), s.residual(s.stream)
        t.new("a", low)
        if not s.lora:
            t.passing(low, s.rows * s.h * SUM)
        t.drop(grad, f"{name}.low", f"{name}.norm", f"{name}.out")
        t.new("b", wide)
        t.new("c", wide)
        t.drop("a", "b")
        t.passing(wide, wide, wide, *([wide] if s.stream == 2 else []))
        t.drop(f"{name}.wide")
        if s.stream == 2:
            t.new("d", s.residual(2))
        t.drop("c", "d")

    def _attention_back(self) -> None:
        s, t = self.sizes, self.tape
        self._map_back("o", s.h * s.q, s.q, "g", "d.mixed", cast=False)
        keys = s.q if s.masked else s.kv  # of repeated ones each has its gradient
        if s.fused:
            for name, width in (("d.q", s.q), ("d.k", keys), ("d.v", keys)):
                t.new(name, s.tokens * width * s.inner)
            t.passing(s.tokens * s.q * ATTENTION_WORKSPACE)
            t.drop("d.mixed", "mixed", "sums", "q.low", "k.low", "q.turned", "k.turned", "v")
            t.drop(*BESIDE)
        else:
            self._scores_back()
        for name, width in (("k", s.kv), ("q", s.q)):
            each = s.tokens * width
            if s.autocast and s.fused:
                t.new(f"d.{name}", each * s.stream)
            t.passing(each * s.stream, each * s.inner)
            t.new(f"d.{name}", each * s.inner)
            if s.shape.head_norms:
                t.passing(each * 4, each * 4, each * 4)
                t.drop(f"{name}.wide", f"{name}.normed")
        self._map_back("v", s.h * s.kv, s.h, "d.v", "d.one")
        self._map_back("k", s.h * s.kv, s.h, "d.k", "d.other")
        self._add("d.one", "d.other")
        self._map_back("q", s.h * s.q, s.h, "d.q", "d.other")
        self._add("d.one", "d.other")

    def _scores_back(self) -> None:
        """torch's softmax backward: the gradient, its product and the result together in fp32."""
        s, t = self.sizes, self.tape
        each = s.tokens * s.heads * s.sequence
        t.new("d.mixed", s.tokens * s.q * s.inner)
        t.new("d.v", s.tokens * s.q * s.inner)
        t.new("d.scores", each * s.inner)
        t.drop("d.mixed", "values", "weights")
        if s.inner == 2:
            t.new("d.scores", each * 4)
        t.new("d.softmax", each * 4)
        t.passing(each * 4)
        t.drop("softmax", "d.scores")
        t.new("d.softmax", each * s.inner)
        t.new("d.softmax", each * s.inner)
        for name, width in (("d.q", s.q), ("d.k", s.q)):
            t.new(name, s.tokens * width * s.inner)
        t.drop("d.softmax", "mixed", "keys", "q.low", "k.low", "q.turned", "k.turned", "v")
        if s.autocast:
            for name in ("d.q", "d.k"):
                t.new(name, s.tokens * s.q * 4)
        t.new("d.v", s.tokens * s.kv * s.inner)
        t.new("d.k", s.tokens * s.kv * s.stream)
