#!/bin/bash
export NCCL_DEBUG=INFO
torchrun --nnodes=2 --node-rank=$NODE_RANK --nproc-per-node=8 --master-addr=10.20.0.11 --master-port=29500 train.py --config config.yaml
