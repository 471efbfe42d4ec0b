#!/bin/bash
torchrun --nnodes=2 --node-rank=$1 --nproc-per-node=8 --master-addr=localhost --master-port=29500 train.py --config config.yaml
