#!/bin/bash
export OMP_NUM_THREADS=1
torchrun --nnodes 2 --node-rank 1 --master-addr node-17.cluster.invalid --nproc-per-node 2 --master-port 55193 \
  ../code/train.py --config config.yaml --output-dir out
