"""Adam's epsilon beside the gradients of the run: how far it damps the step.

Adam divides by sqrt(v) + epsilon, and sqrt(v) is about as large as an element of the gradient: its
norm over the root of the number of parameters, after the clip.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, source_of
from medic.run_config import RunConfig

from .numbers import clean, median
from .plan import source_at

CHECK = "epsilon-beside-gradients"
MIN_POINTS = 5
# Below, some elements of the gradient still outweigh it; RL recipes and Llama's 1e-5 stay below 1.
OUTWEIGHS = 30.0
_NEEDS = Text(
    "adam_epsilon, the number of parameters and the gradient norm by step",
    "adam_epsilon、参数量和逐步的梯度范数",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    config = config_of(look)
    epsilon, count = config.number("adam_epsilon"), _parameters(config)
    series = look.fact(Curve).series.get("grad_norm")
    norms = [v for v in clean(series)[1] if v > 0] if series is not None else []
    adam = "adam" in str(config.get("optimizer") or "adam").lower()
    if not epsilon or not count or series is None or len(norms) < MIN_POINTS or not adam:
        yield Skip(_NEEDS, check=CHECK)
        return
    norm = median(norms)
    clip = config.number("gradient_clip") or math.inf
    element = min(norm, clip) / math.sqrt(count)
    ratio = epsilon / element
    source = source_at(look, series, len(series.steps) - 1)
    if ratio < OUTWEIGHS:
        yield Finding(CHECK, "small", source=source)
        return
    value = {
        "epsilon": f"{epsilon:g}",
        "norm": f"{min(norm, clip):.3g}",
        "parameters": f"{count:,.0f}",
        "element": f"{element:.0e}",
        "times": f"{ratio:,.0f}",
    }
    stated = source_of(config.origin("adam_epsilon"), text=f"adam_epsilon {epsilon:g}")
    yield Finding(CHECK, "outweighs", value=value, source=stated, more=(source,))


def _parameters(config: RunConfig) -> float | None:
    """As stated; else at least those of the layers of a transformer, 12 times the square of the width
    each: fewer parameters make the gradient of each larger."""
    stated = config.number("parameters")
    layers, width = config.number("num_layers"), config.number("hidden_size")
    return stated or (12 * layers * width**2 if layers and width else None)


PROBE = Probe(
    name="curve-epsilon",
    title=Text("Adam's epsilon beside the gradients", "Adam 的 epsilon 与梯度的大小"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig,),
    run=run,
    seconds=0.02,
)
