"""Whether a tensor that cannot take a shape is one that is split into attention heads."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import LogHits, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .digits import whole
from .evidence import failure

CHECK = "invalid-shape"
_SHAPE = regex(r"shape '\[([-\d, ]{1,200})\]' is invalid for input of size (\d{1,18})")


def run(look: Look) -> Iterator[Finding]:
    told = failure(look.fact(LogHits), look.fact(Tracebacks))
    found = _SHAPE.search(told.message) if told else None
    config = look.fact(RunConfig)
    hidden, heads = config.integer("hidden_size"), config.integer("num_heads")
    if told is None or found is None or not hidden or not heads or hidden % heads == 0:
        return
    shape = [int(part) for part in found.group(1).split(",") if part.strip(" -")]
    rest = math.prod(n for n in shape if n > 0)
    size = whole(found.group(2))
    # Without the heads, the tensor would take the shape: they are what does not divide it.
    if heads in shape and rest and size % rest and size % (rest // heads) == 0:
        value = {"shape": f"[{found.group(1)}]", "size": size, "heads": heads, "hidden": hidden}
        yield Finding(CHECK, "heads-do-not-divide", value=value, source=told.source)


PROBE = Probe(
    name="invalid-shape",
    title=Text("a shape that a tensor cannot take", "张量无法变成的形状"),
    tells=(CHECK,),
    needs=(LogHits, Tracebacks, RunConfig),
    seconds=0.01,
    run=run,
)
