"""Whether the activations of a run with a configuration of its own are recomputed: not, unless it
says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK = "recompute-in-use"
_NAMES = regex(
    r"recomput|remat|(?:grad(?:ient)?|activation|act)_?(?:ckpt|checkpoint)", re.IGNORECASE
)


def run(look: Look) -> Iterator[Finding]:
    """Frameworks have defaults of their own, and switch it on in code; they are not judged."""
    config, logs = look.fact(RunConfig), look.fact(LogHits)
    origin = config.origin("learning_rate")
    if origin is None or origin.span is None or not config.nobodys:
        return
    said = [*(s.text for s in logs.tail), *(h.source.text for h in logs.hits)]
    named = any(_NAMES.search(".".join(s.path)) for s in config.settings)
    if not named and not any(_NAMES.search(text) for text in said):
        yield Finding(CHECK, "not-configured", source=source_of(origin))


PROBE = Probe(
    name="recompute-setting",
    title=Text("the setting of recomputation", "重计算设置"),
    tells=(CHECK,),
    run=run,
    needs=(RunConfig, LogHits),
    reliability="heuristic",
    seconds=0.01,
)
