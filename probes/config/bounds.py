"""Bounds of numbers: by canonical field, and by names that mean the same everywhere."""

from __future__ import annotations

from medic.i18n import Text
from medic.records import dataclass, replace


@dataclass(frozen=True)
class Bounds:
    """Allowed are ``low`` to ``high``; ``unset``: -1 stands for "not set" or "found out"."""

    low: float
    high: float
    words: Text
    open_low: bool = False
    open_high: bool = False
    unset: bool = False

    def allow(self, value: float) -> bool:
        below = value <= self.low if self.open_low else value < self.low
        above = value >= self.high if self.open_high else value > self.high
        return not (below or above) or (self.unset and value == -1)


def _at_most(bounds: Bounds, most: int) -> Text:
    both = Text("{low}, and at most {most}", "{low}，且不大于 {most}")
    return both.fill(low=bounds.words, most=most)


ANY = float("inf")
_ONE = Text("at least 1", "至少为 1")
NONE = Bounds(0, ANY, Text("0 or more", "不小于 0"))
NONE_OR_UNSET = Bounds(0, ANY, Text("0 or more", "不小于 0"), unset=True)
POSITIVE = Bounds(0, ANY, Text("above 0", "大于 0"), open_low=True)
SHARE = Bounds(0, 1, Text("between 0 and 1", "在 0 与 1 之间"))
SOME = Bounds(0, 1, Text("above 0 and at most 1", "大于 0 且不大于 1"), open_low=True)
BELOW_ONE = Bounds(0, 1, Text("at least 0 and below 1", "不小于 0 且小于 1"), open_high=True)
# A step of Adam moves a weight by about the rate: of one of 0.02 in fp32, whose last bit is 2e-9, a
# smaller one moves nothing.
SMALLEST_RATE = 1e-10
# What the check of canonical fields tells. DataLoader, torch.optim.AdamW and Dropout refuse what is
# outside, Megatron-LM and DeepSpeed batches below one; a rate of zero trains nothing.
STATED = {
    **dict.fromkeys(
        ("global_batch_size", "sequence_length", "hidden_size", "num_layers", "num_heads",
         "world_size", "nodes"),
        Bounds(1, ANY, _ONE, unset=True),
    ),
    **dict.fromkeys(
        ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size",
         "expert_parallel_size", "warmup_steps", "total_steps", "num_workers", "lora_rank",
         "epochs"),
        NONE_OR_UNSET,
    ),
    "micro_batch_size": Bounds(1, ANY, _ONE),
    "gradient_accumulation_steps": Bounds(1, ANY, _ONE),
    "learning_rate": Bounds(
        SMALLEST_RATE, ANY,
        Text("at least 1e-10: less changes no weight", "不小于 1e-10：再小则权重不会变化"),
    ),
    "adam_beta2": BELOW_ONE,
    "warmup_ratio": SHARE,
    "zero_stage": Bounds(0, 3, Text("0, 1, 2 or 3", "0、1、2 或 3")),
    "master_port": Bounds(0, 65535, Text("at most 65535", "不大于 65535"), unset=True),
}  # fmt: skip
_DROPOUTS = (
    "dropout", "hidden_dropout", "attention_dropout", "lora_dropout", "embedding_dropout",
    "attn_dropout", "resid_dropout", "residual_dropout", "embd_dropout", "adapter_dropout",
    "classifier_dropout", "ffn_dropout", "attn_pdrop", "resid_pdrop", "embd_pdrop", "dropout_rate",
)  # fmt: skip
# Keys that mean the same everywhere, also where they state no canonical field: torch's optimizers
# and nn.Dropout, vLLM's and SGLang's engine arguments refuse what is outside.
BY_NAME = {
    **dict.fromkeys(_DROPOUTS, SHARE),
    **dict.fromkeys(
        ("weight_decay", "adam_epsilon", "adam_eps", "learning_rate", "lr", "min_lr", "eps",
         "val_size", "val_set_size", "kl_coef", "kl_loss_coef", "init_kl_coef",
         "dpo_beta"),
        NONE,
    ),
    **dict.fromkeys(("adam_beta1", "adam_beta2", "beta1", "beta2"), BELOW_ONE),
    **dict.fromkeys(
        ("gpu_memory_utilization", "vllm_gpu_memory_utilization", "vllm_gpu_util",
         "mem_fraction_static", "sglang_mem_fraction"),
        SOME,
    ),
    **dict.fromkeys(
        ("ppo_micro_batch_size_per_gpu", "log_prob_micro_batch_size_per_gpu", "ppo_mini_batch_size",
         "accumulate_grad_batches", "per_device_eval_batch_size", "ppo_epochs"),
        POSITIVE,
    ),
    "train_batch_size": Bounds(
        0, ANY, Text("above 0", "大于 0"), open_low=True, unset=True
    ),
    **dict.fromkeys(
        ("warmup_ratio", "lr_warmup_ratio", "lr_warmup_steps_ratio",
         "min_lr_ratio", "cosine_min_lr_ratio", "label_smoothing_factor", "label_smoothing",
         "top_p", "gae_lambda"),
        SHARE,
    ),
}  # fmt: skip
# The field of a count that states no canonical one.
COUNTS = {
    "ppo_micro_batch_size_per_gpu": "micro_batch_size",
    "log_prob_micro_batch_size_per_gpu": "micro_batch_size",
    "ppo_mini_batch_size": "global_batch_size",
    "accumulate_grad_batches": "gradient_accumulation_steps",
}
# Where a LoRA rank is read only if LoRA is wanted, and peft refuses 0.
RANKED = ("llama-factory", "axolotl", "litgpt", "torchtune", "trl", "ms-swift")
# Fields of which the framework's own rules, or a check of their own, tell it.
RULED = {"ms-swift": ("warmup_ratio",), "megatron": ("warmup_ratio",)}
# Fields of which a value below zero, other than -1, is none anywhere; of some not even -1.
_LEAST = {
    **dict.fromkeys(
        ("global_batch_size", "sequence_length", "total_steps",
         "warmup_steps", "epochs", "tensor_parallel_size", "pipeline_parallel_size",
         "context_parallel_size", "expert_parallel_size", "nodes", "gpus_per_node",
         "log_interval", "save_interval", "eval_interval"),
        NONE_OR_UNSET,
    ),
    **dict.fromkeys(
        ("hidden_size", "num_layers", "num_heads", "num_workers", "lora_rank", "learning_rate",
         "min_learning_rate", "weight_decay", "adam_epsilon"),
        NONE,
    ),
    **dict.fromkeys(("micro_batch_size", "gradient_accumulation_steps"), POSITIVE),
    "zero_stage": STATED["zero_stage"],
    "adam_beta2": BELOW_ONE,
    "warmup_ratio": SHARE,
}  # fmt: skip
# More than any run has by orders of magnitude: zeros too many, a number of another key.
_MOST = {
    "micro_batch_size": 10**6,
    "gradient_accumulation_steps": 10**6,
    "sequence_length": 10**9,
    "num_layers": 10**5,
    "hidden_size": 10**7,
    "num_heads": 10**5,
    "lora_rank": 10**5,
    "tensor_parallel_size": 10**5,
    "pipeline_parallel_size": 10**5,
    "context_parallel_size": 10**5,
    "nodes": 10**6,
    "gpus_per_node": 10**6,
    "num_workers": 10**5,
}
FAR_BEYOND = 1e15  # of any count under any name, also of tokens or bytes
BY_FIELD = {
    name: replace(one, high=_MOST[name], words=_at_most(one, _MOST[name])) if name in _MOST else one
    for name, one in _LEAST.items()
}
RANK = replace(POSITIVE, high=_MOST["lora_rank"], words=_at_most(POSITIVE, _MOST["lora_rank"]))
