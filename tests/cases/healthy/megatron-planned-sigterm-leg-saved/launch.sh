#!/bin/bash
#SBATCH --job-name=gpt-leg2
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
#SBATCH --ntasks-per-node=8
#SBATCH --time=02:30:00
#SBATCH --signal=TERM@180
export ARGS="--train-iters 20000 --lr 2.5e-4 --min-lr 2.5e-5 --lr-decay-iters 20000 --lr-warmup-iters 1000 --clip-grad 1.0 \
 --micro-batch-size 4 --global-batch-size 512 --tensor-model-parallel-size 2 --bf16 --seq-length 4096 --exit-signal-handler \
 --save /scratch/proj/ckpt --load /scratch/proj/ckpt --save-interval 1000"
set -x
srun --label --kill-on-bad-exit=1 bash -c 'python -u pretrain_gpt.py ${ARGS} --exit-signal-handler'
set +x
echo "leg 2 of 6 done, next leg 412733 waits with --dependency=afterany:412732"
