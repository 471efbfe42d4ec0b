#!/bin/bash
docker run --gpus all -v $PWD:/w image:24.05 torchrun --nproc-per-node=1 /w/train.py --config /w/config.yaml
