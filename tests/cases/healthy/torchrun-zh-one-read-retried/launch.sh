#!/bin/bash
# 单机 8 卡
torchrun --standalone --nproc_per_node=8 train.py --max-steps 500 --lr 2e-4 --min-lr 2e-5 --warmup-steps 25 --grad-clip 1.0 --num-workers 8
