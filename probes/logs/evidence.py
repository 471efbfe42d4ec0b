"""Which log lines count as evidence, and numbers in words."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Hit, LogHits, Source, Traceback, Tracebacks
from medic.text.patterns import regex

_LIBRARY = regex(
    r"/(?:site|dist)-packages/|/lib/python\d|^<frozen|^<string>|/unsloth_compiled_cache/|"
    r"/(?:Megatron-LM|megatron|deepspeed|"
    r"DeepSpeed|transformers|accelerate|torchtitan|fairseq|NeMo|nemo|verl|trl|axolotl|nanotron)/"
)

# A watchdog, or a person, says that nothing moves.
_HANGS = regex(
    r"no (?:training )?progress (?:for|in|since) \d+|appears to (?:be )?(?:hung|stuck)|"
    r"(?:is|seems) (?:hung|stuck)\b|step did not finish within|[Hh]ang detected|stalled for \d+ ?s",
)


def hits(logs: LogHits, *symptoms: str) -> Iterator[Hit]:
    """Evidence in the order of time: not quoted, not handled, and not of a run that ended well."""
    if logs.ended == "well":
        return
    for hit in logs.hits:
        counts = hit.role in ("root", "either", "victim") and not hit.benign
        if counts and (not symptoms or hit.symptom in symptoms):
            yield hit


def failure(logs: LogHits, tracebacks: Tracebacks) -> Traceback | None:
    """The first exception that ended a process and was its own."""
    if logs.ended == "well":
        return None
    own = [t for t in tracebacks.all if t.uncaught and not t.victim]
    return min(own, key=lambda t: t.order, default=None)


def hangs(logs: LogHits) -> Source | None:
    """The line at the end that says that nothing moves, and no step after it."""
    trained = {step.source.file: step.source.line for step in logs.steps}
    still = (s for s in logs.tail if s.line > trained.get(s.file, 0))
    return next((s for s in still if _HANGS.search(s.text)), None)


def is_pasted(file: str) -> bool:
    """Whether a log of this name is what a person pasted, and no file."""
    return file.startswith("<")


def is_pasted_later(file: str) -> bool:
    """Whether it was pasted beside what had been pasted before, as its name tells."""
    return file.startswith("<pasted-")


def is_library(file: str) -> bool:
    """Whether a frame's file is an installed package or a framework's checkout."""
    return bool(_LIBRARY.search(file))
