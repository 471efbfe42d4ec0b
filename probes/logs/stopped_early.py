"""Early stopping that ended a run near its begin while the validation loss fell at every evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

CHECK, SYMPTOM = "early-stop", "fewer-samples-than-expected"
EARLY = 0.25  # of the planned steps: a run that has converged had its decay before
EVALS = 2
# A line that tells that it stopped, none that tells of its settings.
_STOPS = regex(
    r"(?i)\bearly[ _-]?stop(?:ping|ped)?\b(?!\W{0,4}(?:patience|callback|threshold|enabled|true|false|none))"
    r"|\bstopping early\b|提前停止|早停"
)
_TOLD = Text(
    "early stopping ended the run at step {step} of {planned}, while the validation loss fell at every "
    "evaluation: {losses}",
    "早停在第 {step} 步（计划 {planned} 步）结束了训练，而验证 loss 每次评估都在下降：{losses}",
)
_SHOWN = 4


def run(look: Look) -> Iterator[Finding]:
    logs, held = look.fact(LogHits), look.fact(Curve).series.get("eval_loss")
    config = config_of(look)
    stated = config.integer("total_steps") if config.stated("total_steps") else None
    planned = stated or logs.planned_steps or look.fact(Curve).planned_steps
    if held is None or len(held.values) < EVALS or not planned:
        return
    last = max(s.steps[-1] for s in look.fact(Curve).series.values() if s.steps)
    falls = all(b < a for a, b in pairwise(held.values))
    line = next((s for s in reversed(logs.tail) if _STOPS.search(s.text)), None)
    if line is None or not falls or last > EARLY * planned:
        return
    losses = ", ".join(f"{v:.4g}" for v in held.values[-_SHOWN:])
    told = _TOLD.fill(step=last, planned=planned, losses=losses)
    yield Finding(CHECK, "while-validation-falls", {"told": told}, line, exact=True)
    yield Finding(SYMPTOM, value={"told": told}, source=line)


PROBE = Probe(
    name="stopped-early",
    title=Text("early stopping beside the validation loss", "早停与验证 loss"),
    tells=(CHECK, SYMPTOM),
    run=run,
    needs=(LogHits, Curve),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
