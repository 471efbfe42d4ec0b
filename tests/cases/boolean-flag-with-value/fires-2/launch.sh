#!/bin/bash
torchrun --standalone --nproc-per-node=1 train.py --config config.yaml --bf16=true --train-iters 2000
