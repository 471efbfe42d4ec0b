#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8
srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-id=$SLURM_JOB_ID --rdzv-backend=c10d --rdzv-endpoint=gpu-31:29400 pretrain.py --config conf/7b.yaml
