#!/bin/bash
export NCCL_ASYNC_ERROR_HANDLING=1
torchrun --standalone --nproc-per-node=4 train.py --max-steps 200 --lr 1e-4 --warmup-steps 20 --grad-clip 1.0 --bf16
