#!/bin/bash
torchrun --nproc-per-node=4 train.py --config config.yaml --output-dir out
