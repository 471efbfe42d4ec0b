#!/bin/bash
set -euo pipefail
torchrun --nproc-per-node=1 --log-dir logs --tee 3 train.py --config config.yaml --resume out/step_300.pt
