#!/bin/bash
set -euo pipefail
torchrun --nproc-per-node=2 --log-dir logs --tee 3 train.py --config config.yaml --micro-batch-size 8 --bf16 --lr 3e-4
