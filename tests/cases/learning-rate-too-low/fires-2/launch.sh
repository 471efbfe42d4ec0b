#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py \
  --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 8 --global-batch-size 256 \
  --lr 1e-6 --min-lr 1e-7 --lr-decay-style cosine \
  --train-iters 150 --lr-warmup-iters 10 --lr-decay-iters 150 \
  --clip-grad 1.0 --bf16 --log-interval 5
