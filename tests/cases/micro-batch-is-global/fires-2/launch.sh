#!/bin/bash
torchrun --nnodes=2 --nproc-per-node=8 train.py --config config.yaml --output-dir out
