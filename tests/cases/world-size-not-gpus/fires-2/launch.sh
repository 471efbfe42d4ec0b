#!/bin/bash
export NNODES=2
export GPUS_PER_NODE=8
export WORLD_SIZE=32
export MASTER_ADDR=c201
export MASTER_PORT=29500
srun --nodes=2 --ntasks-per-node=8 --gpus-per-node=8 python train.py --config config.yaml
