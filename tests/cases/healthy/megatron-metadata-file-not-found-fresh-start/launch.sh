#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 8 --global-batch-size 64 --train-iters 600 \
  --lr 2.0e-4 --min-lr 2.0e-5 --lr-decay-style cosine --lr-decay-iters 600 --lr-warmup-iters 60 \
  --clip-grad 1.0 --weight-decay 0.1 --bf16 \
  --load /data/ckpt/llama-350m --save /data/ckpt/llama-350m --save-interval 600 --log-interval 10
