#!/bin/bash
deepspeed --num_gpus 4 train.py --config config.yaml
