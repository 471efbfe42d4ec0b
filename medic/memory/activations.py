"""Activations that the backward pass needs, in bytes per token, and the memory of the loss.

Derived from what torch autograd saves for a decoder layer (RMS norm in fp32, rotary positions,
fused attention, gated feed-forward) and measured on an H100 with transformers. It agrees with
Korthikanti et al. 2022 (34 + 5*a*s/h bytes per token and hidden unit for a GPT layer in fp16, the
second term only where the attention scores are kept).
"""

from __future__ import annotations

from medic.memory.shape import Shape
from medic.memory.states import Style

# Logits in fp32, their log-softmax, and the gradient of both (4 bytes each) are alive together.
LOGIT_BYTES = 12
FORWARD_LOGIT_BYTES = 10  # before the backward pass: logits in bf16, in fp32, log-softmax
# torch.compile fuses the loss and recomputes norms and products in the backward pass.
COMPILED_LOGIT_BYTES = 8
LEAST_LOGIT_BYTES = 6  # logits in bf16 and a softmax in place
COMPILED_SHARE = 0.56


def widths(style: Style) -> tuple[int, int]:
    """Bytes of a value in the residual stream, and inside the matrix products."""
    if style == "fp32":
        return 4, 4
    return (4, 2) if style == "autocast" else (2, 2)


def layer_bytes(shape: Shape, style: Style, sequence: int, *, fused: bool) -> int:
    """What one layer keeps per token. ``fused`` attention keeps no scores."""
    stream, inner = widths(style)
    h, q, kv, ffn = shape.hidden, shape.q, shape.kv, shape.ffn
    maps = 2 if shape.gated else 1
    norms = 2 * (4 + stream) * h
    # Under autocast each of the linear maps casts the norm's output for itself.
    inputs = (3 + maps) * 2 * h if style == "autocast" else 2 * inner * h
    attention = inner * (2 * q + 2 * kv) + 4 * shape.heads
    if shape.head_norms:
        attention += (4 + inner) * (q + kv)
    if not fused:
        scores = 4 + (2 if inner == 2 else 0)  # softmax in fp32 and its cast
        attention += scores * shape.heads * sequence + 2 * inner * (q - kv)
    return norms + inputs + attention + 2 * maps * inner * ffn


def live_layer_bytes(shape: Shape, style: Style, sequence: int, *, fused: bool) -> int:
    """One layer in its own backward pass: what it kept and the gradients passing through it."""
    kept = layer_bytes(shape, style, sequence, fused=fused)
    if fused:
        return kept * 3 // 2
    return kept + 8 * shape.heads * sequence  # the scores' gradient in fp32, twice


def adapter_bytes(shape: Shape, style: Style, *, every: bool) -> int:
    """How much more (or less) a layer keeps per token when only LoRA adapters are trained.

    Frozen norms and maps need no input, but peft copies an adapter's input to fp32.
    """
    stream, inner = widths(style)
    h, ffn = shape.hidden, shape.ffn
    less = 2 * stream * h
    if style == "autocast":
        return -less
    less += inner * (h + ffn)
    copies = 6 * h + ffn if every else 2 * h
    return 4 * copies - less


def stored_input_bytes(shape: Shape, style: Style) -> int:
    """What a recomputed layer keeps per token: its input."""
    return widths(style)[0] * shape.hidden


def head_bytes(shape: Shape, style: Style) -> int:
    """What the last norm keeps per token."""
    stream, inner = widths(style)
    return (4 + stream + inner) * shape.hidden


def fused_loss_bytes(shape: Shape) -> int:
    """Per token, where the loss is computed in chunks of about hidden/vocab of the tokens."""
    return 8 * shape.hidden


def fused_loss_weight_bytes(style: Style) -> int:
    """Per weight of the head, in a fused loss (Liger's fused linear cross entropy, measured)."""
    return 10 if style == "autocast" else 6
