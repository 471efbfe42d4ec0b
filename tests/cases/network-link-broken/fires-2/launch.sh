#!/bin/bash
export NCCL_DEBUG=WARN
srun python pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size 1 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 --train-iters 100000 --lr 1.5e-4 --bf16
