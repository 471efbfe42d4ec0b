#!/bin/bash
torchrun --nproc-per-node=1 train.py \
  --config config.yaml \
  --train-iters 1e6 \
  --lr 3e-4 \
  --bf16
