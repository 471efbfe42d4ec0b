#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 12 --hidden-size 1024 --num-attention-heads 16 \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 8 --global-batch-size 256 \
  --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine \
  --train-iters 100000 --lr-warmup-iters 1000 --lr-decay-iters 320000 \
  --clip-grad 1.0 --bf16
