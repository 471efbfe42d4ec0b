#!/bin/bash
torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 128 --train-iters 50000 --lr 1.5e-4 --bf16 --load ckpt --save ckpt
