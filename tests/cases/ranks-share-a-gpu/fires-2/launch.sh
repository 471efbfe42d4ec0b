#!/bin/bash
#SBATCH --nodes=1 --ntasks-per-node=8 --gpus-per-node=8
export CUDA_VISIBLE_DEVICES=0
export NCCL_DEBUG=WARN
srun python pretrain.py --config config.yaml
