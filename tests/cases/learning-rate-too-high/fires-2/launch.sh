#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
  --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 256 \
  --lr 6e-3 --min-lr 6e-4 --lr-decay-style cosine \
  --train-iters 500 --lr-warmup-iters 60 --lr-decay-iters 500 \
  --clip-grad 1.0 --bf16 --log-interval 1
