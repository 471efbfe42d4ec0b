"""Whether the replicas of a data parallel run hold the same weights, by the norms that each logs.

Where the gradients that the ranks apply are the same and the weights are not, the weights were not
the same at the start: equal updates keep what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..programs import FILES, program_bytes
from . import replicas
from .plan import source_at

CHECK, SYMPTOM = "replica-weights", replicas.SYMPTOM
# Equal weights have one norm but for the order of the sum: about 1e-6 in single precision.
SAME, SHARE = 1e-5, 0.8
_AVERAGES = regex(rb"(?i)all_?reduce\(|DistributedDataParallel|\bDDP\(")


def run(look: Look) -> Iterator[Finding]:
    by_rank = look.fact(Curve).by_rank
    weights, norms = _of(by_rank, "weight_norm"), _of(by_rank, "grad_norm")
    if len(weights) < 2 or set(weights) != set(norms) or not _replicas(look):
        return
    apart, gradients = replicas.apart(weights, SAME), replicas.apart(norms)
    if apart is None or gradients is None:
        return
    common, different, _ = apart
    steps = sorted(set.intersection(*(set(s.steps) for s in weights.values())))
    if different < SHARE * common:
        yield Finding(CHECK, "alike")
        return
    if gradients[1] > (1 - SHARE) * gradients[0]:
        return  # each has gradients of its own: what they log tells no more
    at = {rank: s.steps.index(steps[0]) for rank, s in weights.items()}
    told = "; ".join(f"rank {rank}: {s.values[at[rank]]:.8g}" for rank, s in weights.items())
    first = min(weights)
    source = source_at(look, weights[first], at[first])
    value = {"step": steps[0], "told": told, "steps": different}
    yield Finding(CHECK, "differ-under-equal-gradients", value=value, source=source)
    yield Finding(SYMPTOM, source=source)


def _of(by_rank: Mapping[int, Mapping[str, Series]], name: str) -> dict[int, Series]:
    return {rank: series[name] for rank, series in by_rank.items() if name in series}


def _replicas(look: Look) -> bool:
    """Whether the programs show a run of whole replicas, whose gradients are averaged."""
    if not replicas.is_whole(look):
        return False
    return any(_averages(look, file.path) for file in look.files("python")[:FILES])


def _averages(look: Look, path: str) -> bool:
    with suppress(Unreadable):
        return _AVERAGES.search(program_bytes(look, path)) is not None
    return False


PROBE = Probe(
    name="replica-weights",
    title=Text("weights of the replicas", "各副本的权重"),
    tells=(CHECK, SYMPTOM),
    run=run,
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.02,
    limit_seconds=5.0,
)
