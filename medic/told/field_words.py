"""How people call the fields of a run when they type: names, and phrases around a number.

``NAMES`` stand before a value ("micro batch is 4"), in ``PHRASES`` a number takes the place of
``#`` ("8 GPUs per node"). All are patterns, matched whatever the case; a blank is any white space,
a hyphen or an underscore. The names of the fields themselves need not be listed.
"""

from __future__ import annotations

from collections.abc import Mapping

_NODE = "(?:node|machine|server|host|box)"
_GPUS = "(?:gpus?|cards?|devices?)"
_KA = "(?:张|块|个)?(?:卡|gpu|显卡|npu)"
# A GPU by its model, and how much memory it has: H100, A100-80GB, RTX 4090, MI300X.
CARD = (
    r"(?:nvidia |tesla |amd )?(?:g?[abhlv]\d{2,3}[a-z]{0,2}|t4|rtx ?\d{4}|[34]090|mi ?\d{3}x?)"
    r"(?: ?(?:sxm\d?|pcie|nvl))?(?: ?\d{2,3} ?gi?b?)?s?(?: gpus?)?"
)
_PIECES = f"#(?: ?[x×*] ?| ?(?:张|块|个) ?| ){CARD}"
_ZH_NODE = "(?:节点|机器|机|服务器)"
_PARALLEL = "(?:parallel|parallelism|parallel (?:size|degree))"
_DU = "(?:并行)(?:度|大小|数)?"

NAMES: Mapping[str, tuple[str, ...]] = {
    "micro_batch_size": (
        "micro ?batch(?: size)?",
        "mbs",
        f"batch(?: size)? per {_GPUS}",
        "batch(?: size)? ?(?:每|单)(?:张)?卡",
        f"per {_GPUS}(?: train)? batch(?: size)?",
        "微批(?:次|量)?(?:大小)?",
        "(?:单|每)(?:张)?卡的? ?(?:batch(?: size)?|批次?(?:大小)?)",
    ),
    "gradient_accumulation_steps": (
        "grad(?:ient)? accum(?:ulation)?(?: steps)?",
        "accumulation(?: steps)?",
        "(?:梯度)?累[积加](?:步数)?",
    ),
    "global_batch_size": (
        "global batch(?: size)?",
        "gbs",
        "全局(?:batch(?: size)?|批次?(?:大小)?)",
        "总(?:batch(?: size)?|批次?大小)",
    ),
    "data_parallel_size": ("dp(?: size)?", f"data {_PARALLEL}", f"数据{_DU}"),
    "tensor_parallel_size": ("tp(?: size)?", f"tensor {_PARALLEL}", f"张量{_DU}"),
    "pipeline_parallel_size": ("pp(?: size)?", f"pipeline {_PARALLEL}", f"流水线?{_DU}"),
    "context_parallel_size": ("cp(?: size)?", f"context {_PARALLEL}", f"上下文{_DU}"),
    "expert_parallel_size": ("ep(?: size)?", f"expert {_PARALLEL}", f"专家{_DU}"),
    "world_size": (
        "number of (?:gpus|ranks|processes)",
        "总(?:卡|进程|gpu)数",
        "(?:gpu|卡|进程|rank)(?:总)?数",
    ),
    "nodes": ("number of nodes", "nnodes", f"{_ZH_NODE}(?:总)?数"),
    "gpus_per_node": ("nproc per node", f"每{_ZH_NODE}(?:gpu|卡|进程)数"),
    "node_cores": (
        "(?:cpu )?cores",
        "cpus",
        "(?:cpu|核心?)(?:核心?)?数",
        "cpu核心?数",
        f"{_ZH_NODE}(?:的)?(?:cpu)?核心?数",
    ),
    "sequence_length": (
        "(?:max )?seq(?:uence)?(?: ?len(?:gth)?)?",
        "(?:max )?context(?: length| window)",
        "(?:最大)?(?:序列|上下文|文本)长度",
    ),
    "dataset_sequences": ("data ?set(?: size)?", "(?:number of )?samples", "(?:样本|数据集?)条?数"),
    "total_tokens": ("total tokens", "token budget", "(?:训练)?总?token(?:总)?数"),
    "total_steps": ("(?:total|max|training|train) (?:steps|iters)", "(?:训练)?总?步数"),
    "epochs": ("epochs", "(?:训练)?(?:轮数|epoch数)"),
    "learning_rate": ("(?:peak |max )?lr", "peak learning rate", "(?:峰值|最大)?学习率"),
    "min_learning_rate": ("min(?:imum)? (?:lr|learning rate)", "最小学习率"),
    "warmup_steps": ("warm ?up(?: steps| iters)?", "(?:预热|warmup)(?:步数)?"),
    "warmup_ratio": ("warm ?up (?:ratio|fraction)", "预热比例"),
    "lr_schedule": ("(?:lr |learning rate )schedule[r]?", "学习率(?:调度|策略)"),
    "weight_decay": ("wd", "权重衰减"),
    "adam_beta2": ("(?:adam )?beta ?2",),
    "adam_epsilon": ("(?:adam )?eps(?:ilon)?",),
    "gradient_clip": (
        "(?:grad(?:ient)? )?clip(?:ping)?(?: norm| threshold)?",
        "max grad norm",
        "梯度裁剪(?:阈值)?",
    ),
    "precision": ("(?:compute |mixed |training )?precision", "(?:训练|计算)?精度"),
    "parameter_dtype": ("(?:weight|parameter) (?:dtype|precision)", "(?:权重|参数)精度"),
    "zero_stage": ("zero(?: stage)?",),
    "optimizer_offload": ("(?:optimizer |cpu )?offload",),
    "activation_checkpointing": (
        "(?:gradient|activation) checkpoint(?:ing)?",
        "激活(?:重计算|检查点)",
        "重计算",
    ),
    "hidden_size": ("hidden(?: size| dim)", "隐藏层?(?:维度|大小)"),
    "num_layers": ("(?:number of )?layers", "层数"),
    "num_kv_heads": ("kv heads", "kv头数"),
    "num_heads": ("(?:attention |number of )?heads", "(?:注意力)?头数"),
    "vocab_size": ("vocab(?:ulary)?(?: size)?", "词表(?:大小)?"),
    "num_experts": ("(?:number of )?experts", "专家数"),
    "parameters": ("model size", "(?:模型)?参数量"),
    "lora_rank": ("lora (?:rank|r)", "lora秩"),
    "num_workers": (
        "(?:data ?loader |number of |loader )?workers",
        "(?:数据加载)?(?:worker|进程)数",
    ),
    "log_interval": ("log(?:ging)? (?:interval|steps)", "日志间隔"),
    "save_interval": ("(?:save|checkpoint) (?:interval|steps)", "(?:保存|存盘)间隔"),
    "eval_interval": ("eval(?:uation)? (?:interval|steps)", "(?:评估|验证)间隔"),
    "master_port": ("(?:rendezvous |main )port", "主端口"),
    "nccl_timeout": ("(?:nccl|ddp|collective) timeout", "(?:集合)?通信超时"),
}

PHRASES: Mapping[str, tuple[str, ...]] = {
    "gpus_per_node": (
        f"# {_GPUS} (?:per|/|a|each|on each|on every|in each|in every) {_NODE}",
        f"每(?:个|台)?{_ZH_NODE}(?:上)?(?:有|用|跑)?#{_KA}",
        f"单{_ZH_NODE}#{_KA}",
        f"#{_KA}每{_ZH_NODE}",
        f"{_PIECES} (?:per|/|a|each|on each|on every|in each|in every) {_NODE}",
        f"每(?:个|台)?{_ZH_NODE}(?:上)?(?:有|用|跑)? ?{_PIECES}",
        f"# {_GPUS} each",
        f"{_PIECES} each",
        f"(?:one|single|a|1) {_NODE} (?:with|of|has) # {_GPUS}",
        f"[x×*] ?# {_GPUS}",
        f"[x×*] ?{_PIECES}",
    ),
    "node_gpus": (
        f"(?:the|this|our|my|each|every) {_NODE} has # {_GPUS}",
        f"# {_GPUS} (?:in|on) (?:the|this|our|my) {_NODE}",
        f"(?:本|这台|该){_ZH_NODE}(?:上)?(?:一共|共)?有#{_KA}",
    ),
    "world_size": (
        f"# {_GPUS}",
        _PIECES,
        "# (?:ranks|processes)",
        f"(?:一共|总共|共)?#{_KA}",
        "#个(?:rank|进程)",
    ),
    "nodes": (
        f"# {_NODE}s?",
        f"#(?:个|台){_ZH_NODE}",
        f"# {CARD} {_NODE}s?",
        r"#机(?=[\s,，、x×*]*(?:一共|总共|共)?\s?\d+\s?(?:张|块|个)?(?:卡|gpu))",
    ),
    "node_cores": (
        "# (?:cpu )?cores?",
        "# cpus",
        "#(?:个)?(?:cpu)?核心?",
        "#个cpu",
    ),
    "num_layers": ("# layers", "#层"),
    "lora_rank": (r"lora[^.;。；\n]{0,24}[\s,，(（](?:rank|r|秩)(?:\s?[=:：]\s?|\s)#",),
    "num_heads": ("# (?:attention )?heads", "#个?注意力头"),
    "num_experts": ("# experts", "#个?专家"),
    "num_workers": ("# (?:data ?loader |loader )?workers", "#个?(?:数据加载进程|worker)"),
    "epochs": ("# epochs?", "#(?:个)?(?:epoch|轮)"),
    "zero_stage": ("zero#", "zero 阶段#"),
    "total_steps": (
        "# (?:total |training |optimizer )steps",
        "总共(?:才|只|就|要)?(?:训练?|跑)?#步",
    ),
    "warmup_steps": ("# warm ?up steps", "预热#步"),
    "total_tokens": ("# tokens (?:in total|to train on)",),
    "parameters": ("# param(?:eter)?s",),
    "micro_batch_size": ("# (?:sequences|samples) per (?:gpu|device|card)",),
    "sequence_length": ("# tokens per (?:sequence|sample)",),
    "save_interval": ("(?:save|saving|checkpoint) every # steps", "每#步保存(?:一次)?"),
    "eval_interval": ("(?:eval|evaluate|evaluation) every # steps", "每#步评估(?:一次)?"),
}
