#!/bin/bash
export NCCL_DEBUG=INFO
export NCCL_SOCKET_IFNAME=^docker,lo
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=10.20.0.11:29500 train.py --config config.yaml
