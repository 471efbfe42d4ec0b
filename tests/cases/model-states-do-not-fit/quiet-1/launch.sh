#!/bin/bash
torchrun --nnodes=4 --nproc-per-node=8 train.py --config config.yaml --output-dir out
