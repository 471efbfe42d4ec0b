#!/bin/bash
set -e
torchrun --nproc_per_node 8 run_sft.py \
  --model_name_or_path /models/base-8b --train_file data/train.jsonl --validation_file data/val.jsonl \
  --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --num_train_epochs 2 \
  --learning_rate 1e-5 --lr_scheduler_type cosine --warmup_steps 10 --max_grad_norm 1.0 --bf16 True \
  --eval_strategy steps --eval_steps 60 --logging_steps 6 --save_steps 120 --output_dir out/sft-8b
