"""In which phase of the run the GPU memory ran out, by the traceback, the last step, and the bar or
the save that came last before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Counted, Frame, Hit, LogHits, Traceback, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.text.patterns import regex

from . import needs
from .evaluation_bar import evaluates, saves
from .evidence import hits, is_pasted
from .verdict import hits_of

CHECK, MOMENT = "oom-phase", "peak-moment"
# Functions on the stack, and calls in the source lines that frames show.
_SAVE_EVAL = regex(
    r"\b_?(?:save(?:_\w+)?|evaluat(?:e|ion)(?:_\w+)?|eval_(?:step|loop|epoch)|validat(?:e|ion)(?:_\w+)?|"
    r"predict(?:ion_step)?|generate|state_dict|full_state_dict|get_(?:model|optimizer)_state_dict|"
    # where ZeRO-3 and FSDP gather what is saved
    r"zero3_consolidated_\w+|full_p(?:re|ost)_state_dict_hook|full_optim_state_dict)\("
)
_OPTIMIZER = regex(
    r"optimi[sz]er\.step\(|scaler\.step\(|_take_model_step\(|_init_group\(|_multi_tensor_\w+\(|"
    r"optimizer_step\(|/torch/optim/|/apex/optimizers/"
)
_LOAD = regex(
    r"from_pretrained\(|load_state_dict\(|torch\.load\(|load_checkpoint\(|_load_\w*model\w*\(|"
    r"DistributedDataParallel\(|\bDDP\(|FullyShardedDataParallel\(|\bFSDP\(|fully_shard\(|"
    r"deepspeed\.initialize\(|setup_model_and_optimizer\(|accelerator\.prepare\(|prepare_model\(|"
    r"modules/module\.py:(?:to|cuda|_apply|convert|half|bfloat16|to_empty)\("
)
_COMPUTE = regex(
    r"\b(?:forward|backward|_?run_backward|_engine_run_backward|training_step|forward_step|"
    r"compute_loss)\(|\.to\("
)
_TRAINS = regex(r"\b(?:backward|_?run_backward|_engine_run_backward|training_step)\(")


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    first = next(hits(logs, "cuda-out-of-memory"), None)
    if first is None:
        yield Finding(CHECK, "not-oom")
        return
    told = _traceback(first, look.fact(Tracebacks), logs)
    frames = told.frames if told else ()
    last = _steps_before(logs, first)
    outcome = phase(frames, last)
    source = first.source
    if outcome != "save-or-eval" and not _trains(frames):
        aside = evaluates(look, logs, first)
        if aside is None and frames and not _runs_forward(frames):
            aside = saves(look, logs, first)
            if aside is not None:
                yield Finding(MOMENT, "saving", source=aside)
        outcome, source = ("save-or-eval", aside) if aside is not None else (outcome, source)
    if outcome is None:
        yield Skip(needs.TRACEBACK_OR_STEPS, check=CHECK)
        return
    value = {"step": last} if last is not None else {}
    yield Finding(CHECK, outcome, value=value, source=source)


def phase(frames: tuple[Frame, ...], steps: int | None) -> str | None:
    """The phase, or None if neither frames nor steps tell it.

    ``steps`` is the last step that was logged before, None if there was none. What a frame calls
    outweighs the step count: saving happens at any step, loading before the first one. One line
    that names no step is of any step: neither the first one nor many before this one are told by it.
    """
    calls = _calls(frames)

    def any_of(pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(call) for call in calls)

    started = steps is not None and steps > 1
    uncounted = Counted.is_count(steps) and steps == 1
    if any_of(_SAVE_EVAL):
        return "save-or-eval"
    if any_of(_OPTIMIZER):
        if uncounted:
            return None
        return "later-step" if started else "optimizer-step"
    if started:
        return "later-step"
    if (
        not uncounted
        and any_of(_LOAD)
        and not any(f.function in ("forward", "backward") for f in frames)
    ):
        return "at-load"
    return "first-step" if any_of(_COMPUTE) and not uncounted else None


def _calls(frames: tuple[Frame, ...]) -> list[str]:
    return [f"{_short(f.file)}:{f.function}( {f.code}" for f in frames]


def _trains(frames: tuple[Frame, ...]) -> bool:
    """Whether a frame is of a training step alone: a bar that stands still says nothing then."""
    return any(_TRAINS.search(call) or _OPTIMIZER.search(call) for call in _calls(frames))


def _runs_forward(frames: tuple[Frame, ...]) -> bool:
    return any(frame.function == "forward" for frame in frames)


def _short(file: str) -> str:
    """A library's path from its package on, else the bare name: a folder may hold any word."""
    _, packages, inner = file.rpartition("-packages/")
    return f"/{inner}" if packages else file.rpartition("/")[2]


def _steps_before(logs: LogHits, hit: Hit) -> int | None:
    """The last step of the rank that ran out. Where one rank prints the steps of all, with its
    number or without, they are those of this one, too; those of a paste are of another log."""
    of_log = [s for s in logs.steps if is_pasted(s.source.file) == is_pasted(hit.source.file)]
    steps = [s.step for s in of_log if hit.source.rank in (None, s.source.rank)]
    told = steps or [s.step for s in of_log if s.source.rank is None]
    told = told or [s.step for s in of_log]
    return max(told, default=logs.last_step if not logs.steps else None)


def _traceback(hit: Hit, tracebacks: Tracebacks, logs: LogHits) -> Traceback | None:
    return next((t for t in tracebacks.all if hit in hits_of(t, logs.hits)), None)


PROBE = Probe(
    name="oom-phase",
    title=Text("when the memory ran out", "显存耗尽的阶段"),
    tells=(CHECK, MOMENT),
    run=run,
    needs=(LogHits, Tracebacks),
    reliability="heuristic",
    seconds=0.01,
    limit_seconds=5.0,
)
