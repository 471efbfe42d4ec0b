"""Amounts that a step's phases are made of, in bytes on one GPU."""

from __future__ import annotations

from medic.memory import activations as act
from medic.memory.chunked import bytes_a_logit
from medic.memory.resident import Parts, local, local_parameters, states_of
from medic.memory.setup import Setup
from medic.memory.shape import Shape
from medic.memory.states import MOMENT
from medic.memory.torchtitan import saved_bytes
from medic.memory.windows import bias
from medic.records import dataclass

# DeepSpeed updates ZeRO-3 partitions in groups of at most so many values (sub_group_size).
SUB_GROUP = 1_000_000_000
MAX_LIVE = 1_000_000_000  # values that ZeRO-3 may keep gathered (stage3_max_live_parameters)
# It keeps those that the backward pass wants again soon (stage3_max_reuse_distance, 1e9 on the way
# to the loss and back) and fetches 5e7 ahead (stage3_prefetch_bucket_size).
REUSED = 500_000_000
PREFETCHED = 50_000_000
# bf16 copies of the largest matrix in Muon's Newton-Schulz iteration (torch.optim.Muon).
MUON_COPIES = 4


@dataclass(frozen=True)
class Quantities:
    """One micro batch: ``tokens`` of one rank in sequences of ``sequence``."""

    setup: Setup
    shape: Shape
    tokens: int
    sequence: int

    @property
    def fused_attention(self) -> bool:
        """Whether no attention scores are kept.

        torch's fused kernels for grouped queries take half precision only; in fp32 its sdpa falls
        back to plain matrix products.
        """
        setup, shape = self.setup, self.shape
        grouped = shape.kv_heads < shape.heads
        return setup.fused_attention and not (setup.style == "fp32" and grouped)

    @property
    def masked(self) -> bool:
        """Whether fused attention takes a written mask, as no flag tells it of the window or padding."""
        cut = 0 < self.setup.window <= self.sequence
        return (cut or self.setup.padded) and self.fused_attention

    @property
    def padding(self) -> float:
        """Heads as flash attention takes them over their own width; 1.0 where that is a multiple of 8.

        Others are padded to one in front of the kernel, and what it gives is cut again (torch
        ``transformers/attention.cpp``, ``pad_last_dim<8>``): it keeps all in the padded width, and
        the cut result is a copy.
        """
        head = self.shape.q // self.shape.heads
        half = act.widths(self.setup.passing_style)[1] == 2
        plain = not half or self.masked or not self.fused_attention
        return 1.0 if plain else -(-head // 8) * 8 / head

    def kernels(self, *, live: bool = False) -> act.Kernels:
        """``live``: of a layer in its own backward pass, where recomputed scores are there."""
        setup = self.setup
        fused = self.fused_attention or (setup.attention_recomputed and not live)
        return act.Kernels(
            fused,
            setup.tensor,
            setup.sequence_parallel and setup.tensor > 1,
            gathered_inputs=setup.gathered_inputs,
            lean=setup.lean_norms,
            fused_gate=setup.fused_gate,
        )

    # --- activations ------------------------------------------------------------------------

    def kept(self, *, head: bool = True) -> int:
        """Activations that wait for the backward pass; ``head``: of the last norm too."""
        setup = self.setup
        layers, each = setup.stage_layers, self.each()
        if setup.recompute:
            stored: float = act.stored_input_bytes(self.shape, setup.passing_style)
            if setup.sequence_parallel:
                stored //= setup.tensor
            if setup.by_operator:
                stored += saved_bytes(self.shape, setup.tensor, setup.view)
            share = setup.recomputed_share
            each = share * stored + (1 - share) * each
        if setup.int8:
            each += act.int8_input_bytes(self.shape) if setup.recompute else 0
        last = act.head_bytes(self.shape, setup.passing_style) if head and setup.is_last else 0
        mask = self.mask() if setup.recompute else 0
        return int(self.tokens * (layers * each * setup.in_flight + last)) + mask

    def mask(self) -> int:
        """Eager attention's causal mask, one for all heads and layers, in the precision of the
        residual stream (transformers, masking_utils.py); recomputed layers need it to the end."""
        setup = self.setup
        if self.masked:  # a bit is a byte; padding differs by sequence
            return (self.tokens if setup.padded else self.sequence) * self.sequence
        if setup.fused_attention or setup.engine == "megatron":
            return 0
        return self.tokens * self.sequence * act.widths(setup.passing_style)[0]

    def each(self) -> float:
        """Bytes per token that one layer keeps, not recomputed."""
        setup, shape = self.setup, self.shape
        kept = act.layer_bytes(shape, setup.passing_style, self.sequence, self.kernels())
        kept += self.masked_bytes() + self.padded_bytes()
        if setup.lora:
            kept += act.adapter_bytes(
                shape,
                setup.passing_style,
                setup.adapted,
                copy_bytes=setup.adapter_width,
                shared=setup.shares_inputs,
            )
            kept += act.int8_input_bytes(shape) if setup.int8 else 0
        factor = act.COMPILED_SHARE if setup.compiled else 1.0
        return kept * factor * setup.error

    def masked_bytes(self) -> float:
        """Bytes per token that a layer keeps beside a mask: the bias, keys and values of all heads."""
        if not self.masked:
            return 0
        stream, width = act.widths(self.setup.passing_style)
        copies = 2 if self.shape.kv_heads > 1 else int(stream > width)  # one head's are views
        repeated = copies * (self.shape.q - self.shape.kv) // self.setup.tensor * width
        return bias(self.sequence, width) + repeated

    def padded_bytes(self) -> float:
        """Bytes per token that a layer keeps more where heads are padded."""
        if self.padding == 1:
            return 0
        q, kv = self.shape.q // self.setup.tensor, self.shape.kv // self.setup.tensor
        return 2 * (self.padding * q + (self.padding - 1) * (q + 2 * kv))

    def live_layer(self) -> int:
        """One layer in its own backward pass."""
        setup, shape = self.setup, self.shape
        how = self.kernels(live=True)
        live = act.live_layer_bytes(shape, setup.passing_style, self.sequence, how)
        live += self.masked_bytes() + self.padded_bytes()
        if setup.lora and how.fused:
            kept = self.each() / setup.error
            live = max(live, kept + act.adapter_gradient_bytes(shape, setup.adapted))
        return int(self.tokens * live * setup.error)

    def logits(self) -> int:
        """Logits and loss. transformers gathers them under tensor parallelism, others do not."""
        setup = self.setup
        if not setup.is_last:
            return 0
        if setup.fused_loss:
            return self.tokens * act.fused_loss_bytes(self.shape) + self.fused_loss_fixed()
        each: float = act.COMPILED_LOGIT_BYTES if setup.compiled else act.LOGIT_BYTES
        if setup.loss_chunks:
            each = bytes_a_logit(setup.loss_chunks, whole=setup.whole_logits, view=setup.view)
        elif setup.logit_bytes:
            each = setup.logit_bytes
        elif setup.engine == "megatron":
            each = act.MEGATRON_LOGIT_BYTES
        elif setup.view == 0 and (setup.more_models or not setup.known):
            each = act.LEAST_LOGIT_BYTES  # reinforcement learning has losses of its own
        return int(self.tokens * each * self.shape.vocab) // self.vocab_split()

    def vocab_split(self) -> int:
        """Ranks that the logits are split over."""
        setup = self.setup
        return setup.tensor if setup.engine == "megatron" or setup.loss_parallel else 1

    def logits_block(self) -> int:
        """The largest block of the loss: logits in fp32, or as they are."""
        setup = self.setup
        width = 2 if setup.logit_bytes else 4
        block = width * self.tokens * self.shape.vocab // self.vocab_split()
        return block // max(1, setup.loss_chunks) if setup.is_last and not setup.fused_loss else 0

    def fused_loss_fixed(self) -> int:
        """Gradient of the head's weight, computed in the forward pass, and its temporaries."""
        if self.setup.lora:
            return 0
        each = act.fused_loss_weight_bytes(self.setup.style, old_liger=self.setup.old_liger)
        return each * self.shape.embedding // self.setup.tensor

    def pipeline_outputs(self) -> Parts:
        """torch's own schedules keep each micro batch's result of the last stage to the end of the
        step (torch/distributed/pipelining/schedules.py, ``output_chunks``)."""
        setup = self.setup
        if setup.pipeline == 1 or not setup.is_last or setup.engine == "megatron":
            return {}
        _, inner = act.widths(setup.passing_style)
        steps = max(1, setup.accumulation) if setup.view else 0
        each = self.tokens * self.shape.vocab * inner // self.vocab_split()
        return {"pipeline outputs": steps * each}

    def pipeline_buffers(self) -> Parts:
        """Hidden states that a pipeline stage received or will send, of micro batches in flight."""
        setup = self.setup
        if setup.pipeline == 1:
            return {}
        wide, _ = act.widths(setup.passing_style)
        count = max(1, setup.accumulation) if setup.engine != "megatron" else setup.in_flight
        each = self.tokens * self.shape.hidden * wide
        if setup.sequence_parallel:
            each //= setup.tensor
        return {"pipeline buffers": int((count + setup.in_flight) * each)}

    # --- weights ----------------------------------------------------------------------------

    def copies(self, *, cached: bool = False) -> int:
        """bf16 copies of fp32 weights that autocast makes and the backward pass needs.

        ``cached``: those that autocast keeps to the end of the forward pass. Grouped products of
        experts take the weights as they are.
        """
        setup, shape = self.setup, self.shape
        if setup.passing_style != "autocast" or (cached and setup.lora):
            return 0
        layers = 0 if setup.recompute and not cached else setup.stage_layers
        # fp8 maps are cast anew from their wide weights in either pass (torchao, Float8Linear).
        narrow = setup.quantised or setup.fp8
        values = 0 if narrow else layers * shape.plain_matrices
        head = shape.embedding if setup.is_last else 0
        return 2 * (values + head) // setup.tensor

    def dequantised(self) -> Parts:
        """One map of 16-bit values beside its quantised ones (bitsandbytes, ``matmul_4bit``)."""
        if not self.setup.quantised:
            return {}
        widest = self.shape.hidden * max(self.shape.ffn, self.shape.q)
        return {"dequantised map": 2 * widest // self.setup.tensor}

    def gathered(self, layers: int) -> Parts:
        """Weights that FSDP and ZeRO-3 hold whole: outside the layers, and of some layers; all of
        them where FSDP does not give them up after the forward pass."""
        setup = self.setup
        if setup.zero != 3:
            return {}
        some = layers if setup.reshard or setup.engine == "deepspeed" else setup.stage_layers
        whole = self.shape.ends + some * self.shape.layer
        if setup.engine == "deepspeed" and setup.view == 2:
            whole = min(self.shape.parameters, whole + MAX_LIVE)
        if setup.engine == "deepspeed" and setup.view == 1:
            whole = min(self.shape.parameters, whole + REUSED + PREFETCHED)
        if setup.quantised and setup.engine == "fsdp":
            # As they are stored (bitsandbytes' ``quant_storage``), to be dequantised map by map.
            packed = self.shape.ends * 2 + some * self.shape.layer * setup.frozen_bytes
            return {"gathered weights": int(packed) // setup.tensor}
        return {"gathered weights": 2 * whole // setup.tensor}

    # --- optimizer step ---------------------------------------------------------------------

    def optimizer_temporaries(self) -> int:
        """What the optimizer's step makes and drops (see ``states.Optimizer``)."""
        setup, here = self.setup, local(self.setup)
        way, moments = setup.optimizer.temporaries, states_of(setup).optimizer
        if setup.optimizer.is_muon:
            widest = self.shape.hidden * max(self.shape.ffn, self.shape.q)
            return int(2 * MUON_COPIES * widest + here.outer * MOMENT[setup.style])
        if way == "all" and setup.optimizer.moments:
            # FSDP1's flat weights are copied once more.
            copies = 2 if setup.engine == "fsdp" and setup.view == 2 else 1
            master = 0.0
            if setup.style == "master":
                master = 4 / (setup.optimizer.held(setup.style) + 4)
            return int(copies * moments * (1 - master) / setup.optimizer.moments)
        if setup.lora:
            return 0
        widest = max(self.shape.embedding, self.shape.hidden * self.shape.ffn)
        return sum(setup.optimizer.passing(setup.style)) * widest // setup.tensor

    def fp32_gradients(self) -> int:
        """DeepSpeed's fp32 copy of the rank's gradients, in stage 2 their 16-bit flat form too
        (deepspeed/runtime/zero/stage_1_and_2.py ``step``, stage3.py ``_prepare_sub_group``)."""
        setup = self.setup
        values = local_parameters(setup) / (setup.shards if setup.zero else 1)
        if setup.offloaded:
            return 0
        if setup.zero == 3:
            return int(4 * min(values, SUB_GROUP))
        return int((4 + 2 * bool(setup.zero)) * values)
