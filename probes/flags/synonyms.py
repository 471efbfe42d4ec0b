"""Names of one setting in different frameworks, by words; used to tell which flag was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# Words that mean the same inside a name.
WORDS: Mapping[str, str] = {
    short: long
    for long, shorts in {
        "dir": "directory folder",
        "num": "number n",
        "seq": "sequence",
        "len": "length",
        "grad": "gradient",
        "accum": "accumulation acc accumulate",
        "ckpt": "checkpoint",
        "eval": "evaluation",
        "val": "validation valid",
        "attn": "attention",
        "iters": "iterations iter",
        "embed": "embedding emb",
        "max": "maximum",
        "min": "minimum",
        "lr": "lrate",
        "bs": "bsz batchsize",
        "params": "param parameters parameter",
        "dim": "dimension",
        "freq": "frequency",
        "optim": "optimizer optimiser optimization optimisation opt",
        "tok": "tokenizer tokeniser",
        "epochs": "epoch",
        "micro": "microbatch",
        "train": "training trainer",
        "config": "cfg conf configuration",
        "warmup": "wu",
    }.items()
    for short in shorts.split()
}

# Words that only say to which group a setting belongs, or that it is a switch.
GROUPS = frozenset(
    {"train", "model", "data", "dataset", "optim", "args", "config", "run", "hparams"}
)
FILLERS = frozenset({"use", "enable", "do", "the", "with"})

# Settings that go by several names; words as WORDS spells them.
_SETTINGS: Mapping[str, str] = {
    "LR": "lr; learning rate; base lr; peak lr; max lr; init lr; initial lr; base learning rate; "
    "peak learning rate; max learning rate",
    "MIN_LR": "min lr; lr min; eta min; min learning rate; final lr",
    "MICRO_BATCH": "micro batch size; mbs; micro size; per device train batch size; "
    "per gpu train batch size; per device batch size; per gpu batch size; device batch size; "
    "train micro batch size per gpu; batch size per gpu; batch size per device; micro bs; "
    "local batch size; micro batch",
    "GLOBAL_BATCH": "global batch size; gbs; total batch size; effective batch size; global bs",
    "BATCH": "batch size; bs",
    "ACCUMULATION": "grad accum steps; grad accum; accum steps; accum grad batches; gas; "
    "accum iters; update freq",
    "SEQ_LEN": "seq len; max seq len; max len; block size; context len; ctx len; cutoff len; "
    "context size; context window; num ctx; seqlen; max seqlen",
    "EPOCHS": "epochs; num epochs; num train epochs; train epochs; max epochs; total epochs",
    "STEPS": "max steps; train iters; total steps; num steps; num train steps; max train steps; "
    "train steps; max iters; total iters; num iters; max train iters",
    "WARMUP": "warmup steps; num warmup steps; lr warmup steps; lr warmup iters; warmup iters; "
    "warmup num steps; warmup updates; lr warmup num steps",
    "WARMUP_RATIO": "warmup ratio; lr warmup fraction; warmup fraction; warmup proportion; "
    "warmup frac; lr warmup ratio",
    "WEIGHT_DECAY": "weight decay; wd",
    "CLIP": "clip grad; grad clip; max grad norm; grad clipping; grad clip val; grad clip norm; "
    "clip grad norm; clip norm; clip gradients",
    "SAVE": "save interval; save steps; save freq; save every; ckpt interval; ckpt every; "
    "save every num steps; ckpt steps",
    "EVAL": "eval interval; eval steps; eval freq; eval every; eval every num steps",
    "LOG": "log interval; logging steps; log freq; log every; log steps; log every num steps; "
    "logging interval",
    "OUTPUT": "output dir; out dir; outdir; output path; out path",
    "RESUME": "resume from ckpt; resume from; resume ckpt; resume path; ckpt resume from ckpt",
    "LAYERS": "num layers; num layer; num hidden layers; nlayers; nlayer",
    "HEADS": "num attn heads; num heads; num head; nheads; nhead",
    "HIDDEN": "hidden size; hidden dim; num embd; d model; model dim; embed dim",
    "FFN": "ffn hidden size; intermediate size; ffn dim; ffn size",
    "TP": "tensor model parallel size; tensor parallel size; tp size; tp; tensor parallel; "
    "tp degree; tensor parallel degree",
    "PP": "pipeline model parallel size; pipeline parallel size; pp size; pp; pipeline parallel; "
    "pp degree",
    "CP": "context parallel size; cp size; cp; context parallel",
    "EP": "expert model parallel size; expert parallel size; ep size; expert parallel",
    "WORKERS": "num workers; dataloader num workers; workers; num data workers; "
    "num dataloader workers",
    "CHECKPOINTING": "grad checkpointing; activation checkpointing; grad ckpt; activation ckpt; "
    "recompute activations",
    "COMPILE": "compile; torch compile",
    "FLASH": "flash attn; flash attn 2",
    "BF16": "bf16; bfloat16",
    "FP16": "fp16; float16",
    "AMP": "amp; mixed precision training",
    "BETA1": "adam beta1; beta1; adam beta 1",
    "BETA2": "adam beta2; beta2; adam beta 2",
    "EPSILON": "adam epsilon; adam eps; eps; epsilon",
    "SCHEDULE": "lr scheduler type; lr scheduler; lr decay style; scheduler; lr schedule; "
    "scheduler type; lr schedule type",
    "EVAL_STRATEGY": "eval strategy",
    "MODEL": "model name or path; model path; pretrained model name or path",
    "SEED": "seed; random seed; rng seed",
}


def _phrases() -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for setting, names in _SETTINGS.items():
        for name in names.split(";"):
            found[tuple(name.split())] = setting
    return found


PHRASES: Mapping[tuple[str, ...], str] = _phrases()
LONGEST = max(len(phrase) for phrase in PHRASES)
JOINED: Mapping[str, str] = {"".join(p): s for p, s in PHRASES.items() if len(p) > 1}
VOCABULARY = frozenset(w for p in PHRASES for w in p if len(w) > 3) | {
    w for w in WORDS if len(w) > 4
}


def settings(words: Iterable[str]) -> tuple[str, ...]:
    """Words of a name with every known phrase replaced by its setting, longest phrase first."""
    left = [WORDS.get(w, w) for w in words]
    found: list[str] = []
    while left:
        for length in range(min(LONGEST, len(left)), 0, -1):
            setting = PHRASES.get(tuple(left[:length]))
            if setting:
                found.append(setting)
                left = left[length:]
                break
        else:
            word = left.pop(0)
            found.append(JOINED.get(word, word))
    return tuple(found)
