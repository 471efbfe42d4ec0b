#!/bin/bash
accelerate launch --num_processes 8 run_clm.py --model_name_or_path ./base --dataset corpus --per_device_train_batch_size 4 --gradient_accumulation_steps 4 --bf16 --learning_rate 1e-4 --output_dir out
