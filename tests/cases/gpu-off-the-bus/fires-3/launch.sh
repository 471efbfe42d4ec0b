#!/bin/bash
srun torchrun --nnodes=2 --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=g6:29500 train.py --config config.yaml
