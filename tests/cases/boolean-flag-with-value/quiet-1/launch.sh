#!/bin/bash
accelerate launch --num_processes 2 run_sft.py --model_name_or_path ./m --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --learning_rate 2e-5 --bf16 true --max_steps 60 --output_dir out
