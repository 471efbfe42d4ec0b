#!/bin/bash
export NCCL_DEBUG=WARN
torchrun --nproc-per-node=8 --log-dir logs --tee 3 train.py --config config.yaml
