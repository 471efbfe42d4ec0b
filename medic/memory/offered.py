"""Which of the changes that save memory a framework has a setting for.

Sources: Megatron-LM ``core/transformer/linear_cross_entropy.py`` (only ``--cross-entropy-fusion-impl
linear``, of late and in an experimental kernel, makes no whole logits) and
``core/optimizer/optimizer_config.py`` (narrow moments are its precision-aware optimizer's, no 8-bit
one; its FSDP shards weights too, in checkpoints of its own); nanotron ``config/config.py`` (SGD and
AdamW, ``recompute_layer``, no offload) and ``helpers.py`` (any ZeRO stage above 0 is one optimizer);
GPT-NeoX ``training.py`` (``use_bnb_optimizer``); torchtitan ``components/optimizer.py`` and
``components/loss.py`` (a loss in chunks is a class of its configs in Python, no key of a file); OLMo
``config.py`` (AdamW and Lion); nanoGPT ``train.py`` and ``model.py``; NeMo ``core/optim/optimizers.py``
and ``megatron_trainer_builder.py`` (weights offloaded by its FSDP only); OpenRLHF
``utils/deepspeed/deepspeed.py`` (FusedAdam, or DeepSpeed's on the host); fairseq ``optim`` and
``dataclass/constants.py`` (``ddp_backend fully_sharded``). Sequences over several GPUs: axolotl
``utils/schemas/validation.py`` (flash attention), accelerate ``parallelism_config.py`` (``cp_size``, FSDP2 alone),
ms-swift ``template_args.py`` and verl ``ulysses_sequence_parallel_size`` (by heads), OpenRLHF
``ring_attn_size``, torchtitan ``context_parallel_degree``, torchtune ``context_parallel_dim``, Megatron
``--context-parallel-size``.
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.memory import details, experts
from medic.memory.chunked import chunks_of
from medic.memory.ranks import derived, ranks_of, replicas
from medic.memory.reading import DERIVED
from medic.run_config import RunConfig, Scalar

# Those with a setting for a loss in chunks, or whose models are the user's own code.
_FUSED_LOSS = ("", "hf-trainer", "trl", "axolotl", "llama-factory", "ms-swift", "own-loop", "verl", "verl-sft",
               "torchtune", "accelerate", "lightning", "levanter")  # fmt: skip
_WITHOUT_8_BIT = ("torchtitan", "megatron", "megatron-swift", "slime", "nemo", "nemo2", "nemo-rl",
                  "nanotron", "olmo", "nanogpt", "openrlhf", "fairseq")  # fmt: skip
# States are sharded by a distributed optimizer, weights are not unless by an engine of another kind.
_FIRST_STAGE = ("megatron", "megatron-swift", "slime", "nemo", "nemo2", "nanotron")
_BY_DEEPSPEED = ("ms-swift", "openrlhf", "gpt-neox")  # which shard by it alone, or first of all
_WITHOUT_OFFLOAD = ("nanotron", "nemo")
# Those that can be told to hold weights, and so all states, in 16 bits; of others an engine keeps fp32 ones.
_NARROW = ("", "hf-trainer", "trl", "own-loop", "llama-factory", "torchtune", "litgpt", "lightning")
_CONTEXT = ("megatron", "megatron-swift", "ms-swift", "nemo", "nemo2", "openrlhf", "slime", "torchtitan", "torchtune",
            "verl", "verl-sft")  # fmt: skip
_THROUGH_ACCELERATE = ("hf-trainer", "trl", "accelerate", "own-loop")
_BY_HEADS = ("ms-swift", "verl", "verl-sft")
_TENSOR = ("megatron", "megatron-swift", "nemo", "nanotron", "gpt-neox", "slime", "torchtitan")
_PIPELINE = ("megatron", "megatron-swift", "nemo", "nanotron", "gpt-neox", "slime")
NODE = 8  # GPUs of a usual node
MOST_GPUS = 1024


def has_fused_loss(config: RunConfig) -> bool:
    """Whether a loss in chunks, which never makes all logits, can be switched on."""
    if chunks_of(config)[0]:  # torchtune's are there already
        return False
    return config.framework in _FUSED_LOSS or config.nobodys


def has_8_bit(config: RunConfig) -> bool:
    """Whether 8-bit optimizer states can be chosen."""
    return config.framework not in _WITHOUT_8_BIT


def has_recompute(config: RunConfig) -> bool:
    """Whether activations can be recomputed."""
    return config.framework != "nanogpt"


def has_offload(config: RunConfig) -> bool:
    """Whether optimizer states can lie in host memory."""
    return config.framework not in _WITHOUT_OFFLOAD


def sharding(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """The most that states can be sharded; under a pipeline ZeRO takes stage 1 at most."""
    stage = config.integer("zero_stage") or 0
    piped = (config.integer("pipeline_parallel_size") or 1) > 1
    if config.framework in _FIRST_STAGE:
        if not stage:
            yield {"zero_stage": 1}
    elif details.deepspeed(config) or config.framework in _BY_DEEPSPEED:
        yield {"zero_stage": max(stage, 1) if piped else 3}
    elif config.framework != "nanogpt" and not piped:
        yield {"fsdp": True}


def has_narrow_weights(config: RunConfig) -> bool:
    """Whether all weights can be held in 16 bits."""
    return config.framework in _NARROW or config.nobodys


def context(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """Sequences split over more of the GPUs there are, where a micro batch is one sequence already."""
    now, length = _size(config, "context"), config.integer("sequence_length") or 0
    if config.integer("micro_batch_size") != 1 or not _splits_sequences(config):
        return
    for times in (2, 4, 8, 16, 32):
        size = now * times
        by_heads = config.framework not in _BY_HEADS or _divides(config, size)
        # accelerate wants the other ranks' part written as well: where all take one sequence there is none.
        all_of_them = config.framework not in _THROUGH_ACCELERATE or size == ranks_of(config)
        whole = by_heads and all_of_them and length % (2 * size) == 0
        if whole and _spread_further(config, times):
            yield {"context_parallel_size": size, **_fewer_replicas(config, times)}


def tensor(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """Layers split over more of a node's GPUs."""
    now, node = _size(config, "tensor"), min(NODE, config.integer("gpus_per_node") or NODE)
    if config.framework not in _TENSOR:
        return
    for times in (2, 4, 8):
        stages = _size(config, "pipeline")
        fits = now * times <= node and _divides(config, now * times)
        fits = fits and experts.grid_divides(config, now * times, stages, ranks_of(config))
        if fits and _spread_further(config, times):
            yield {"tensor_parallel_size": now * times, **_fewer_replicas(config, times)}


def more_gpus(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """Twice as many and so on, the states sharded over them; where sequences can be split and are the only ones of
    their micro batch, those over the new ones too."""
    sharded = bool(config.integer("zero_stage")) or config.get("fsdp") is True
    shards = {} if sharded else next(sharding(config), {})
    if not (sharded or shards):
        return
    now = ranks_of(config)
    alone = config.integer("micro_batch_size") == 1 and next(context(config), None) is None
    splits = alone and _splits_sequences(config)
    for times in (2**n for n in range(1, 11)):
        if now * times > MOST_GPUS:
            return
        if not experts.grid_divides(config, *_layer(config), now * times):
            continue
        more = {**shards, **_gpus(config, times)}
        yield {**more, **_less_accumulation(config, times)}
        length, cut = config.integer("sequence_length") or 0, _size(config, "context") * times
        heads = config.framework not in _BY_HEADS or _divides(config, cut)
        if splits and heads and times <= NODE and length % (2 * cut) == 0:
            yield {**more, "context_parallel_size": cut}
        if config.framework in _PIPELINE:
            yield from _over_model(config, times, {**shards, **_gpus(config, times)})


def _over_model(
    config: RunConfig, times: int, more: dict[str, Scalar]
) -> Iterator[dict[str, Scalar]]:
    """Layers over the GPUs of a node as far as they divide, then stages of a pipeline over the nodes: of all
    ranks that there are then, as few replicas as it takes."""
    now, stages, all_replicas = (
        _size(config, "tensor"),
        _size(config, "pipeline"),
        replicas(config) or 1,
    )
    free = all_replicas * times
    ranks = ranks_of(config) * times
    wide = next(
        w
        for w in (8, 4, 2, 1)
        if w == 1
        or (
            free % w == 0
            and _can_be_wide(config, now * w)
            and experts.grid_divides(config, now * w, stages, ranks)
        )
    )
    split: dict[str, Scalar] = {"tensor_parallel_size": now * wide} if wide > 1 else {}
    own = {name: value for name, value in more.items() if name != "data_parallel_size"}
    for deep in (2**n for n in range((free // wide).bit_length())):
        left, over = divmod(free, wide * deep)
        if over or (config.integer("num_layers") or 0) % (stages * deep):
            continue
        if not experts.grid_divides(config, now * wide, stages * deep, ranks):
            continue
        if config.stated("data_parallel_size"):
            own["data_parallel_size"] = left
        yield {**own, **split, **({"pipeline_parallel_size": stages * deep} if deep > 1 else {})}


def _layer(config: RunConfig) -> tuple[int, int]:
    return _size(config, "tensor"), _size(config, "pipeline")


def _can_be_wide(config: RunConfig, tensor: int) -> bool:
    return tensor == _size(config, "tensor") or (tensor <= NODE and _divides(config, tensor))


def _gpus(config: RunConfig, times: int) -> dict[str, Scalar]:
    """The fields that say how many there are: replicas, nodes, GPUs of one, or all of them."""
    node, nodes = config.integer("gpus_per_node"), config.integer("nodes") or 1
    if config.stated("data_parallel_size"):
        return {"data_parallel_size": (config.integer("data_parallel_size") or 1) * times}
    if config.stated("world_size") or node is None:
        whole: dict[str, Scalar] = {"world_size": ranks_of(config) * times}
        count = -(-ranks_of(config) * times // NODE)
        return {**whole, "nodes": count} if config.stated("nodes") and count > nodes else whole
    wide = max(node, min(NODE, node * times)) if nodes == 1 else node
    found: dict[str, Scalar] = {"gpus_per_node": wide} if wide != node else {}
    count = nodes * times * node // wide
    return {**found, "nodes": count} if count != nodes else found


def _less_accumulation(config: RunConfig, times: int) -> dict[str, Scalar]:
    steps = config.integer("gradient_accumulation_steps") or 1
    if (
        derived(config, "gradient_accumulation_steps")
        or steps % times
        or config.framework in DERIVED
    ):
        return {}
    return {"gradient_accumulation_steps": steps // times}


def _fewer_replicas(config: RunConfig, times: int) -> dict[str, Scalar]:
    """Of the same GPUs; as many more micro batches keep the global batch."""
    found: dict[str, Scalar] = {}
    if config.stated("data_parallel_size"):
        found["data_parallel_size"] = (config.integer("data_parallel_size") or 1) // times
    steps = config.integer("gradient_accumulation_steps")
    if not derived(config, "gradient_accumulation_steps") and config.framework not in DERIVED:
        found["gradient_accumulation_steps"] = (steps or 1) * times
    return found


def _spread_further(config: RunConfig, times: int) -> bool:
    """Whether so many replicas can become one."""
    return (replicas(config) or 1) % times == 0 and details.accumulates(config)


def _splits_sequences(config: RunConfig) -> bool:
    """Whether the framework has a setting for it, and takes it as the run is."""
    attention = str(config.get("attention") or "")
    if config.framework == "axolotl":
        return "flash" in attention
    if config.framework in _THROUGH_ACCELERATE:
        by_accelerate = any(s.origin.framework == "accelerate" for s in config.settings)
        return (
            by_accelerate
            and config.get("fsdp") is True
            and details.count(config, "fsdp_version") == 2
        )
    own_layers = (
        details.word(config, "layers") == "local"
    )  # Megatron's, which have no ring attention
    return config.framework in _CONTEXT and not own_layers


def _divides(config: RunConfig, count: int) -> bool:
    heads = config.integer("num_heads") or 0
    groups = config.integer("num_kv_heads") or heads
    return heads % count == 0 and (groups % count == 0 or config.framework in _BY_HEADS)


def _size(config: RunConfig, name: str) -> int:
    return config.integer(f"{name}_parallel_size") or 1
