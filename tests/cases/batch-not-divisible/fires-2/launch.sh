#!/bin/bash
torchrun --nproc-per-node=6 train.py --config config.yaml --output-dir out
