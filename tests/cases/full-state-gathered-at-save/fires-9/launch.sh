#!/bin/bash
torchrun --nproc-per-node=8 train.py --config config.yaml --output-dir out
