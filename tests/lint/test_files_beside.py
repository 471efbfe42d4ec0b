"""Files given beside a script: no check of the script is lost by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint

INDEX = load()
SCRIPT = (
    "#!/bin/bash\nexport NCCL_IB_DISABLED=0\ntorchrun --nproc_per_node 8 run_clm.py "
    "--model_name_or_path gpt2 --output_dir o --logging_step_s 10 --fp16\n"
)


@pytest.mark.parametrize(("name", "text"), [
    ("hostfile", "node01 slots=8\nnode02 slots=8\n"),
    ("requirements.txt", "torch==2.5\ntransformers==4.50\n"),
    ("Dockerfile", "FROM nvcr.io/nvidia/pytorch:24.10-py3\nRUN pip install x\n"),
    ("Makefile", "train:\n\tbash run.sh\n"),
    (".env", "A=1\n"),
    ("LICENSE", "Permission is hereby granted\n"),
    (".gitignore", "*.pt\n"),
    ("train.log", "step 1 loss 2.3\nstep 2 loss 2.2\n"),
    ("failed.log", "Traceback (most recent call last):\nRuntimeError: CUDA error\n"),
])  # fmt: skip
def test_no_finding_and_no_pass_is_lost(tmp_path: Path, name: str, text: str) -> None:
    script, beside = tmp_path / "run.sh", tmp_path / name
    script.write_text(SCRIPT, "utf-8")
    alone = lint(collect([str(script)]), INDEX)
    beside.write_text(text, "utf-8")
    both = lint(collect([str(script), str(beside)]), INDEX)
    assert {"misspelt-flag", "option-without-effect"} <= {f.name for f in alone.findings}
    assert both.findings == alone.findings
    assert set(both.passed) >= set(alone.passed)
    assert lint(collect([str(tmp_path)]), INDEX).findings == alone.findings
