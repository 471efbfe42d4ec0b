"""Token sequences from a JSON lines file."""

import json
import random
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class TokenFile(Dataset):
    def __init__(self, path, seq_len):
        self.path = Path(path)
        self.seq_len = seq_len
        with self.path.open() as file:
            self.lines = file.read().splitlines()

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        row = json.loads(self.lines[index])
        tokens = torch.tensor(row["tokens"][: self.seq_len + 1])
        labels = tokens[1:].clone()
        labels[: row.get("prompt_length", 0)] = -100
        return tokens[:-1], labels, torch.tensor(row.get("weight", 1.0))


class Share(Sampler):
    """Each rank's share of the samples, shuffled by epoch; can begin in the middle."""

    def __init__(self, size, rank, world, seed):
        self.size, self.rank, self.world, self.seed = size, rank, world, seed
        self.epoch = self.skip = 0

    def __iter__(self):
        order = list(range(self.size))
        random.Random(self.seed + self.epoch).shuffle(order)
        share = order[self.rank :: self.world]
        start, self.skip = self.skip, 0
        return iter(share[start:])

    def __len__(self):
        return self.size // self.world


def batches(dataset, sampler, config):
    """Batches without end, epoch after epoch."""
    loader = DataLoader(
        dataset,
        batch_size=config["training"]["micro_batch_size"],
        sampler=sampler,
        num_workers=config["data"]["num_workers"],
        drop_last=True,
    )
    while True:
        yield from loader
        sampler.epoch += 1
