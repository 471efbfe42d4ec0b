"""torchtune's losses that go over the tokens in chunks (``modules/loss/cross_entropy_loss.py``,
``ce_chunked_output_loss.py``), by what autograd keeps of them.

No loss of them is recomputed: of each chunk its log-softmax in fp32 waits for the backward pass, only what comes
and goes is a chunk's. ``LinearCrossEntropyLoss`` makes logits of the trained tokens alone, chunk by chunk;
``CEWithChunkedOutputLoss`` is handed all of them in 16 bits.
"""

from __future__ import annotations

from medic.memory import details
from medic.run_config import RunConfig, Scalar

CHUNKS = 8  # ``num_output_chunks``
KEPT = 4  # bytes a logit: the log-softmax
LOGITS = 2  # of the logits themselves
PASSING = 8  # of a chunk: the gradient of its log-softmax and of its logits in fp32


def chunks_of(config: RunConfig) -> tuple[int, bool]:
    """Chunks of the loss (0: it takes all tokens at once), and whether its logits are there whole."""
    name = details.word(config, "loss_part").rpartition(".")[2]
    if name not in ("linearcrossentropyloss", "cewithchunkedoutputloss"):
        return 0, False
    return max(1, details.count(config, "loss_chunks", CHUNKS)), name.startswith("ce")


def stated(config: RunConfig) -> dict[str, Scalar]:
    """That no kernel fuses such a loss with the head."""
    return {"fused_loss": False} if chunks_of(config)[0] else {}


def bytes_a_logit(chunks: int, *, whole: bool, view: int) -> float:
    """Of all tokens. At least: prompts, which may be most of the tokens, are left out before the head."""
    if view == 0 and not whole:
        return PASSING / chunks
    return KEPT + (LOGITS if whole or view > 1 else 0) + PASSING / chunks
