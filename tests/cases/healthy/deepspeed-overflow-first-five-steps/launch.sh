#!/bin/bash
deepspeed --num_gpus 8 train.py --deepspeed --deepspeed_config ds_config.json --max_steps 400 --lr 1e-5 --warmup_steps 20
