#!/bin/bash
export TORCH_NCCL_TRACE_BUFFER_SIZE=2000
torchrun --standalone --nproc-per-node=2 finetune.py --config sft.yaml
