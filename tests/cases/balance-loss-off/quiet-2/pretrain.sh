torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py --num-experts 64 --moe-router-topk 6 --moe-router-load-balancing-type aux_loss \
 --moe-aux-loss-coeff 1e-2 --moe-token-dispatcher-type alltoall --expert-model-parallel-size 8 --moe-grouped-gemm \
 --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 512 --train-iters 250000 --lr 3e-4 --bf16
