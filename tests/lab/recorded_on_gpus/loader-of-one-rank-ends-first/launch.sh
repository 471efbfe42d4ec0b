torchrun --nproc-per-node=2 --master-port=29539 /job/src/pretrain.py --config /job/run/config.yaml --output-dir /job/run/out
