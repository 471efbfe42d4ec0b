#!/bin/bash
export TORCH_DISTRIBUTED_DEBUG=DETAIL
torchrun --standalone --nproc-per-node=4 moe_train.py --config moe.yaml
