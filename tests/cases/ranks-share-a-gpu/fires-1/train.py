import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    dist.init_process_group('nccl')
    model = build().to('cuda')
    model = DDP(model)
