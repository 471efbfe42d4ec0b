#!/bin/bash
#SBATCH -N 2 --ntasks-per-node=8 --gpus-per-node=8 -t 04:00:00
srun -n 1 --overlap python prefetch_server.py &
SIDE=$!
srun python train.py --max-steps 3000 --lr 2e-4 --min-lr 2e-5 --warmup-steps 100 --grad-clip 1.0
RC=$?
scancel ${SLURM_JOB_ID}.1   # side step
wait $SIDE
echo "batch: training step exit code $RC, job finished"
exit $RC
