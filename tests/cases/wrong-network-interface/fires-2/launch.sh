#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export GLOO_SOCKET_IFNAME=eth0
export NCCL_DEBUG=WARN
deepspeed --hostfile hosts --num_nodes 2 --num_gpus 8 sft.py --deepspeed ds.json
