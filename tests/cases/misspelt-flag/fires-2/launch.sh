#!/bin/bash
accelerate launch --num_processes 4 run_sft.py --model_name_or_path ./m --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --learning_rate 2e-5 --evaluation_strategy steps --eval_steps 100 --output_dir out
