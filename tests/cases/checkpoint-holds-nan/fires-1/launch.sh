#!/bin/bash
torchrun --nproc-per-node 8 train.py --config config.yaml --resume_from_checkpoint out/checkpoint-2000
