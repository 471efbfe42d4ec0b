#!/bin/bash
set -euo pipefail
torchrun --nproc-per-node=4 --log-dir logs --tee 3 train.py --config config.yaml
