#!/bin/bash
torchrun --nproc-per-node=8 run_train.py --config-file config.yaml
