swift sft \
    --model Qwen/Qwen2.5-3B-Instruct \
    --dataset /data/contracts.jsonl \
    --train_type lora --torch_dtype bfloat16 \
    --max_length 1024 --truncation_strategy delete \
    --per_device_train_batch_size 2 --learning_rate 1e-4 --output_dir output
