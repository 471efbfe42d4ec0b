#!/bin/bash
# 'Duplicate GPU detected' means that set_device is missing
torchrun --nproc-per-node=2 --log-dir logs --tee 3 train.py --config config.yaml
