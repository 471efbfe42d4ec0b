"""A training step of Megatron Core's own GPT on the ranks of one host, for ``measure.py``.

The layers are those of Megatron Core without Transformer Engine: attention keeps its scores unless
``ckpt`` recomputes it (selective) or the whole layer (full).
"""

from __future__ import annotations

from typing import Any


def megatron_step(row: dict[str, Any], result: dict[str, Any]) -> Any:
    """The function that takes one step: forward and backward of all micro batches, then Adam."""
    import torch
    from megatron.core import parallel_state, tensor_parallel
    from megatron.core.distributed import finalize_model_grads
    from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
    from megatron.core.pipeline_parallel import get_forward_backward_func

    if parallel_state.model_parallel_is_initialized():
        parallel_state.destroy_model_parallel()
    parallel_state.initialize_model_parallel(
        tensor_model_parallel_size=row.get("tensor", 1),
        pipeline_model_parallel_size=row.get("pipeline", 1),
        expert_model_parallel_size=row.get("expert", 1),
    )
    tensor_parallel.model_parallel_cuda_manual_seed(1)
    config = layers_of(row)
    model = wrapped(row, config, result)
    optimizer = get_megatron_optimizer(
        OptimizerConfig(
            optimizer="adam",
            lr=1e-4,
            bf16=True,
            params_dtype=torch.bfloat16,
            use_distributed_optimizer=row.get("distributed_optimizer", True),
        ),
        [model],
    )
    config.finalize_model_grads_func = finalize_model_grads
    config.grad_scale_func = optimizer.scale_loss
    schedule = get_forward_backward_func()

    def step(peaks: Any) -> None:
        model.zero_grad_buffer()
        optimizer.zero_grad()
        shape = (row["micro"], row["seq"])
        tokens = [torch.randint(0, row["vocab"], shape, device="cuda") for _ in range(row["accum"])]
        schedule(
            forward_step_func=forward,
            data_iterator=iter(tokens),
            model=model,
            num_microbatches=row["accum"],
            seq_length=row["seq"],
            micro_batch_size=row["micro"],
        )
        peaks.mark("backward")
        optimizer.step()
        peaks.mark("optimizer")

    return step


def layers_of(row: dict[str, Any]) -> Any:
    import torch
    from megatron.core.transformer import TransformerConfig

    recompute: dict[str, Any] = {}
    if row.get("ckpt") == "selective":
        recompute = {"recompute_granularity": "selective", "recompute_modules": ["core_attn"]}
    elif row.get("ckpt"):
        recompute = {
            "recompute_granularity": "full",
            "recompute_method": "uniform",
            "recompute_num_layers": 1,
        }
    if row.get("experts"):
        recompute |= {
            "num_moe_experts": row["experts"],
            "moe_router_topk": row["top_k"],
            "moe_ffn_hidden_size": row["inter"],
            "moe_token_dispatcher_type": "alltoall",
            "expert_model_parallel_size": row.get("expert", 1),
        }
    return TransformerConfig(
        num_layers=row["layers"],
        hidden_size=row["hidden"],
        num_attention_heads=row["heads"],
        num_query_groups=row["kv_heads"],
        ffn_hidden_size=row["inter"],
        bf16=True,
        params_dtype=torch.bfloat16,
        pipeline_dtype=torch.bfloat16,
        tensor_model_parallel_size=row.get("tensor", 1),
        pipeline_model_parallel_size=row.get("pipeline", 1),
        sequence_parallel=row.get("sequence_parallel", False),
        gated_linear_unit=True,
        activation_func=torch.nn.functional.silu,
        add_bias_linear=False,
        normalization="RMSNorm",
        hidden_dropout=0.0,
        attention_dropout=0.0,
        masked_softmax_fusion=False,
        gradient_accumulation_fusion=False,
        deallocate_pipeline_outputs=True,
        **recompute,
    )


def wrapped(row: dict[str, Any], config: Any, result: dict[str, Any]) -> Any:
    """This rank's part of the model in Megatron's own data parallel wrapper."""
    from megatron.core import parallel_state
    from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
    from megatron.core.models.gpt import GPTModel
    from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
    from megatron.core.transformer.module import Float16Module

    model = GPTModel(
        config=config,
        transformer_layer_spec=get_gpt_layer_local_spec(
            num_experts=row.get("experts"), normalization="RMSNorm"
        ),
        vocab_size=row["vocab"],
        max_sequence_length=row["seq"],
        pre_process=parallel_state.is_pipeline_first_stage(),
        post_process=parallel_state.is_pipeline_last_stage(),
        share_embeddings_and_output_weights=row.get("tie", False),
        position_embedding_type="rope",
    )
    result["params"] = sum(p.numel() for p in model.parameters())
    data = DistributedDataParallelConfig(
        grad_reduce_in_fp32=row.get("reduce") != "bf16",
        use_distributed_optimizer=row.get("distributed_optimizer", True),
    )
    return DistributedDataParallel(config, data, Float16Module(config, model.cuda()))


def forward(tokens: Any, model: Any) -> Any:
    import torch

    batch = next(tokens)
    place = torch.arange(batch.shape[1], device=batch.device).expand_as(batch)
    losses = model(batch, place, None, labels=batch)

    def mean(output: Any) -> Any:
        loss = output.float().mean()
        return loss, {"loss": loss.detach()}

    return losses, mean
