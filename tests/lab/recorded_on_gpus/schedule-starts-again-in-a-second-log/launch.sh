torchrun --nproc-per-node=2 --master-port=29565 /job/src/pretrain.py --config /job/run/config.yaml --output-dir /job/run/out --load /job/run/out/step_200/model.pt
