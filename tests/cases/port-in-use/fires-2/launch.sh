#!/bin/bash
accelerate launch --num_processes 2 --main_process_port 29501 run_sft.py --model_name_or_path ./m --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --learning_rate 2e-5 --output_dir out
