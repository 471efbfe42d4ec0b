import torch.distributed as dist


def log_metrics(rank, step, loss):
    if rank == 0 and step % 50 == 0:
        value = loss.detach().clone()
        dist.all_reduce(value)
        print(f"step {step} mean loss {value.item() / dist.get_world_size():.4f}")
