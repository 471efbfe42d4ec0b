"""Rules of Megatron-LM: a clean command is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.index.knowledge import load
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
BASE = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
    "  --micro-batch-size 2 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\\n"
    "  --seq-length 2048 --max-position-embeddings 2048 --lr 1e-4 --min-lr 1e-5 \\\n  "
)
RESUMED = "--load /ck/run --save /ck/run --save-interval 100 --train-iters 1000"
# name of the rule: flags that go together, flags that do not
CASES = {
    "unknown-position-embedding": (
        "--position-embedding-type rope",
        "--position-embedding-type rotary",
    ),
    "unknown-optimizer": ("--optimizer adam", "--optimizer adamw"),
    "unknown-tokenizer": (
        "--tokenizer-type NullTokenizer --tokenizer-model /data/t",
        "--tokenizer-type HuggingFace --tokenizer-model /data/t",
    ),
    "unknown-checkpoint-format": ("--ckpt-format torch_dist", "--ckpt-format dist"),
    "unknown-fp8-format": ("--fp8-format e4m3", "--fp8-format e5m2"),
    "tokenizer-without-model": (
        "--tokenizer-type Llama2Tokenizer --tokenizer-model /data/tokenizer.model",
        "--tokenizer-type Llama2Tokenizer",
    ),
    "tokenizer-without-its-model": (
        f"{RESUMED} --tokenizer-type HuggingFaceTokenizer --tokenizer-model m",
        f"{RESUMED} --tokenizer-type HuggingFaceTokenizer",
    ),
    "gpt2-tokenizer-without-files": (
        "--tokenizer-type GPT2BPETokenizer --vocab-file /data/v.json --merge-file /data/m.txt",
        "--tokenizer-type GPT2BPETokenizer",
    ),
    "gpt2-tokenizer-without-merges": (
        "--tokenizer-type GPT2BPETokenizer --load /data/checkpoint",
        "--tokenizer-type GPT2BPETokenizer --vocab-file /data/v.json",
    ),
    "bert-tokenizer-without-vocabulary": (
        "--tokenizer-type BertWordPieceLowerCase --vocab-file /data/vocab.txt",
        "--tokenizer-type BertWordPieceLowerCase",
    ),
    "sequence-parallel-alone": (
        "--tensor-model-parallel-size 2 --sequence-parallel",
        "--sequence-parallel",
    ),
    "batch-schedule-and-global-batch": (
        "--global-batch-size 64",
        '--global-batch-size 64 --step-batch-size-schedule "0:32 1B:64"',
    ),
    "batch-schedule-and-decrease": (
        '--step-batch-size-schedule "0:32 1B:64"',
        '--step-batch-size-schedule "0:32 1B:64" --decrease-batch-size-if-needed',
    ),
    "batch-ramp-with-iterations": (
        "--train-samples 64000",
        "--train-iters 1000 --rampup-batch-size 16 16 10000",
    ),
    "iterations-with-train-samples": (
        "--train-iters 1000",
        "--train-iters 1000 --train-samples 640",
    ),
    "iterations-with-lr-decay-samples": (
        "--train-iters 1000",
        "--train-iters 1000 --lr-decay-samples 640",
    ),
    "iterations-with-lr-warmup-samples": (
        "--train-iters 1000",
        "--train-iters 1000 --lr-warmup-samples 640",
    ),
    "samples-with-lr-decay-iters": (
        "--train-samples 64000",
        "--train-samples 64000 --lr-decay-iters 10",
    ),
    "samples-with-lr-warmup-iters": (
        "--train-samples 64000",
        "--train-samples 64000 --lr-warmup-iters 10",
    ),
    "two-warmups-iters": (
        "--train-iters 1000 --lr-warmup-fraction 0.01",
        "--train-iters 1000 --lr-warmup-fraction 0.01 --lr-warmup-iters 10",
    ),
    "two-warmups-samples": (
        "--train-samples 64000 --lr-warmup-fraction 0.01",
        "--train-samples 64000 --lr-warmup-fraction 0.01 --lr-warmup-samples 640",
    ),
    "wsd-without-length": (
        "--train-iters 1000 --lr-decay-style WSD --lr-wsd-decay-iters 100",
        "--train-iters 1000 --lr-decay-style WSD",
    ),
    "weight-decay-ramp-without-start": (
        "--weight-decay-incr-style cosine --start-weight-decay 0.01 --end-weight-decay 0.1",
        "--weight-decay-incr-style cosine --end-weight-decay 0.1",
    ),
    "weight-decay-start-without-ramp": (
        "--weight-decay-incr-style linear --start-weight-decay 0.01 --end-weight-decay 0.1",
        "--start-weight-decay 0.1",
    ),
    "weight-decay-ramp-without-end": (
        "--weight-decay-incr-style cosine --start-weight-decay 0.01 --end-weight-decay 0.1",
        "--weight-decay-incr-style cosine --start-weight-decay 0.01",
    ),
    "weight-decay-end-without-ramp": (
        "--weight-decay-incr-style linear --start-weight-decay 0.01 --end-weight-decay 0.1",
        "--end-weight-decay 0.1",
    ),
    "interval-without-folder": (
        "--save out --save-interval 100",
        "--save-interval 100",
    ),
    "save-without-interval": (
        "--train-iters 1000 --save out --save-interval 100",
        "--train-iters 1000 --save out",
    ),
    "fsdp-format-alone": (
        "--ckpt-format torch_dist",
        "--ckpt-format fsdp_dtensor",
    ),
    "dcp-format-alone": (
        "--ckpt-format torch_dist",
        "--ckpt-format torch_dcp",
    ),
    "main-params-with-optimizer": (
        "--load-main-params-from-ckpt --no-load-optim",
        "--load-main-params-from-ckpt",
    ),
    "replication-without-jump": (
        "--replication --replication-jump 4 --non-persistent-ckpt-type local "
        "--non-persistent-local-ckpt-dir d",
        "--replication --non-persistent-ckpt-type local --non-persistent-local-ckpt-dir d",
    ),
    "local-checkpoint-without-folder": (
        "--non-persistent-ckpt-type local --non-persistent-local-ckpt-dir d",
        "--non-persistent-ckpt-type local",
    ),
    "two-interleavings-1": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4",
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4 "
        "--num-virtual-stages-per-pipeline-rank 2",
    ),
    "two-interleavings-2": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4",
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4 "
        '--pipeline-model-parallel-layout "Et*16|t*16L"',
    ),
    "two-interleavings-3": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-virtual-stages-per-pipeline-rank 2",
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-virtual-stages-per-pipeline-rank 2 "
        '--pipeline-model-parallel-layout "Et*16|t*16L"',
    ),
    "interleaving-without-pipeline": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4",
        "--num-layers-per-virtual-pipeline-stage 4",
    ),
    "stages-without-pipeline": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-virtual-stages-per-pipeline-rank 2",
        "--num-virtual-stages-per-pipeline-rank 2",
    ),
    "interleaving-of-two-stages": (
        "--global-batch-size 256 --pipeline-model-parallel-size 2 "
        "--num-layers-per-virtual-pipeline-stage 4",
        "--global-batch-size 256 --pipeline-model-parallel-size 2 "
        "--num-layers-per-virtual-pipeline-stage 4 --no-overlap-p2p-communication",
    ),
    "uneven-split-with-layers-per-stage": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-virtual-stages-per-pipeline-rank 2 "
        "--decoder-first-pipeline-num-layers 2",
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 2 "
        "--decoder-first-pipeline-num-layers 2",
    ),
    "deferred-embedding-without-pipeline": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 --defer-embedding-wgrad-compute",
        "--defer-embedding-wgrad-compute",
    ),
    "zero-2-with-pipeline": (
        "--global-batch-size 256 --pipeline-model-parallel-size 2 --deepspeed --zero-stage 1",
        "--global-batch-size 256 --pipeline-model-parallel-size 2 --deepspeed --zero-stage 2",
    ),
    "fsdp2-with-pipeline": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights --no-gradient-accumulation-fusion",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --global-batch-size 256 "
        "--pipeline-model-parallel-size 2",
    ),
    "fsdp2-with-experts": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --num-experts 8",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --num-experts 8 "
        "--expert-model-parallel-size 2",
    ),
    "fsdp2-with-distributed-optimizer": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights --no-gradient-accumulation-fusion",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --use-distributed-optimizer",
    ),
    "fsdp2-with-fp16": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --bf16",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --fp16",
    ),
    "fsdp2-with-tied-embeddings": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights --no-gradient-accumulation-fusion",
        "--use-torch-fsdp2 --no-gradient-accumulation-fusion",
    ),
    "fsdp2-with-fused-accumulation": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights --no-gradient-accumulation-fusion",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights",
    ),
    "fsdp2-checkpoint-format": (
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --ckpt-format torch_dcp",
        "--use-torch-fsdp2 --untie-embeddings-and-output-weights "
        "--no-gradient-accumulation-fusion --ckpt-format torch",
    ),
    "megatron-fsdp-checkpoint-format": (
        "--use-megatron-fsdp --ckpt-format fsdp_dtensor",
        "--use-megatron-fsdp --ckpt-format torch_dist",
    ),
    "megatron-fsdp-without-format": (
        "--use-megatron-fsdp --ckpt-format fsdp_dtensor",
        "--use-megatron-fsdp",
    ),
    "gather-overlap-without-optimizer": (
        "--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
        "--overlap-grad-reduce --overlap-param-gather",
    ),
    "gather-overlap-without-reduce": (
        "--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
        "--use-distributed-optimizer --overlap-param-gather",
    ),
    "step-overlap-without-gather": (
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4 --ckpt-format torch "
        "--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather "
        "--overlap-param-gather-with-optimizer-step",
        "--global-batch-size 256 --pipeline-model-parallel-size 4 "
        "--num-layers-per-virtual-pipeline-stage 4 --ckpt-format torch "
        "--use-distributed-optimizer --overlap-grad-reduce "
        "--overlap-param-gather-with-optimizer-step",
    ),
    "precision-aware-without-optimizer": (
        "--use-distributed-optimizer --use-precision-aware-optimizer",
        "--use-precision-aware-optimizer",
    ),
    "optimizer-offload-alone": (
        "--use-distributed-optimizer --use-precision-aware-optimizer --optimizer-cpu-offload",
        "--use-distributed-optimizer --optimizer-cpu-offload",
    ),
    "offload-with-pipeline": (
        "--cpu-offloading-num-layers 8",
        "--global-batch-size 256 --pipeline-model-parallel-size 2 --cpu-offloading-num-layers 8",
    ),
    "offload-with-recompute": (
        "--cpu-offloading-num-layers 8",
        "--cpu-offloading-num-layers 8 --recompute-granularity selective",
    ),
    "full-recompute-without-method": (
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
        "--recompute-granularity full --recompute-num-layers 1",
    ),
    "full-recompute-without-layers": (
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
        "--recompute-granularity full --recompute-method uniform",
    ),
    "selective-recompute-with-method": (
        "--recompute-granularity selective",
        "--recompute-granularity selective --recompute-method uniform",
    ),
    "selective-recompute-with-layers": (
        "--recompute-granularity selective",
        "--recompute-granularity selective --recompute-num-layers 1",
    ),
    "recompute-activations-with-method": (
        "--recompute-activations",
        "--recompute-activations --recompute-method uniform",
    ),
    "spread-activations-alone": (
        "--tensor-model-parallel-size 2 --recompute-granularity full "
        "--recompute-method uniform --recompute-num-layers 1 "
        "--distribute-saved-activations",
        "--recompute-granularity full --recompute-method uniform "
        "--recompute-num-layers 1 --distribute-saved-activations",
    ),
    "spread-activations-of-selective": (
        "--tensor-model-parallel-size 2 --recompute-granularity full "
        "--recompute-method uniform --recompute-num-layers 1 "
        "--distribute-saved-activations",
        "--tensor-model-parallel-size 2 --recompute-granularity selective "
        "--distribute-saved-activations",
    ),
    "communication-overlap-alone": (
        "--tensor-model-parallel-size 2 --sequence-parallel --tp-comm-overlap",
        "--tensor-model-parallel-size 2 --tp-comm-overlap",
    ),
    "query-groups-alone": (
        "--group-query-attention --num-query-groups 8",
        "--num-query-groups 8",
    ),
    "latent-and-grouped-attention": (
        "--multi-latent-attention",
        "--multi-latent-attention --group-query-attention",
    ),
    "rotary-base-without-rope": (
        "--position-embedding-type rope --rotary-base 500000",
        "--rotary-base 500000",
    ),
    "rotary-percent-without-rope": (
        "--position-embedding-type rope --rotary-percent 0.5",
        "--rotary-percent 0.5",
    ),
    "rotary-seq-len-interpolation-factor-without-rope": (
        "--position-embedding-type rope --rotary-seq-len-interpolation-factor 4",
        "--rotary-seq-len-interpolation-factor 4",
    ),
    "use-rope-scaling-without-rope": (
        "--position-embedding-type rope --use-rope-scaling",
        "--use-rope-scaling",
    ),
    "rotary-base-of-learned-positions": (
        "--position-embedding-type rope --rotary-base 500000",
        "--position-embedding-type learned_absolute --rotary-base 500000",
    ),
    "mrope-without-section": (
        "--position-embedding-type mrope --mrope-section 16 24 24",
        "--position-embedding-type mrope",
    ),
    "fp16-loss-without-fp16": (
        "--fp16 --fp16-lm-cross-entropy",
        "--bf16 --fp16-lm-cross-entropy",
    ),
    "fp32-residual-without-half-precision": (
        "--bf16 --fp32-residual-connection",
        "--fp32-residual-connection",
    ),
    "fp8-and-fp4": (
        "--bf16 --fp8-format hybrid",
        "--bf16 --fp8-format hybrid --fp4-format e2m1",
    ),
    "fp8-gather-without-fp8": (
        "--bf16 --use-distributed-optimizer --fp8-format hybrid --fp8-param-gather",
        "--bf16 --use-distributed-optimizer --fp8-param-gather",
    ),
    "expert-parallel-without-experts": (
        "--num-experts 8 --expert-model-parallel-size 2",
        "--expert-model-parallel-size 2",
    ),
    "expert-parallel-with-fp16": (
        "--num-experts 8 --expert-model-parallel-size 2 --bf16",
        "--num-experts 8 --expert-model-parallel-size 2 --fp16",
    ),
    "experts-without-sequence-parallel": (
        "--num-experts 8 --expert-model-parallel-size 2 "
        "--tensor-model-parallel-size 2 --sequence-parallel",
        "--num-experts 8 --expert-model-parallel-size 2 --tensor-model-parallel-size 2",
    ),
    "top-1-softmax-after-choice": (
        "--num-experts 8 --moe-router-topk 1 "
        "--moe-router-load-balancing-type aux_loss --moe-router-pre-softmax",
        "--num-experts 8 --moe-router-topk 1 --moe-router-load-balancing-type aux_loss",
    ),
    "expert-bias-of-softmax": (
        "--num-experts 8 --moe-router-enable-expert-bias --moe-router-score-function sigmoid",
        "--num-experts 8 --moe-router-enable-expert-bias --moe-router-score-function softmax",
    ),
    "expert-bias-without-score-function": (
        "--num-experts 8 --moe-router-enable-expert-bias --moe-router-score-function sigmoid",
        "--num-experts 8 --moe-router-enable-expert-bias",
    ),
    "router-groups-without-number": (
        "--num-experts 8 --moe-router-group-topk 2 --moe-router-num-groups 4",
        "--num-experts 8 --moe-router-group-topk 2",
    ),
    "capacity-padding-without-factor": (
        "--num-experts 8 --moe-pad-expert-input-to-capacity --moe-expert-capacity-factor 1.0",
        "--num-experts 8 --moe-pad-expert-input-to-capacity",
    ),
    "shared-expert-overlap-with-allgather": (
        "--num-experts 8 --moe-shared-expert-overlap --moe-token-dispatcher-type alltoall",
        "--num-experts 8 --moe-shared-expert-overlap --moe-token-dispatcher-type allgather",
    ),
    "deepep-without-flex": (
        "--num-experts 8 --moe-enable-deepep --moe-token-dispatcher-type flex",
        "--num-experts 8 --moe-enable-deepep --moe-token-dispatcher-type alltoall",
    ),
    "mock-data-and-data-path": (
        "--data-path d --split 99,1,0",
        "--mock-data --data-path d --split 99,1,0",
    ),
    "two-data-paths": (
        "--train-data-path d",
        "--train-data-path d --data-path e --split 99,1,0",
    ),
    "two-data-lists": (
        "--data-path e --split 99,1,0",
        "--data-args-path d --data-path e --split 99,1,0",
    ),
    "old-batch-size": (
        "--seed 1",
        "--batch-size 2",
    ),
    "old-warmup": (
        "--seed 1",
        "--warmup 0.01",
    ),
    "old-model-parallel-size": (
        "--seed 1",
        "--model-parallel-size 2",
    ),
}
RULES = {r.name: r for r in load().frameworks["megatron"].rules}


def faults(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    told = (f for f in found if f.severity != "info" or f.name == "option-without-effect")
    return [(f.name, f.line, f.message.en) for f in told]


# Of a YAML file with variables, and of one version: tried with those.
ELSEWHERE = {
    "fsdp2-with-one-connection",
    "megatron-fsdp-with-one-connection",
    "batch-ramp-ignored",
}


def test_every_rule_is_tried() -> None:
    assert set(CASES) == set(RULES) - ELSEWHERE


@pytest.mark.parametrize("name", CASES)
def test_each_mutation_fires(lint_text: Lint, name: str) -> None:
    clean, broken = CASES[name]
    assert faults(lint_text(BASE + clean + "\n", "launch.sh")) == []
    rule = RULES[name]
    found = lint_text(BASE + broken + "\n", "launch.sh")
    (one,) = faults(found)
    assert one[:2] == (rule.cause, 4)
    assert one[2].startswith(rule.say.en)
    assert rule.holds_in or one[2] == rule.say.en


@pytest.mark.parametrize("more", ["$MORE_ARGS", "${MORE[@]}", "--bf16 $EXTRA_ARGS", "$(cat flags)"])
def test_flags_that_only_the_shell_knows_may_be_the_needed_ones(lint_text: Lint, more: str) -> None:
    text = BASE + "--overlap-param-gather --save out --sequence-parallel "
    assert len(faults(lint_text(text + "\n", "launch.sh"))) == 4
    assert faults(lint_text(text + more + "\n", "launch.sh")) == []


def test_the_value_of_a_flag_is_no_further_flag(lint_text: Lint) -> None:
    text = BASE + "--sequence-parallel --load $CHECKPOINT\n"
    assert [f[0] for f in faults(lint_text(text, "launch.sh"))] == ["option-without-effect"]


def test_a_yaml_of_flags_is_read_like_a_command(lint_text: Lint) -> None:
    text = "MODEL_ARGS:\n  --micro-batch-size: 1\n  --train-iters: 10\n  --save: out\n"
    assert [f[:2] for f in faults(lint_text(text))] == [("option-needs-another-option", 4)]
    assert faults(lint_text(text.replace("out", "null"))) == []
