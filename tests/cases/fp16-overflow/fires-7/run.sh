torchrun --nproc_per_node=4 sft.py \
  --model_name_or_path google/gemma-2-9b --fp16 True \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 8 \
  --learning_rate 2e-5 --logging_steps 10 --output_dir out
