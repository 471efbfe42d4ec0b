"""Batch fixes keep the tokens per step, or say by how much these differ, whatever the launch."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.case.collect import collect
from medic.changes.batch import GLOBAL, MICRO, REPLICAS, SEQUENCE, STEPS, TOKENS
from medic.edits import changed
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

INDEX = load()
BATCH = {MICRO, STEPS, GLOBAL, TOKENS, REPLICAS, SEQUENCE, "world_size", "gpus_per_node", "nodes"}
DIFFERS = re.compile(r"per step [\d,]+ -> ([\d,]+)")
Files = Mapping[str, str]


@dataclass(frozen=True)
class Run:
    """``whole`` is the global batch as it is written down, right or wrong."""

    replicas: int
    tp: int
    pp: int
    cp: int
    micro: int
    accumulation: int
    whole: int
    seq: int

    @property
    def world(self) -> int:
        return self.replicas * self.tp * self.pp * self.cp


sizes = st.sampled_from([1, 1, 2, 4])
parts = st.integers(1, 16)
RUNS = st.builds(
    Run,
    replicas=st.sampled_from([1, 2, 3, 4, 6, 8, 16]),
    tp=sizes,
    pp=sizes,
    cp=sizes,
    micro=parts | st.sampled_from([32, 64, 256]),
    accumulation=parts,
    whole=st.sampled_from([8, 12, 60, 64, 96, 100, 128, 256, 1000, 1024]),
    seq=st.sampled_from([512, 1000, 2048, 4096]),
)


def _launch(run: Run, script: str) -> str:
    return f"torchrun --nnodes 1 --nproc_per_node {run.world} {script}\n"


def hf(run: Run) -> Files:
    """HF YAML beside a DeepSpeed file that states the whole batch and all of its parts."""
    trainer = (
        f"model_name_or_path: org/model\nmax_length: {run.seq}\n"
        f"per_device_train_batch_size: {run.micro}  # per card\n"
        f"gradient_accumulation_steps: {run.accumulation}\n"
        "learning_rate: 1.0e-5\nbf16: true\ndeepspeed: ds.json\ndataloader_num_workers: 4\n"
    )
    return {
        "run.yaml": trainer,
        "ds.json": _engine(run),
        "launch.sh": _launch(run, "train.py --config run.yaml"),
    }


def deepspeed(run: Run) -> Files:
    command = f"deepspeed --num_gpus {run.world} train.py --deepspeed_config ds.json\n"
    return {"ds.json": _engine(run), "launch.sh": command}


def _engine(run: Run) -> str:
    return json.dumps(
        {
            "train_batch_size": run.whole,
            "train_micro_batch_size_per_gpu": run.micro,
            "gradient_accumulation_steps": run.accumulation,
            "bf16": {"enabled": True},
        },
        indent=2,
    )


def megatron(run: Run) -> Files:
    flags = (
        "  --num-layers 48 --hidden-size 4096 --num-attention-heads 32 \\\n"
        f"  --tensor-model-parallel-size {run.tp} --pipeline-model-parallel-size {run.pp} \\\n"
        f"  --context-parallel-size {run.cp} --max-position-embeddings {run.seq} \\\n"
        f"  --seq-length {run.seq} --micro-batch-size {run.micro} \\\n"
        f"  --global-batch-size {run.whole} --lr 1e-4 --bf16 --train-iters 1000\n"
    )
    return {"launch.sh": _launch(run, f"pretrain_gpt.py \\\n{flags}").rstrip("\n") + "\n"}


def torchtitan(run: Run) -> Files:
    text = (
        '[model]\nname = "llama3"\nflavor = "8B"\n\n'
        f"[training]\nlocal_batch_size = {run.micro}  # per rank\n"
        f"global_batch_size = {run.whole}\nseq_len = {run.seq}\nsteps = 1000\n\n"
        f"[parallelism]\ntensor_parallel_degree = {run.tp}\n"
        f"pipeline_parallel_degree = {run.pp}\ncontext_parallel_degree = {run.cp}\n"
    )
    command = _launch(run, "-m torchtitan.train --job.config_file run.toml")
    return {"run.toml": text, "launch.sh": command}


Launch = Callable[[Run], Files]
# The number that each file states, and the length of a sequence.
WRITTEN: Mapping[Launch, tuple[str, str]] = {
    hf: (r'"train_batch_size": (\d+)', r"max_length: (\d+)"),
    deepspeed: (r'"train_batch_size": (\d+)', ""),
    megatron: (r"--global-batch-size (\d+)", r"--seq-length (\d+)"),
    torchtitan: (r"\bglobal_batch_size = (\d+)", r"seq_len = (\d+)"),
}
PARTS: Mapping[Launch, tuple[str, str]] = {
    hf: (r"per_device_train_batch_size: (\d+)", r"gradient_accumulation_steps: (\d+)"),
    deepspeed: (r'micro_batch_size_per_gpu": (\d+)', r'accumulation_steps": (\d+)'),
    megatron: (r"--micro-batch-size (\d+)", ""),
    torchtitan: (r"local_batch_size = (\d+)", ""),
}


def _number(pattern: str, files: Files) -> int:
    found = re.search(pattern, "\n".join(files.values())) if pattern else None
    return int(found.group(1)) if found else 1


def tokens(launch: Launch, files: Files) -> int:
    whole, seq = WRITTEN[launch]
    return _number(whole, files) * _number(seq, files)


def consistent(launch: Launch, files: Files, run: Run) -> bool:
    """Whether the parts make up the whole, as the framework will compute it."""
    micro, steps = (_number(p, files) for p in PARTS[launch])
    replicas = run.world if launch in (hf, deepspeed) else run.replicas
    whole = _number(WRITTEN[launch][0], files)
    product = micro * replicas * steps
    return whole % product == 0 if not PARTS[launch][1] else whole == product


def fixes_of(files: Files) -> list[tuple[LintFinding, Files]]:
    """Every batch fix that is offered, with the files after it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, name) for name in files}
        for name, path in paths.items():
            path.write_text(files[name])
        found: list[tuple[LintFinding, Files]] = []
        for finding in lint(collect([str(p) for p in paths.values()]), INDEX).findings:
            patch = finding.fix.patch if finding.fix else None
            if patch and finding.fix and BATCH & {c.field for c in finding.fix.changes}:
                after = {
                    name: changed(str(path), patch.edits, path.read_bytes()).decode()
                    for name, path in paths.items()
                }
                found.append((finding, after))
        return found


@pytest.mark.parametrize("launch", [hf, deepspeed, megatron, torchtitan])
def test_the_tokens_of_a_step_stay(launch: Launch) -> None:
    offered: list[str] = []

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(RUNS)
    def each(run: Run) -> None:
        files = launch(run)
        before = tokens(launch, files)
        for finding, after in fixes_of(files):
            assert finding.fix is not None
            offered.append(finding.name)
            told = [DIFFERS.search(note.en) for note in finding.fix.notes]
            said = [int(t.group(1).replace(",", "")) for t in told if t]
            assert tokens(launch, after) == (said[0] if said else before), finding.name
            assert said or consistent(launch, after, run), finding.name

    each()
    assert offered, "no batch fix was offered at all"
