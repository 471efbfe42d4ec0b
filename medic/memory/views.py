"""Reads a run config into its three set-ups."""

from __future__ import annotations

from collections.abc import Mapping

from medic.i18n import Text
from medic.memory import details, experts, megatron, recomputing, torchtitan
from medic.memory.adapters import adapted_maps, own_adapters
from medic.memory.chunked import chunks_of
from medic.memory.evaluating import evaluation_batch, keeps_no_logits
from medic.memory.loading import saves_shards, whole_at_load, whole_at_save
from medic.memory.measured import LIKE_LLAMA, not_measured
from medic.memory.offload import parameters_offloaded
from medic.memory.preferences import both_logits, in_pairs, prefers, reference_bytes
from medic.memory.ranks import replicas, spread_model
from medic.memory.reading import (
    Reader,
    Views,
    accumulation_of,
    attention_of,
    frozen_of,
    optimizer_for,
    recompute_of,
    shape_of,
    shards_of,
    style_of,
)
from medic.memory.setup import Engine, Setup
from medic.memory.shape import MAPS, Shape
from medic.memory.states import QUANTIZED, Style
from medic.memory.tensor import splits_logits, splits_stream
from medic.memory.verl import logit_bytes
from medic.memory.windows import padded_of, windows_of
from medic.records import dataclass, replace
from medic.run_config import RunConfig

ALL = 3  # the ZeRO stage that shards weights too
UNKNOWN_RANKS = 1024  # that states may be sharded over, for a lower bound
KEPT = 4  # configs that were read last


@dataclass(frozen=True)
class Read:
    """The set-ups (empty if not even the states can be told), and what was open."""

    setups: tuple[Setup, ...]
    assumed: Mapping[str, str]
    unknown: tuple[str, ...]
    family: str = ""
    mixture: bool = False  # the model has experts
    framework: str = ""

    @property
    def not_measured(self) -> tuple[Text, ...]:
        """What of the likely set-up no measured row stands behind."""
        return not_measured(self.setups[1], self.family, self.framework)


_LAST: list[tuple[RunConfig, Read]] = []


def read_setups(config: RunConfig) -> Read:
    """The leanest, the likely and the heaviest set-up that the config allows."""
    for other, found in _LAST:  # asked for its estimate, its advice, its choices
        if other is config:
            return found
    read = Reader(config)
    found = Read(
        _setups(read),
        dict(sorted(read.assumed.items())),
        tuple(sorted(read.unknown)),
        read.family,
        (config.integer("num_experts") or 1) > 1,
        config.framework,
    )
    _LAST[:] = [*_LAST[-KEPT + 1 :], (config, found)]
    return found


def _setups(read: Reader) -> tuple[Setup, ...]:
    shapes = shape_of(read)
    if shapes is None:
        known = read.config.integer("parameters") or read.inner
        spread = (read.config.integer("expert_parallel_size") or 1) > 1
        if known is None:
            read.unknown["parameters"] = None
        if known is None or spread:
            return ()
    common = _common(read)
    if common is None:
        return ()
    return _spread(read, _with_details(read, common), shapes)


def _rank(read: Reader) -> int | None:
    """The rank of the adapters, 0 where all weights are trained, None where it is not told."""
    rank = read.config.integer("lora_rank") or 0
    if not rank and details.has_adapters(read.config):
        read.unknown["lora_rank"] = None
        return None
    return rank


def _common(read: Reader) -> Setup | None:
    """What is the same in all three; None if it cannot be told how the states are sharded or how
    many of them adapters have."""
    config = read.config
    tensor, pipeline, context = (
        config.integer(f"{name}_parallel_size") or 1 for name in ("tensor", "pipeline", "context")
    )
    zero = 3 if config.get("fsdp") is True else config.integer("zero_stage") or 0
    shards = shards_of(read, tensor, pipeline, context) if zero else 1
    rank = _rank(read)
    if details.unread_engine(config):
        read.unknown["zero_stage"] = None
        return None
    if shards is None or rank is None:
        return None
    sharding = details.word(config, "sharding")
    if zero == ALL:
        below = 0 if "no_shard" in sharding else megatron.stage_below(config)
        if below == 0 and not sharding and not details.word(config, "megatron_sharding"):
            read.assumed["data_parallel_sharding_strategy"] = "no_shard"
        zero = ALL if below is None else below
    return Setup(
        shape=None,
        parameters=0,
        micro=_sequences(read),
        sequence=read.count("sequence_length"),
        zero=zero,
        shards=shards,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        lora=rank,
        saved_ends=details.saved_ends(config) if rank else 0,
        offloaded=read.word("optimizer_offload") in ("cpu", "nvme"),
        quantised=read.word("quantization") in QUANTIZED,
        fp8=read.word("precision") == "fp8" or (read.megatron and megatron.in_fp8(config)),
        mixture=(config.integer("num_experts") or 1) > 1,
        casts=details.casts(config),
        own_modules=read.own_modules,
        unsloth=details.flag(config, "unsloth") is True,
        known=read.eager and read.family in ("", *LIKE_LLAMA) and config.get("compile") is not True,
    )


def _sequences(read: Reader) -> int | None:
    """Of a micro batch; a pair of answers is two."""
    passes = torchtitan.passes(read.config)
    micro = passes[0] if passes else read.count("micro_batch_size")
    return 2 * micro if micro is not None and in_pairs(read.config) else micro


def _with_details(read: Reader, common: Setup) -> Setup:
    """Adds what only some frameworks have a setting for."""
    config, pipeline = read.config, common.pipeline
    sharding = details.word(config, "sharding")
    reshard = details.flag(config, "reshard") is not False and "grad_op" not in sharding
    granularity = recomputing.granularity(config)
    parameters = common.zero == ALL and parameters_offloaded(config)
    liger = details.flag(config, "liger") is True  # all of its kernels, not the loss alone
    return replace(
        common,
        expert=config.integer("expert_parallel_size") or 1,
        expert_tensor=experts.tensor_size(config, common.tensor),
        chunks=max(megatron.chunks(config, pipeline), torchtitan.chunks(config, pipeline)),
        all_forward_first="gpipe" in details.word(config, "pipeline_schedule"),
        parameters_offloaded=parameters,
        offloaded=common.offloaded or (parameters and config.get("fsdp") is True),
        flat=details.word(config, "fsdp_version") == "1"
        or details.count(config, "fsdp_version") == 1,
        reshard=reshard,
        bucket=details.count(config, "reduce_bucket"),
        overlap=details.flag(config, "overlap"),
        bucket_view=details.flag(config, "bucket_view") is True,
        attention_recomputed=granularity == "selective" and not torchtitan.selective(config),
        modules_recomputed=granularity == "selective"
        and details.detail(config, "recompute_modules") is not None,
        recomputed_share=min(megatron.recomputed(config, pipeline), torchtitan.recomputed(config)),
        by_operator=torchtitan.selective(config) == "op",
        fused_gate=liger or (read.megatron and details.flag(config, "fused_gate") is not False),
        lean_norms=liger or _engines(read)[1] == "megatron",
        in_part=not common.lora and details.in_part(config),
        more_models=details.more_models(config),
        preferring=prefers(config),
        local_layers=details.word(config, "layers") == "local",
        evaluation=evaluation_batch(read),
        saves_shards=saves_shards(config),
        loss_chunks=chunks_of(config)[0],
        whole_logits=chunks_of(config)[1],
    )


def _spread(read: Reader, common: Setup, shapes: Views[Shape] | None) -> tuple[Setup, ...]:
    styles, optimizers, engines = style_of(read), optimizer_for(read), _engines(read)
    none = (0.0, 0.0)
    frozen = frozen_of(read, styles) if common.lora else (none, none, none)
    recompute = recompute_of(read)
    compiled = read.flag("compile", low=True, usual=False, high=False)
    loss = read.flag("fused_loss", low=True, usual=False, high=False)
    fused, accumulation = attention_of(read), accumulation_of(read)
    windows, padded = windows_of(read), padded_of(read)
    lean_evaluation = keeps_no_logits(read.config)
    gradients = _gradient_bytes(read, styles[1])
    adapted = adapted_maps(read) if common.lora else (MAPS, MAPS, MAPS)
    own = own_adapters(read) if common.lora else (False, False, False)
    errors = (0.85, 1.0, 1.15) if read.eager else (0.7, 1.0, 1.25)
    if common.known:  # of adapters of one's own nobody has seen the code
        errors = (0.9, 1.0, 1.1) if own[1] else (1.0, 1.0, 1.0)
    stream, logits = splits_stream(read), splits_logits(read)
    stated = read.config.integer("parameters") or read.inner
    perhaps = _perhaps_sharded(read, common)
    both, own_loss = both_logits(read.config), logit_bytes(read.config)
    load = whole_at_load(read.config, sharded=common.zero == ALL)
    save = whole_at_save(read.config)
    return tuple(
        replace(
            perhaps if i == 0 else common,
            shape=shapes[i] if shapes else None,
            parameters=stated or (shapes[i].parameters if shapes else 0),
            style=styles[i],
            optimizer=optimizers[i],
            gradient_bytes=gradients[i],
            engine=engines[i],
            sequence_parallel=stream[i] and common.tensor > 1,
            gathered_inputs=i > 0 and not read.megatron,
            loss_parallel=logits[i],
            adapted=adapted[i],
            own_adapters=own[i],
            frozen_bytes=frozen[i][0],
            frozen_ends=frozen[i][1],
            recompute=recompute[i],
            compiled=compiled[i],
            fused_loss=loss[i],
            logit_bytes=own_loss[i],
            lean_evaluation=lean_evaluation[i],
            old_liger=(False, False, True)[i],  # no config tells its version
            fused_attention=fused[i],
            window=windows[i],
            padded=padded[i],
            accumulation=accumulation[i],
            error=errors[i],
            reference=reference_bytes(read.config, styles[i]),
            reference_logits=both[i],
            whole_at_load=load[i],
            whole_at_save=save[i],
            view=i,
        )
        for i in range(3)
    )


def _gradient_bytes(read: Reader, style: Style) -> Views[int]:
    """Of a kept gradient; 0: the style's own. Megatron adds them up in fp32 in bf16 runs and can be
    told not to."""
    if not read.megatron or style != "master":
        return 0, 0, 0
    told = megatron.gradient_bytes(read.config)
    if told:
        return told, told, told
    wide = details.flag(read.config, "gradients_in_fp32")
    return {None: (2, 4, 4), True: (4, 4, 4), False: (2, 2, 2)}[wide]


def _perhaps_sharded(read: Reader, common: Setup) -> Setup:
    """The leanest sharding that nothing rules out: a script may shard and no config tells."""
    config = read.config
    ranks = config.integer("data_parallel_size") or config.integer("world_size")
    told = config.get("fsdp") is not None or config.integer("zero_stage") is not None
    if told or read.megatron or ranks == 1 or details.flag(config, "replicated") is True:
        return common
    read.assumed["zero_stage"] = "0"
    return replace(common, zero=3, shards=ranks or UNKNOWN_RANKS)


def _engines(read: Reader) -> Views[Engine]:
    """What spreads the run over ranks."""
    config = read.config
    if config.get("fsdp") is True and megatron.stage_below(config) is None:
        return "fsdp", "fsdp", "fsdp"
    if read.megatron:
        return "megatron", "megatron", "megatron"
    if details.deepspeed(config):
        return "deepspeed", "deepspeed", "deepspeed"
    if replicas(config) == 1 and spread_model(config):
        return "group", "group", "group"
    names = ("world_size", "data_parallel_size", "gpus_per_node", "nodes")
    known = [size for size in map(config.integer, names) if size is not None]
    if not known:
        read.assumed["world_size"] = "1"
        return "single", "single", "ddp"
    if max(known) > 1 and details.flag(config, "replicated") is True:
        return "ddp", "ddp", "ddp"
    return ("single", "ddp", "ddp") if max(known) > 1 else ("single", "single", "single")
