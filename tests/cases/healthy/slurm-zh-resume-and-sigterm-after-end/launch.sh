#!/bin/bash
#SBATCH -J pretrain-zh
#SBATCH -N 2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH -t 04:00:00
# 有断点就续训，没有就从头开始
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -1)
srun torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint $MASTER_ADDR:29500 \
  train.py --max-steps 1200 --stop-at ${STOP_AT:-1200} --resume auto --lr 1e-4 --min-lr 1e-5 --warmup-steps 60 --grad-clip 1.0
