#!/bin/bash
deepspeed --num_gpus 4 sft.py --deepspeed_config ds.json
