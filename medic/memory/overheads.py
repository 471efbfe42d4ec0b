"""What a process takes beside its tensors, in bytes. Measured on an H100, torch 2.11, CUDA 13."""

from __future__ import annotations

from medic.facts.memory import GIB, MIB

# Driver context and loaded kernels, as device memory in use minus what torch reserved (767 MiB).
CONTEXT = (480 * MIB, 767 * MIB, int(1.8 * GIB))
# Added by NCCL communicators (two ranks: 0.85 GiB); more groups and channels take more.
NCCL = (200 * MIB, 870 * MIB, 2 * GIB)
# cuBLAS's workspace of a thread on Hopper (ATen/cuda/CublasHandlePool.cpp).
CUBLAS = 32 * MIB
# Of the forward and of the backward thread, and as much as one again for what no formula counts
# (small tensors, segments rounded up): without it the median error of the rows of tests/memory is
# 0.1 to 0.2 points larger.
WORKSPACE = 3 * CUBLAS
# torch DDP keeps gradients in buckets beside the gradients (gradient_as_bucket_view=False).
# DeepSpeed: reduce_bucket_size and allgather_bucket_size, 5e8 values each by default.
DEEPSPEED_BUCKET = 500_000_000

# The measured peak of reserved memory as a multiple of the traced one: 95% of the one-GPU rows of
# tests/memory lie between.
ALLOCATOR = (0.85, 1.14)
# Of DeepSpeed's ZeRO-1 and 2 with the optimizer on the host some measured runs of two ranks held 19 to
# 24% more than their trace.
ALLOCATOR_OFFLOADED = 1.27
# A forward pass without gradients frees what it makes at once: hardly more than its tensors is held.
EVALUATION = 0.03
# Beside a whole model that loading or saving puts on the card up to a tenth of it was held (FSDP1).
STILL = 0.1
# The tensors' peak is computed within 3% where the model's code was measured.
TENSORS = 0.97

# Where no trace is made (sharded, pipelined): what the caching allocator holds beyond the tensors,
# as a share of what comes and goes within a step (all but weights and optimizer states): least,
# about the median and most of the measured runs of two ranks. The least is none, as torch gives
# unused blocks back before it fails.
RESERVED = {
    "plain": (0.0, 0.13, 0.45),
    "recomputed": (0.0, 0.33, 1.0),
    "deepspeed plain": (0.0, 0.2, 0.7),
    "deepspeed recomputed": (0.0, 0.85, 1.3),
    "sharded plain": (0.0, 0.33, 1.1),
    "sharded recomputed": (0.0, 0.5, 1.1),
}
