#!/bin/bash
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=10.3.0.8:29500 train.py --config config.yaml
