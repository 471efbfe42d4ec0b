#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 4 --global-batch-size 256 \
  --lr 2e-4 --min-lr 2e-5 --lr-decay-style cosine \
  --train-iters 600 --lr-warmup-iters 0 --lr-decay-iters 600 \
  --clip-grad 1.0 --bf16 --log-interval 1
