#!/bin/bash
deepspeed --num_gpus 8 finetune.py --deepspeed ds_config.json
