"""Which tensor of the step the request is that found no room, by its size: the run's own sizes multiply
to it or they do not.

Logits are tokens x vocabulary, their fp32 copy, log-softmax and gradient as many times 4 bytes
(transformers ``loss/loss_utils.py``, ``ForCausalLMLoss``); scores of attention without a fused kernel are
sequences x heads x length x length (``modeling_llama.py``, ``eager_attention_forward``).
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Hit, LogHits
from medic.facts.memory import MIB, numbers_of, scaled
from medic.i18n import Text, plain
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from . import needs
from .evidence import hits

CHECK = "oom-request"
WIDTHS = (2, 4)  # bytes of a value
LEAST = 256 * MIB  # below it many tensors have like sizes
# The message rounds to a hundredth of its unit, a half up or down (37.125 is told as 37.12), and what
# it tells is read in whole bytes; a request above 10 MiB is rounded up to 2 MiB
# (c10/cuda/CUDACachingAllocator.cpp, ``get_allocation_size``).
DIGITS, ROUND, BYTE = 0.005, 2 * MIB, 1
# Activations of a layer are tokens x hidden size x (34 + 5 x heads x tokens / hidden size) bytes, the second
# term those of scores that are kept (Korthikanti et al. 2022, equation 2): here that is four fifths.
REST, OF_SCORES, MOST = 34, 5, 4
ABOVE_ALL = "scores-above-all"
_SIZES = ("micro_batch_size", "sequence_length")


def run(look: Look) -> Iterator[Finding | Skip]:
    seen = list(hits(look.fact(LogHits), "cuda-out-of-memory"))
    if not seen:
        yield Finding(CHECK, "not-oom")
        return
    config = config_of(look)
    missing = config.missing(*_SIZES)
    if missing:
        yield Skip(plain(", ".join(missing)), check=CHECK)
        return
    config = look.with_named_sizes(config)
    for hit in seen:
        found = judge(config, hit)
        if found is not None:
            outcome, words = found
            value = {"request": scaled(numbers_of(hit.captures)["request"], 2), "product": words}
            yield Finding(CHECK, outcome, value=value, source=hit.source)
            return
    yield Skip(needs.OTHER_REQUEST, check=CHECK)


def judge(config: RunConfig, hit: Hit) -> tuple[str, str] | None:
    """The outcome and the product in words; None where no product is the request, or two are."""
    request = numbers_of(hit.captures).get("request", 0)
    if request < LEAST:
        return None
    found: dict[str, str] = {}
    for outcome, count, words in _tensors(config):
        width = _width(request, count)
        if width is not None:  # the whole length comes before the one without the last token
            found.setdefault(outcome, f"{words} x {width}")
    if len(found) == 1 and "scores" in found and _above_all(config):
        return ABOVE_ALL, found["scores"]
    return next(iter(found.items())) if len(found) == 1 else None


def _above_all(config: RunConfig) -> bool:
    """Whether scores are most of what a layer keeps: a smaller batch leaves them so."""
    heads, hidden = config.integer("num_heads"), config.integer("hidden_size")
    length = config.integer("sequence_length")
    if not heads or not hidden or not length:
        return False
    return OF_SCORES * heads * length >= MOST * REST * hidden


def _tensors(config: RunConfig) -> Iterator[tuple[str, int, str]]:
    """Outcome, values and these in words."""
    micro, length = (config.integer(name) or 0 for name in _SIZES)
    vocabulary, heads = config.integer("vocab_size"), config.integer("num_heads")
    split = config.integer("tensor_parallel_size") or 1
    part = f" / {split}" if split > 1 else ""
    if vocabulary:
        for tokens in (length, length - 1):  # the last token predicts nothing
            words = f"{micro} x {tokens:,} x {vocabulary:,}{part}"
            yield "logits", micro * tokens * vocabulary // split, words
    if heads:
        words = f"{micro} x {heads} x {length:,} x {length:,}{part}"
        yield "scores", micro * heads * length * length // split, words


def _width(request: int, count: int) -> int | None:
    """The bytes of a value with which ``count`` values are the request."""
    unit = 2**30 if request >= 2**30 else MIB
    least, most = DIGITS * unit + BYTE, ROUND + DIGITS * unit
    widths = (w for w in WIDTHS if count * w - least <= request <= count * w + most)
    return next(widths, None)


PROBE = Probe(
    name="oom-request",
    title=Text("the request that found no room", "未能满足的那次显存申请"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits,),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
