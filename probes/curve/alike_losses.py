"""Losses that all ranks print alike to the last digit, while each tells times of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.errors import Unreadable
from medic.facts import LogHits, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..programs import FILES, program_bytes

CHECK = "rank-losses"
STEPS = 10
# Of a rank alone.
OWN = (
    *("step_time", "tokens_per_s", "samples_per_s", "compute_time", "data_time"),
    *("mean_step_time", "mean_data_time"),
)
# Ranks that hold parts of one model share a batch.
_PARTS = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
# Loops that people write themselves. Trainers of libraries average what each rank prints.
_LOOPS = frozenset(("", "plain", "own-loop", "loop-scripts", "nanogpt"))
_AVERAGES = regex(
    rb"(?i)all_?reduce\(|\breduce\(|all_?gather|\bgather\w*\(|reduce_mean|reduce_loss|sync_dist|"
    rb"average_losses|\.mean_across|accelerat|lightning|deepspeed|\bTrainer\("
)
# What such a call takes where it averages no loss: gradients and parameters, one by one or in a list.
_OF_WEIGHTS = regex(
    rb"(?i)(?:all_?reduce|\breduce|all_?gather\w*|\bgather)\(\s*(?:[\w.\[\]]*\.(?:grad|data)\b|"
    rb"[\w.\[\]]*(?:gradients?|grads|params?|parameters?|weights?)\b\s*[,)])"
)
_EVALUATES = regex(rb"(?i)\s*(?:async )?def \w*(?:eval|valid|test|generate)\w*\(")
_LOADS = regex(rb"DataLoader|get_batch|Dataset\b|memmap")


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    if config.framework not in _LOOPS or any((config.integer(p) or 1) > 1 for p in _PARTS):
        return
    ranks = _by_rank(look.fact(LogHits))
    if len(ranks) < 2:
        return
    common = sorted(set.intersection(*(set(steps) for steps in ranks.values())))
    if len(common) < STEPS or not _alike(ranks, common) or not _apart(ranks, common):
        return
    last = ranks[min(ranks)][common[-1]]
    value = {
        "steps": len(common),
        "ranks": len(ranks),
        "loss": last.values["loss"],
        "step": last.step,
    }
    averages = _averages(look)
    if not averages:
        outcome = "same" if averages is None else "same-and-not-averaged"
        yield Finding(CHECK, outcome, value=value, source=last.source)


def _by_rank(logs: LogHits) -> Mapping[int, Mapping[int, StepLine]]:
    """rank -> step -> its line, of lines that tell their rank and a loss."""
    found: dict[int, dict[int, StepLine]] = {}
    for line in logs.steps:
        if line.source.rank is not None and "loss" in line.values:
            found.setdefault(line.source.rank, {})[line.step] = line
    return {rank: found[rank] for rank in sorted(found)}


def _alike(ranks: Mapping[int, Mapping[int, StepLine]], common: list[int]) -> bool:
    """Whether the losses are one number in each step, and not in all."""
    each = [{steps[at].values["loss"] for steps in ranks.values()} for at in common]
    several = len({loss for losses in each for loss in losses}) > len(common) / 2
    return several and all(len(losses) == 1 for losses in each)


def _apart(ranks: Mapping[int, Mapping[int, StepLine]], common: list[int]) -> bool:
    """Whether each rank tells something that is its own, so that no line is another's copy."""
    for name in OWN:
        told = [[steps[at].values.get(name) for steps in ranks.values()] for at in common]
        if sum(None not in values and len(set(values)) > 1 for values in told) > len(common) / 2:
            return True
    return False


def _averages(look: Look) -> bool | None:
    """Whether a program of the run averages something over the ranks; None where the program that
    loads the data is not there."""
    loads = False
    for file in look.files("python")[:FILES]:
        try:
            text = program_bytes(look, file.path)
        except Unreadable:
            return None
        if _AVERAGES.search(_OF_WEIGHTS.sub(b"", _without_evaluation(text))):
            return True
        loads = loads or _LOADS.search(text) is not None
    return False if loads else None


def _without_evaluation(text: bytes) -> bytes:
    """A program without its functions that evaluate: they average the held-out loss alone."""
    kept: list[bytes] = []
    inside: int | None = None
    for line in text.split(b"\n"):
        depth = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and depth <= inside:
            inside = None
        if inside is None and _EVALUATES.match(line):
            inside = depth
        if inside is None:
            kept.append(line)
    return b"\n".join(kept)


PROBE = Probe(
    name="alike-losses",
    title=Text("losses of the ranks beside each other", "各 rank 的 loss 对比"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(RunConfig,),
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
