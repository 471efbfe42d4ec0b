#!/bin/bash
export OMP_NUM_THREADS=1
torchrun --nnodes 1 --nproc-per-node 2 --master-port 36321 \
  ../code/train.py --config config.yaml --output-dir out
