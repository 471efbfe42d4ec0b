#!/bin/bash
srun torchrun --nnodes=4 --nproc-per-node=8 --rdzv-id=77 --rdzv-backend=c10d --rdzv-endpoint=gpu-mastr:29400 train.py --config config.yaml
