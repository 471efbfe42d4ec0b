#!/bin/bash
export TORCH_NCCL_TRACE_BUFFER_SIZE=2000
torchrun --nproc-per-node=2 --log-dir logs --tee 3 train.py --config config.yaml
