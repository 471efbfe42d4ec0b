#!/bin/bash
torchrun --nproc-per-node=2 train.py --config config.yaml --output-dir out
