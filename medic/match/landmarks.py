"""Lines that are no symptom but part a log: where tracebacks, launches and failures begin.

The pass over a log notes them at no cost, so that the middle of a large log need not be read twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from medic.entries import Signature
from medic.text.systemwords import in_both

_PATTERNS: Mapping[str, str] = {
    "traceback": r"Traceback \(most recent call last\)",
    # A process starts: torchrun, elastic, DeepSpeed, Hugging Face, Megatron, Lightning, Slurm.
    "launch": (
        r"Setting OMP_NUM_THREADS environment variable for each process|"
        r"Starting elastic_operator with launch configs|starting workers for entrypoint|"
        r"Rendezvous complete for workers|launcher?\.py:\d+:main\] (?:WORLD INFO DICT|nnodes=)|"
        r"runner\.py:\d+:main\] cmd = |\*{3,} Running training \*{3,}|"
        r"using world size: \d+|> initializing torch distributed|"
        r"LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES|Initializing distributed: GLOBAL_RANK|"
        r"^\+{1,2} (?:exec )?(?:torchrun|accelerate launch|deepspeed|srun) "
    ),
    "watchdog": (
        r"Watchdog caught collective operation timeout|Stack trace of the failed collective|"
        r"last enqueued work: \d+|Last enqueued NCCL work: \d+"
    ),
    "child-failure": (
        r"Root Cause \(first observed failure\)|failed \(exitcode: -?\d+\)|"
        r"Sending process \d+ closing signal|exited with exit code \d+|"
        r"Process \d+ exits with return code = -?\d+|exits successfully"
    ),
    "loss-scale": r"[Ll]oss scale: ?[\d.e+]+, reducing to|Grad(?:ient)? overflow.{0,40}loss scale",
    # What one rank does while the others may wait in a collective.
    "serial-work": (
        r"(?i:\b(?:sav|writ|stor)ing (?:\w+ ){0,3}(?:model|checkpoint|state|optimizer|weights)|"
        r"\b(?:merging|gathering|consolidating|uploading|copying) (?:\w+ ){0,3}"
        r"(?:checkpoint|shards?|weights|state|model)|"
        r"\*{3,} running (?:evaluation|prediction|validation)|"
        r"\b(?:evaluating|validating|(?:generating|writing) (?:\w+ ){0,2}samples)\b|"
        r"\b(?:running|start(?:ing|ed)?|begin(?:ning)?) (?:\w+ ){0,2}(?:eval|valid)(?:u?ation)?\b|"
        r"\b(?:tokeni[sz]|download|compil|pack|shuffl)ing (?:\w|/)|"
        r"\bbuilding (?:\w+ ){0,3}(?:dataset|data set|ind(?:ex|ices)|train|vocab|cache|mapping)|"
        r"\b(?:load|prepar)ing (?:\w+ ){0,2}(?:dataset|data set|corpus)\b|"
        r"\bpre-?processing (?:\w+ ){0,2}(?:data|corpus|text|sample)|"
        r"\bcounting (?:pairs|tokens))|"
        r"正在(?:保存|评估|验证|分词|下载|编译|加载数据|构建索引|预处理)|开始(?:保存|评估|验证|分词)"
    ),
    "serial-done": (
        r"(?i:\b(?:saved|evaluated|validated|tokeni[sz]ed|downloaded|compiled|uploaded)\b|"
        r"\b(?:sav|writ|evaluat|validat|tokeni[sz]|download|compil|build|load|preprocess)ing\b"
        r".{0,60}\b(?:done|finished|complete[d]?|took)\b|"
        r"\b(?:eval(?:uation)?|validation|checkpoint|save)\b.{0,40}"
        r"\b(?:done|finished|complete[d]?|took)\b)|"
        r"(?:保存|评估|验证|分词|下载|编译|预处理)(?:完成|完毕|结束|成功)"
    ),
    # The end of one rank; how it reads in full is judged where it is used.
    "regular-end": (
        r"(?i:\btrain(?:ing)?\b.{0,40}\b(?:finished|completed?|done|ended)\b|"
        r"\b(?:finished|completed?|done)\b.{0,16}\btraining\b|train_runtime|"
        r"end time of running main: |`?max_(?:steps|epochs)=.{0,20}reached)|训练已?(?:完成|结束)"
    ),
    "crash": (
        r"Fatal Python error: (?:Segmentation|Aborted|Bus|Illegal|Floating)|Segmentation fault|"
        r"\bBus error|Illegal instruction|Floating point exception|core dumped\)|"
        r"\bCaught signal (?:4|6|7|8|11)\b|SIGSEGV|SIGBUS|"
        r"double free or corruption|free\(\): invalid|malloc\(\): |"
        r"terminate called after throwing|CUDA error: |device-side assert triggered|"
        r"stack smashing detected"
    ),
    # A message that its own logger calls a failure; what it says is judged where it is used.
    "error-level": (
        r"^(?:.{0,100}[\s\[|:(])?(?:ERROR|FATAL|CRITICAL)(?:[\]:)|\s-]+)\S|"
        r"^(?:.{0,60}[\s\]])?(?:[Ee]rror|[Ff]atal|[Cc]ritical|错误|致命错误)(?:: |：)\S"
    ),
    # Numbers of the tokenizer and of the embedding, which are compared where a lookup fails.
    "tokenizer-size": (
        r"(?i:\blen\(tokenizer\)[^\n]{0,4}?\d{3}|"
        r"\btokenizer\b[^\n]{0,24}\b(?:vocab(?:ulary)?[ _]?size|length|size)\b[^\n\d]{0,4}\d{3})|"
        r"\bEmbedding\(\d{3,8}, \d|(?i:\bmodel\b[^\n]{0,12}\bvocab(?:ulary)?[ _]?size\b[^\n\d]{0,4}\d{3})"
    ),
    # What the environment tells NCCL, and RDMA devices that a node lists (ibv_devinfo, ibstat, nvidia-smi topo).
    "rdma-told": (
        r"\bNCCL_(?:IB_\w+|NET) set by environment to |^\s*hca_id:\s*\w|^\s*CA '\w+'|"
        r"^\s*NIC\d+: (?:mlx|bnxt|rocep|ibp|efa)\w*"
    ),
    # How many of the parameters are trained; what that means is judged where it is used.
    "trained-count": r"(?i:\btrainable\b[^\n]{0,16}param|\bparam[^\n]{0,60}\btrainable\b)",
    # A start from a checkpoint, one that found none, and what of it was left out; see curve-resume-point.
    "resume": (
        r"(?i:\b(?:resum(?:e|ed|ing)|continu(?:ed|ing))\b.{0,40}\b(?:from|at)\b|"
        r"\b(?:restor(?:ed|ing)|load(?:ed|ing)|successfully loaded) (?:\w+ ){0,4}(?:checkpoint|ckpt) "
        r"(?:path|from|at|in|\S*/)|^.{0,60}\bloading model from \S*checkpoint-\d)|"
        r"恢复训练|断点续训|继续训练|(?:检查点|checkpoint).{0,20}恢复"
    ),
    "no-checkpoint": (
        r"(?i:will not load any checkpoints|could not find the metadata file|"
        r"\bno (?:\w+ ){0,3}(?:checkpoints?|ckpts?) (?:\w+ ){0,2}(?:found|exists?|available|to (?:load|resume))|"
        r"\bcheckpoints? (?:\S+ ){0,2}(?:not found|does not exist|doesn't exist)|"
        r"\b(?:start|train)(?:ed|s|ing)?(?: \w+)? from scratch|did not find \S*checkpoint|"
        r"unable to find latest file|starting a new training run|"
        r"no checkpoint path provided)|"
        r"(?:未找到|没有找到|找不到).{0,20}(?:检查点|checkpoint)|从头开始训练"
    ),
    "state-left": (
        r"(?i:\b(?:optimi[sz]er|scheduler)\b[\w ./,'-]{0,40}\b(?:"
        r"not (?:be )?(?:found|loaded|restored|in |available|present)|missing|skipped|"
        r"re-?initiali[sz]ed|from scratch|will be reset)|"
        r"\b(?:skip(?:ping|ped)?|without|not|failed to|unable to|could not|couldn't|cannot|can't|won't) "
        r"(?:\w+ ){0,2}(?:load|restor|resum)(?:e|ed|ing)? (?:\w+ ){0,4}(?:optimi[sz]er|scheduler|lr_scheduler))|"
        r"\b(?:no_load_optim|finetune) \.{3,60} True\b|"  # Megatron's printed arguments
        r"(?:优化器|调度器).{0,12}(?:未加载|未恢复|没有加载|没有恢复|重新初始化)"
    ),
    # Data that a run reads from its first sample on; whether it was to go on is judged where it is used.
    "data-begins": (
        r"(?i:\b(?:data ?loader|data(?:set)?|sampler|streams?|loader)\b[^\n]{0,40}(?:"
        r"\bno (?:saved |stored )?(?:state|position)\b|"
        r"\b(?:state|position) (?:was |is )?(?:not (?:found|saved|restored|loaded|in )|missing)|"
        r"\b(?:start|begin|read)(?:s|ing|ed|ning)? (?:over |again )?(?:at|from|with) (?:"
        r"the (?:beginning|start\b|first )|[^\n]{0,24}\b(?:sample|batch|index|offset|position|document|record)"
        r"[ =:#]{1,2}0\b)))|"
        r"(?:数据|dataloader|采样器).{0,16}(?:从头|没有保存的?(?:状态|位置)|(?:状态|位置)未恢复)"
    ),
    # Weights that a load which need not be strict left out.
    "keys-left": (
        r"(?i:\b(?:missing|unexpected)(?:_keys|[ _]keys?| key\(s\))?\b.{0,60}?[:=] *[\[({]+ *"
        r"['\"][\w-]+\.[\w.-]+['\"])"
    ),
    # The load of each expert of a mixture, as a list; how even it is is judged where it is used.
    "expert-loads": (
        r"(?i:\b(?:tokens?[ _]per[ _]expert|experts?[ _](?:loads?|tokens|counts?|usage)))\b(?:[^\[\n]{0,60}"
        r"\[ *(?:\d[\d.eE+-]* *, *){3,}|[ :=]{1,4}(?:\d[\d.eE+-]*%?[ ,]+){3,}\d)"
    ),
    "wait-over": r"srun: Step created for ",  # of Slurm, after "step creation … retrying"
    "state-dict": r"Error\(s\) in loading state_dict",
}

LANDMARKS: tuple[Signature, ...] = tuple(
    Signature(id=name, pattern=in_both(pattern), role="context", match=())
    for name, pattern in _PATTERNS.items()
)
