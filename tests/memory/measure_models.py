"""Models and optimizers of the rows that ``measure.py`` measures; the settings are listed there."""

from __future__ import annotations

from typing import Any

# What the families of transformers call their classes, and the settings that only they have.
KIND = {
    "llama": "Llama",
    "mistral": "Mistral",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "gemma": "Gemma",
    "gemma2": "Gemma2",
    "gemma3_text": "Gemma3Text",
    "olmo2": "Olmo2",
    "phi3": "Phi3",
    "gpt_neox": "GPTNeoX",
    "mixtral": "Mixtral",
    "qwen3_moe": "Qwen3Moe",
    "olmoe": "Olmoe",
    "qwen2_moe": "Qwen2Moe",
    "gpt_oss": "GptOss",
    "deepseek_v3": "DeepseekV3",
}
HALF = "bf16_pure"


def config_of(row: dict[str, Any]) -> Any:
    import transformers as hf

    common = {"vocab_size": row["vocab"], "tie_word_embeddings": row.get("tie", False)}
    family = row.get("family", "llama")
    if family == "gpt2":
        return hf.GPT2Config(
            n_embd=row["hidden"],
            n_layer=row["layers"],
            n_head=row["heads"],
            n_inner=row["inter"],
            n_positions=row["seq"],
            **common,
        )
    sizes = {
        "hidden_size": row["hidden"],
        "num_hidden_layers": row["layers"],
        "num_attention_heads": row["heads"],
        "intermediate_size": row["inter"],
        "max_position_embeddings": row["seq"],
        "pad_token_id": 0,
    }
    if family != "gpt_neox":
        sizes["num_key_value_heads"] = row["kv_heads"]
    if family == "mixtral":
        sizes["num_local_experts"] = row["experts"]
    if family in ("qwen3_moe", "olmoe", "qwen2_moe"):
        sizes["num_experts"] = row["experts"]
    if family == "qwen2_moe":
        sizes["moe_intermediate_size"] = row["inter"]
        sizes["shared_expert_intermediate_size"] = row["shared"]
        sizes["decoder_sparse_step"] = 1
    if family == "gpt_oss":
        sizes["num_local_experts"] = row["experts"]
        sizes["head_dim"] = row["head_dim"]
    if family == "deepseek_v3":
        sizes["n_routed_experts"] = row["experts"]
        sizes["moe_intermediate_size"] = row["inter"]
        sizes["first_k_dense_replace"] = 0
        sizes["n_shared_experts"] = 1
    if row.get("experts"):
        sizes["num_experts_per_tok"] = row["top_k"]
    if family == "qwen3_moe":
        sizes["moe_intermediate_size"] = row["inter"]
        sizes["decoder_sparse_step"] = 1
    if family in ("qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text"):
        sizes["head_dim"] = row.get("head_dim", row["hidden"] // row["heads"])
    return getattr(hf, f"{KIND[family]}Config")(**sizes, **common)


def model_of(row: dict[str, Any], device: str) -> Any:
    """The row's model on the device with random weights."""
    import torch
    import transformers as hf

    config = config_of(row)
    config.use_cache = False
    half = row.get("dtype") == HALF or row.get("quant")
    with torch.device(device):
        model = hf.AutoModelForCausalLM.from_config(
            config,
            dtype=torch.bfloat16 if half else torch.float32,
            attn_implementation=row.get("attn", "sdpa"),
        )
    if row.get("loss") == "fused":
        from liger_kernel.transformers import monkey_patch as liger

        patch = getattr(liger, f"apply_liger_kernel_to_{row.get('family', 'llama')}")
        patch(rope=False, rms_norm=False, swiglu=False, cross_entropy=False,
              fused_linear_cross_entropy=True, model=model)  # fmt: skip
    if row.get("quant"):
        quantised(model, row, device)
    if row.get("fp8"):
        from torchao.float8 import convert_to_float8_training

        skip = lambda module, name: name != "lm_head" and isinstance(module, torch.nn.Linear)  # noqa: E731
        convert_to_float8_training(model, module_filter_fn=skip)
    if row.get("lora"):
        model = adapted(model, row)
    if row.get("ckpt") and not row.get("trainer"):
        model.gradient_checkpointing_enable({"use_reentrant": False})
    return model.train()


def quantised(model: Any, row: dict[str, Any], device: str) -> None:
    """All maps of the layers as bitsandbytes keeps them; ``prepared`` as peft's k-bit training
    does, that is all other weights in fp32."""
    import bitsandbytes as bnb
    import torch

    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if not isinstance(child, torch.nn.Linear) or name == "lm_head":
                continue
            new = four_bits(bnb, child) if row["quant"] == "nf4" else eight_bits(bnb, child)
            setattr(module, name, new.to(device))
            del child
    for parameter in model.parameters():
        parameter.requires_grad_(False)
        if row.get("prepared") and parameter.dtype == torch.bfloat16:
            parameter.data = parameter.data.float()


def four_bits(bnb: Any, old: Any) -> Any:
    import torch

    new = bnb.nn.Linear4bit(
        old.in_features, old.out_features, bias=False, compute_dtype=torch.bfloat16,
        compress_statistics=True, quant_type="nf4", device="meta",
    )  # fmt: skip
    new.weight = bnb.nn.Params4bit(
        old.weight.data.cpu(), requires_grad=False, compress_statistics=True, quant_type="nf4"
    )
    return new


def eight_bits(bnb: Any, old: Any) -> Any:
    new = bnb.nn.Linear8bitLt(
        old.in_features, old.out_features, bias=False, has_fp16_weights=False, device="meta"
    )
    new.weight = bnb.nn.Int8Params(
        old.weight.data.cpu(), requires_grad=False, has_fp16_weights=False
    )
    return new


def adapted(model: Any, row: dict[str, Any]) -> Any:
    """LoRA adapters on all linear maps of the layers, on queries and values, or on ``lora_maps``."""
    if row.get("own"):
        return own_adapters(model, row)
    from peft import LoraConfig, get_peft_model

    maps = "all-linear" if row.get("lora_every", True) else ["q_proj", "v_proj"]
    maps = row.get("lora_maps", maps)
    model.enable_input_require_grads()
    return get_peft_model(
        model, LoraConfig(r=row["lora"], lora_dropout=row.get("dropout", 0.0), target_modules=maps)
    )


def own_adapters(model: Any, row: dict[str, Any]) -> Any:
    """Adapters as a script of one's own makes them: modules around the maps, of the maps' own type."""
    import torch

    class Adapted(torch.nn.Module):
        def __init__(self, base: Any, rank: int) -> None:
            super().__init__()
            self.base = base
            like = {"device": base.weight.device, "dtype": base.weight.dtype}
            self.down = torch.nn.Parameter(torch.randn(rank, base.in_features, **like) * 0.01)
            self.up = torch.nn.Parameter(torch.zeros(base.out_features, rank, **like))

        def forward(self, x: Any) -> Any:
            return self.base(x) + (x @ self.down.T) @ self.up.T * 2.0

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.Linear) and name in row["lora_maps"]:
                setattr(module, name, Adapted(child, row["lora"]))
    if row.get("ckpt"):  # or no layer's input needs a gradient
        model.enable_input_require_grads()
    return model


class Both:
    """Two optimizers as one: Muon takes the matrices of the layers, AdamW the rest."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def step(self) -> None:
        for part in self.parts:
            part.step()

    def zero_grad(self, *, set_to_none: bool) -> None:
        for part in self.parts:
            part.zero_grad(set_to_none=set_to_none)


def optimizer_of(row: dict[str, Any], model: Any) -> Any:
    import torch

    name = row.get("optim", "adamw")
    weights = [p for p in model.parameters() if p.requires_grad]
    if name.startswith("sgd"):
        return torch.optim.SGD(weights, lr=1e-3, momentum=0.9 if "momentum" in name else 0)
    if name == "adafactor":
        return torch.optim.Adafactor(weights, lr=1e-3)
    if name == "muon":
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        inner = [p for n, p in named if p.ndim == 2 and ".layers." in n]
        outer = [p for n, p in named if p.ndim != 2 or ".layers." not in n]
        return Both(torch.optim.Muon(inner, lr=1e-3), torch.optim.AdamW(outer, lr=1e-4))
    if "8bit" in name:
        import bitsandbytes as bnb

        return bnb.optim.AdamW8bit(weights, lr=1e-4)
    fused = True if "fused" in name else None
    foreach = False if "foreach_off" in name else None
    if row.get("mode") in ("tp", "sp"):  # one foreach step takes either kind of tensor
        spread = [p for p in weights if hasattr(p, "placements")]
        rest = [p for p in weights if not hasattr(p, "placements")]
        return Both(*(torch.optim.AdamW(some, lr=1e-4) for some in (spread, rest) if some))
    return torch.optim.AdamW(weights, lr=1e-4, fused=fused, foreach=foreach)
