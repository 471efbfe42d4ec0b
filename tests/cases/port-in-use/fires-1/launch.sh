#!/bin/bash
torchrun --nproc-per-node=4 --master-port=29500 train.py --config config.yaml
