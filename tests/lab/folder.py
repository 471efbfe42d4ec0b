"""A run folder made ready: code, data, config and launch script of one fault."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.lab.fault import HERE, Fault, Stage

SAMPLES, LENGTH, VOCABULARY = 1500, 65, 256
CONFIG: dict[str, Any] = {
    "model": {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "num_layers": 2,
        "num_heads": 4,
        "max_position_embeddings": 64,
    },
    "training": {
        "micro_batch_size": 8,
        "gradient_accumulation_steps": 1,
        "seq_len": 64,
        "total_steps": 100,
        "lr": 0.0015,
        "min_lr": 0.00015,
        "warmup_steps": 10,
        "weight_decay": 0.1,
        "gradient_clip_val": 1.0,
        "precision": "fp32",
        "seed": 1234,
        "log_interval": 5,
        "eval_interval": 20,
        "save_interval": 50,
    },
    "data": {"train": "../data/train.jsonl", "validation": "../data/validation.jsonl",
             "num_workers": 0},
    "distributed": {"timeout": 60},
}  # fmt: skip


def prepare(place: Path, fault: Fault) -> Path:
    """Writes ``place``/{code,data,run}; gives the run folder."""
    shutil.rmtree(place, ignore_errors=True)
    run, code = place / "run", place / "code"
    run.mkdir(parents=True)
    shutil.copytree(HERE / "script", code, ignore=shutil.ignore_patterns("__pycache__"))
    for name, pairs in fault.patch.items():
        text = (code / name).read_text("utf-8")
        for old, new in pairs:
            if text.count(old) < 1:
                raise SystemExit(f"{fault.name}: {name} has no {old!r}")
            text = text.replace(old, new, 1)
        (code / name).write_text(text, "utf-8")
    for name, text in fault.files.items():
        (place / name).write_text(text, "utf-8")
    _write_data((run if fault.data_in_run else place) / "data", fault.data)
    return run


def write_launch(run: Path, fault: Fault, stage: Stage, port: int) -> None:
    """config.yaml and launch.sh of one launch."""
    config = json.loads(json.dumps(CONFIG)) | {"log_style": fault.style}
    longest = {"training.total_steps": 60} if len(fault.stages) > 1 else {}
    here = {f"data.{n}": f"data/{n}.jsonl" for n in ("train", "validation") if fault.data_in_run}
    for path, value in {**here, **longest, **fault.config, **stage.config}.items():
        section, _, key = path.partition(".")
        config[section][key] = value
        if value is None and fault.drop:
            del config[section][key]
    text = yaml.safe_dump(config, sort_keys=False)
    if fault.config_text:
        old, new = fault.config_text
        if old not in text:
            raise SystemExit(f"{fault.name}: config has no {old!r}")
        text = text.replace(old, new)
    (run / "config.yaml").write_text(text, "utf-8")
    launcher = fault.torchrun or "--nnodes 1"
    logs = " --log-dir logs --tee 3" if fault.log_dir == "tee" else ""
    script = "../code/train.py"
    torchrun = (
        f"torchrun {launcher} --nproc-per-node 2 --master-port {port}{logs} \\\n"
        f"  {script} --config config.yaml --output-dir out"
    )
    command = fault.command.format(script=script) if fault.command else torchrun
    words = " ".join(filter(None, (fault.arguments, stage.arguments)))
    lines = ["#!/bin/bash", "export OMP_NUM_THREADS=1", f"{command} {words}".rstrip()]
    (run / "launch.sh").write_text("\n".join(lines) + "\n", "utf-8")


# --- data -----------------------------------------------------------------------------------


def _write_data(folder: Path, wrong: dict[str, Any]) -> None:
    folder.mkdir()
    chance = random.Random(7)
    following = list(range(VOCABULARY))
    chance.shuffle(following)
    rows = [_sample(chance, following, wrong) for _ in range(wrong.get("rows", SAMPLES))]
    # By their places in the order that the sampler draws: 16 a step.
    order = list(range(len(rows)))
    random.Random(CONFIG["training"]["seed"]).shuffle(order)
    for place in range(*wrong.get("masked", (0, 0))):
        rows[order[place]]["prompt_length"] = LENGTH
    if "weight" in wrong:
        place, weight = wrong["weight"]
        rows[order[place]]["weight"] = weight
    if "short" in wrong:
        del rows[order[wrong["short"]]]["tokens"][30:]
    lines = [json.dumps(row) for row in rows]
    if "bad-line" in wrong:
        bad = order[wrong["bad-line"]]
        lines[bad] = lines[bad][:100]
    (folder / "train.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    held = [json.dumps(_sample(chance, following, wrong)) for _ in range(64)]
    held[: wrong.get("leaked", 0)] = lines[: wrong.get("leaked", 0)]
    (folder / "validation.jsonl").write_text("\n".join(held) + "\n", "utf-8")


def _sample(chance: random.Random, following: list[int], wrong: dict[str, Any]) -> dict[str, Any]:
    """A walk in which a token mostly names the next one."""
    tokens = [chance.randrange(VOCABULARY)]
    while len(tokens) < LENGTH:
        known = chance.random() < 0.8 and not wrong.get("shuffled")
        tokens.append(following[tokens[-1]] if known else chance.randrange(VOCABULARY))
    return {wrong.get("column", "tokens"): tokens}
