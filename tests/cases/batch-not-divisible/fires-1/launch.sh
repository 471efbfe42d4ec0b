#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 12 --hidden-size 1024 --num-attention-heads 16 \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 4 --global-batch-size 100 \
  --lr 3e-4 --train-iters 10000 --bf16
