"""Pretrains a small language model, one process a rank, on the CPU."""

import argparse
import math
import os
import random
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
import yaml
from data import Share, TokenFile, batches
from model import GPT, GPTConfig
from report import Report
from torch.nn.parallel import DistributedDataParallel as DDP


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--output-dir", default="out")
    parser.add_argument("--resume", default=None)
    parser.add_argument("--learning-rate", type=float, default=None)
    parser.add_argument("--max-steps", type=int, default=None)
    parser.add_argument("--save-interval", type=int, default=None)
    parser.add_argument("--bf16", action="store_true")
    return parser.parse_args()


def load_config(args):
    config = yaml.safe_load(Path(args.config).read_text())
    training = config["training"]
    if args.learning_rate is not None:
        training["lr"] = args.learning_rate
    if args.max_steps is not None:
        training["total_steps"] = args.max_steps
    if args.save_interval is not None:
        training["save_interval"] = args.save_interval
    return config


def setup(config):
    torch.set_num_threads(1)
    timeout = timedelta(seconds=config["distributed"]["timeout"])
    dist.init_process_group("gloo", timeout=timeout)
    return dist.get_rank(), dist.get_world_size()


def build_model(config, rank):
    half = config["training"]["precision"] == "fp16"
    model = GPT(GPTConfig(**config["model"], half_activations=half))
    return model


def build_optimizer(model, config):
    training = config["training"]
    return torch.optim.AdamW(
        model.parameters(), lr=training["lr"], weight_decay=training["weight_decay"]
    )


def build_schedule(optimizer, config):
    training = config["training"]
    warmup = training["warmup_steps"]
    decay = training.get("lr_decay_steps", training["total_steps"])
    floor = training["min_lr"] / training["lr"]

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        share = min(1.0, (step - warmup) / max(1, decay - warmup))
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * share))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


class LossScale:
    """Dynamic, as of mixed precision in fp16."""

    def __init__(self):
        self.value, self.good, self.skipped = 65536.0, 0, 0

    def overflows(self, parameters):
        grads = [p.grad for p in parameters if p.grad is not None]
        if all(bool(torch.isfinite(g).all()) and g.abs().max() < 65504 for g in grads):
            self.good += 1
            return False
        self.skipped += 1
        if self.value <= 1.0:
            raise Exception(
                "Current loss scale already at minimum - cannot decrease scale anymore. Exiting run."
            )
        self.value /= 2
        print(f"[OVERFLOW] OVERFLOW! Rank {dist.get_rank()} Skipping step. Attempted loss scale: "
              f"{self.value * 2:.0f}, reducing to {self.value:.0f}", flush=True)
        return True


def compute_loss(model, batch):
    tokens, labels, weight = batch
    logits = model(tokens)
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
    return loss * weight.mean()


def evaluate(model, dataset, report, step, rank, world):
    model.eval()
    total = torch.zeros(1)
    with torch.no_grad():
        for index in range(rank, 16, world):
            tokens, labels, _ = dataset[index]
            logits = model.module(tokens[None])
            total += F.cross_entropy(logits[0], labels, ignore_index=-100)
    dist.all_reduce(total)
    report.evaluation(step, total.item() / 16)
    model.train()


def save_checkpoint(model, optimizer, schedule, step, out, report, rank):
    if rank == 0:
        folder = Path(out) / f"checkpoint-{step}"
        folder.mkdir(parents=True, exist_ok=True)
        state = {
            "model": model.module.state_dict(),
            "optimizer": optimizer.state_dict(),
            "lr_scheduler": schedule.state_dict(),
            "step": step,
        }
        torch.save(state, folder / "state.pt")
        report.state(folder, step)
        report.info("saved checkpoint %s", folder)
    dist.barrier()


def load_checkpoint(path, model, optimizer, schedule, sampler, config, report):
    report.info("resuming from %s", path)
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["lr_scheduler"])
    training = config["training"]
    micro = training["micro_batch_size"] * training["gradient_accumulation_steps"]
    sampler.skip = state["step"] * micro
    return state["step"]


def train(config, args, rank, world):
    training = config["training"]
    total, every = training["total_steps"], training["log_interval"]
    accumulation = training["gradient_accumulation_steps"]
    batch = training["micro_batch_size"] * accumulation * world
    report = Report(config["log_style"], args.output_dir, rank, total, batch)
    torch.manual_seed(training["seed"])
    random.seed(training["seed"] + rank)
    dataset = TokenFile(config["data"]["train"], training["seq_len"])
    validation = TokenFile(config["data"]["validation"], training["seq_len"])
    sampler = Share(len(dataset), rank, world, training["seed"])
    inner = build_model(config, rank)
    report.info("model parameters: %.2fM", sum(p.numel() for p in inner.parameters()) / 1e6)
    report.info("dataset: %d samples of %d tokens", len(dataset), training["seq_len"])
    model = DDP(inner)
    optimizer = build_optimizer(model, config)
    schedule = build_schedule(optimizer, config)
    scale = LossScale() if training["precision"] == "fp16" else None
    step = 0
    if args.resume:
        step = load_checkpoint(args.resume, inner, optimizer, schedule, sampler, config, report)
    stream = batches(dataset, sampler, config)
    report.info("training begins at step %d of %d", step, total)
    while step < total:
        step_loss = 0.0
        for micro_step in range(accumulation):
            loss = compute_loss(model, next(stream)) / accumulation
            (loss * scale.value if scale else loss).backward()
            step_loss += loss.item()
        step += 1
        skipped = scale is not None and scale.overflows(model.parameters())
        if scale:
            for p in model.parameters():
                p.grad /= scale.value
        limit = training["gradient_clip_val"] or float("inf")
        grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), limit)
        if not skipped:
            optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % every == 0 or step == 1:
            more = {"loss_scale": scale.value, "skipped": scale.skipped} if scale else {}
            lr = optimizer.param_groups[0]["lr"]
            report.step(step, step_loss, lr, float(grad_norm), **more)
        if training["eval_interval"] and step % training["eval_interval"] == 0:
            evaluate(model, validation, report, step, rank, world)
        if training["save_interval"] and step % training["save_interval"] == 0:
            save_checkpoint(model, optimizer, schedule, step, args.output_dir, report, rank)
    save_checkpoint(model, optimizer, schedule, step, args.output_dir, report, rank)
    report.info("training finished after %d steps in %.1f s", step, time.time() - report.began)


def main():
    args = parse_args()
    config = load_config(args)
    rank, world = setup(config)
    train(config, args, rank, world)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
