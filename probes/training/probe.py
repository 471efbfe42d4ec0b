"""The probe of training loops that a program writes out itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from ..programs import own_programs, program_text

if TYPE_CHECKING:
    import ast

    from ..flags.script.files import SourceFiles
    from .code import Fault

TELLS = (
    "optimizer-not-stepped",
    "gradients-never-cleared",
    "model-in-other-mode",
    "data-order-repeats",
    "one-batch-repeated",
    "clip-before-unscale",
    "option-without-effect",
    "options-exclude-each-other",
    "extra-collective-on-some-ranks",
    "ranks-race-on-checkpoint-folder",
    "labels-shifted-twice",
    "accumulation-not-normalised",
    "padding-part-of-loss",
    "labels-visible-to-model",
    "replicas-start-differently",
    "training-state-not-restored",
    "weights-not-loaded-on-resume",
    "scheduler-stepped-too-often",
    "function-undefined-at-zero",
    "gpu-memory-leak",
    "eval-or-save-peak",
    "reward-parser-never-matches",
    "uneven-batches-per-rank",
    "gloo-between-gpus",
    "softmax-over-wrong-dimension",
    "nothing-is-trained",
    "logged-number-scaled",
    "probabilities-taken-for-logits",
    "graph-cut-in-code",
    "loss-term-has-wrong-sign",
    "weights-start-at-zero",
    "fp16-gradients-underflow",
    "scaler-called-out-of-order",
    "graph-used-twice",
    "in-place-on-needed-tensor",
    "older-checkpoint-resumed",
    "ranks-read-same-data",
    "length-bias-of-the-loss",
    "inputs-and-labels-shuffled-apart",
)
# What a program has that trains, makes the data of a training, or lets its ranks meet.
_WORDS = (
    ".backward(", "torch.distributed", "Accelerator(", "import distributed", "Trainer(", "__getitem__",
)  # fmt: skip


def run(look: Look) -> Iterator[Finding | Skip]:
    given = own_programs(look)
    if not given:
        return
    # Only a program has a syntax tree.
    from ..flags.script.files import SourceFiles
    from .code import Code
    from .label_pairs import moved_twice
    from .places import span_of
    from .rules import faults
    from .same_targets import same_targets
    from .scalers import scalers

    files = SourceFiles(look, given)
    precision = str(config_of(look).get("precision") or "")
    for path, one in files.given.items():
        try:
            text = program_text(look, path)
            if not any(word in text for word in _WORDS):
                continue
            code = Code(files.tree(path), text)
            trees = _trees(files)
            found = [*faults(code), *moved_twice(code, trees), *same_targets(code, trees)]
            found.extend(scalers(code, precision))
        except (Unreadable, RecursionError):
            continue  # told by the probe that reads its parser
        if told := _stood_still(look, found):
            yield told
        for fault in found:
            span = span_of(path, text, fault.node)
            source = Source(one.name, span.line, text=text.split("\n")[span.line - 1].strip())
            yield Finding(fault.name, "fires", {"what": fault.what}, source, span=span)


def _stood_still(look: Look, found: list[Fault]) -> Finding | None:
    """A collective of some ranks alone lets the others wait: whether the log ends in a wait."""
    from .guards import EXTRA
    from .hung import hung

    waits = any(fault.name == EXTRA for fault in found) and look.has(LogHits)
    return hung(look.fact(LogHits)) if waits else None


def _trees(files: SourceFiles) -> list[ast.Module]:
    """Those of all given files that can be read."""
    trees = []
    for path in files.given:
        with suppress(Unreadable, RecursionError):
            trees.append(files.tree(path))
    return trees


PROBE = Probe(
    name="training-loop",
    title=Text("the training loop", "训练循环"),
    tells=(*TELLS, "training-hangs"),
    wants=(RunConfig, LogHits),
    run=run,
    files=("python",),
    seconds=0.1,
    limit_seconds=10,
)
