torchrun --nproc-per-node=2 --master-port=29538 --log-dir /job/run/logs --tee 3 /job/src/pretrain.py --config /job/run/config.yaml --output-dir /job/run/out
