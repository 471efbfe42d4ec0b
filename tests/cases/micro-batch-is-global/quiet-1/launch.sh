#!/bin/bash
torchrun --nproc-per-node=1 train.py --config config.yaml --output-dir out
