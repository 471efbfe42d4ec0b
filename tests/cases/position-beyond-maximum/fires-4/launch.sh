torchrun --nproc-per-node=2 --master-port=29663 --log-dir /data/runs/r7/logs --tee 3 /data/llm/train.py --config /data/runs/r7/config.yaml --output-dir /data/runs/r7/out
