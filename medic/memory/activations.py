"""Activations that the backward pass needs, in bytes per token, and the memory of the loss.

Derived from what torch autograd saves for a decoder layer (RMS norm in fp32, rotary positions,
fused attention, gated feed-forward) and measured on an H100 with transformers. It agrees with
Korthikanti et al. 2022 (34 + 5*a*s/h bytes per token and hidden unit for a GPT layer in fp16, the
second term only where the attention scores are kept). Tensor parallelism splits what lies between
the first and the second map of attention and feed-forward; sequence parallelism the rest as well
(ibid., section 4.2.2: 10 + 24/t of 34, against 34/t).
"""

from __future__ import annotations

from medic.memory.shape import MAPS, Shape
from medic.memory.states import Style
from medic.records import dataclass

# Logits in fp32, their log-softmax, and the gradient of both (4 bytes each) are alive together.
LOGIT_BYTES = 12
FORWARD_LOGIT_BYTES = 10  # before the backward pass: logits in bf16, in fp32, log-softmax
# torch.compile fuses the loss and recomputes norms and products in the backward pass.
COMPILED_LOGIT_BYTES = 8
LEAST_LOGIT_BYTES = 6  # logits in bf16 and a softmax in place
# Megatron's vocabulary-parallel loss: logits in bf16 and in fp32, softmax in place of the latter,
# its gradient (megatron/core/tensor_parallel/cross_entropy.py).
MEGATRON_LOGIT_BYTES = 10
COMPILED_SHARE = 0.56


@dataclass(frozen=True)
class Kernels:
    """How a layer is computed. ``fused`` attention keeps no scores. ``tensor`` ranks share a layer,
    with ``sequence_parallel`` its norms too, and what the maps take unless those are
    ``gathered_inputs``. ``lean``: norms keep their input only; ``fused_gate``: the gate's
    product is fused (Megatron, all kernels of Liger)."""

    fused: bool = True
    tensor: int = 1
    sequence_parallel: bool = False
    gathered_inputs: bool = False
    lean: bool = False
    fused_gate: bool = False


def widths(style: Style) -> tuple[int, int]:
    """Bytes of a value in the residual stream, and inside the matrix products."""
    if style == "fp32":
        return 4, 4
    return (4, 2) if style == "autocast" else (2, 2)


def layer_bytes(shape: Shape, style: Style, sequence: int, how: Kernels) -> float:
    """What one layer keeps per token."""
    norms, inputs = _norms(shape, style, how), _inputs(shape, style)
    split = _attention(shape, style, sequence, how) + _feed_forward(shape, style, how)
    over = how.tensor if how.sequence_parallel else 1
    return norms / over + inputs / (1 if how.gathered_inputs else over) + split / how.tensor


def _norms(shape: Shape, style: Style, how: Kernels) -> int:
    """Both norms."""
    stream, _ = widths(style)
    return 2 * stream * shape.hidden if how.lean else 2 * (4 + stream) * shape.hidden


def _inputs(shape: Shape, style: Style) -> int:
    """The inputs of attention and of the feed-forward part."""
    # Under autocast each of the linear maps casts the norm's output for itself.
    if style == "autocast":
        return (3 + shape.maps - 1) * 2 * shape.hidden
    return 2 * widths(style)[1] * shape.hidden


def _attention(shape: Shape, style: Style, sequence: int, how: Kernels) -> int:
    _, inner = widths(style)
    q, kv = shape.q, shape.kv
    kept = inner * (2 * q + 2 * kv) + 4 * shape.heads
    if shape.head_norms:
        kept += (4 + inner) * (q + kv)
    if not how.fused:
        scores = 4 + (2 if inner == 2 else 0)  # softmax in fp32 and its cast
        kept += scores * shape.heads * sequence + 2 * inner * (q - kv)
    return kept


def _feed_forward(shape: Shape, style: Style, how: Kernels) -> int:
    """Results of the maps, of the activation and of the gate.

    Experts: each token's copy for each of its experts, twice, and those values again for each
    (transformers' grouped products, which take the weights' own precision and not autocast's).
    """
    _, inner = widths(style)
    each = 3 if how.fused_gate and shape.gated else 2 * (shape.maps - 1)
    some = shape.experts
    if some is None:
        return each * inner * shape.ffn
    wide = 4 if style == "autocast" else inner
    routed = some.used * wide * (2 * shape.hidden + each * some.width)
    return routed + each * inner * some.shared + 8 * some.count


def live_layer_bytes(shape: Shape, style: Style, sequence: int, how: Kernels) -> float:
    """One layer in its own backward pass: what it kept and the gradients passing through it."""
    kept = layer_bytes(shape, style, sequence, how)
    if how.fused:
        return kept * 3 / 2
    # In the attention's backward pass the feed-forward part is through: the softmax, its gradient,
    # their product and the result, all in fp32; the weights' 16-bit form is gone (measured).
    more = 12 if widths(style)[1] == 4 else 10
    through = _feed_forward(shape, style, how) / how.tensor
    attention = kept - through + more * shape.heads * sequence / how.tensor
    return max(attention, kept + through / 2)


def adapter_bytes(
    shape: Shape,
    style: Style,
    maps: tuple[str, ...] = MAPS,
    *,
    copy_bytes: int = 4,
    shared: bool = False,
) -> int:
    """How much more (or less) a layer keeps per token when only LoRA adapters on ``maps`` are trained.

    Frozen norms and maps need no input, but peft copies an adapter's input to fp32, which autocast
    casts to 16 bits (``copy_bytes``). ``shared``: adapters that take the input as it is keep one for
    all maps that it goes into, and attention keeps that of its last map anyway.
    """
    stream, inner = widths(style)
    h, ffn = shape.hidden, shape.ffn
    inputs = 3 + shape.maps - 1 if style == "autocast" else 2  # one a map, or one a norm
    less = 2 * stream * h + inputs * inner * h + inner * ffn
    wide = {"o": shape.q, "down": ffn}
    if shared:
        wide |= {"o": 0, "k": 0, "v": 0, "up": 0} if "q" in maps else {"o": 0, "up": 0}
    copies = sum(wide.get(name, h) for name in maps)
    return copy_bytes * copies - less


def adapter_gradient_bytes(shape: Shape, maps: tuple[str, ...] = MAPS) -> int:
    """Per token, what passes backwards through the adapter of the widest input: its gradient in fp32
    and, cast, in 16 bits."""
    wide = {"o": shape.q, "down": shape.ffn}
    return 6 * max((wide.get(name, shape.hidden) for name in maps), default=0)


def int8_input_bytes(shape: Shape) -> int:
    """Inputs of a layer's maps that bitsandbytes' int8 maps keep to their next call, recomputed or
    not (bitsandbytes/autograd/_functions.py, ``MatMul8bitLt``; measured)."""
    return 2 * (2 * shape.hidden + shape.q + shape.ffn)


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


def fused_loss_weight_bytes(style: Style, *, old_liger: bool = False) -> int:
    """Per weight of the head, in a fused loss: its gradient, under autocast that of a chunk in 16 bits
    beside it. ``old_liger``: Liger before 0.8.5 widened the latter first
    (liger_kernel/ops/fused_linear_cross_entropy.py; both read off allocation histories)."""
    if style == "autocast":
        return 10 if old_liger else 6
    if style == "fp32":
        return 6 if old_liger else 4
    return 6 if old_liger else 2
