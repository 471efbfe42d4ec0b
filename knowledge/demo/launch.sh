#!/bin/bash
torchrun --nproc-per-node=8 --master-port=29500 --log-dir logs --tee 3 \
  train.py --config config.yaml --output-dir out
