#!/bin/bash
deepspeed --num_gpus 8 run_clm.py --deepspeed ds.json --model_name_or_path ./m --per_device_train_batch_size 4 --gradient_accumulation_steps 8 --learning_rate 2e-5 --bf16 --max_steps 1000 --output_dir out
