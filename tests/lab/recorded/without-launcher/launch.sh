#!/bin/bash
export OMP_NUM_THREADS=1
python ../code/train.py --config config.yaml
