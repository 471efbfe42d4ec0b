"""Versions that a log or its owner tells."""

from __future__ import annotations

import pytest
from medic.probes.packages import versions_in

from medic.entries import Version
from medic.versions import affected, has


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("transformers==4.47.0", {"transformers": "4.47.0"}),
        ("- `transformers` version: 4.46.2", {"transformers": "4.46.2"}),
        ("- PyTorch version (GPU?): 2.3.1+cu121 (True)", {"torch": "2.3.1+cu121"}),
        ("[INFO] DeepSpeed info: version=0.14.4, git-hash=unknown", {"deepspeed": "0.14.4"}),
        ("n1:77:77 [0] NCCL INFO NCCL version 2.18.1+cuda12.1", {"nccl": "2.18.1+cuda12.1"}),
        ("PyTorch 2.3.0 and flash-attn 2.5.7.", {"torch": "2.3.0", "flash-attn": "2.5.7"}),
        ("verl 0.2.0.dev0, vllm 0.6.3", {"verl": "0.2.0.dev0", "vllm": "0.6.3"}),
        (
            "NVIDIA-SMI 535.54   Driver Version: 535.54.03  CUDA Version: 12.2",
            {"driver": "535.54.03", "cuda": "12.2"},
        ),
        (
            '  File "/opt/conda/lib/python3.10/site-packages/torch/serialization.py", line 2',
            {"python": "3.10"},
        ),
        ("it works with transformers 4.44.0", {}),
        ("fine with the 8-bit Adam of bitsandbytes 0.35.4, not since", {}),
        ("in the old environment (bitsandbytes 0.35.4) it trained", {}),
        (
            "旧环境（bitsandbytes 0.35.4）没问题，现在是 bitsandbytes 0.38.1",
            {"bitsandbytes": "0.38.1"},
        ),
        ("we still use the old trainer, bitsandbytes 0.38.1", {"bitsandbytes": "0.38.1"}),
        ("please upgrade transformers to at least 4.48.0", {}),
        ("requires torch>=2.1.0 and trl < 0.9", {}),
        ("loss 2.5 at step 10, torch.cuda allocated 3.4 GiB", {}),
        ("transformers 版本 4.40.1，升级到 transformers 4.44.0 后正常", {"transformers": "4.40.1"}),
    ],
)
def test_versions_of_a_line(line: str, expected: dict[str, str]) -> None:
    found: dict[str, str] = {}
    for name, version in versions_in(line):
        found.setdefault(name, version)
    assert found == expected


def test_a_fault_of_some_versions() -> None:
    faults = (Version("transformers", ">=4.46,<4.46.2"), Version("transformers", "==4.44.0"))
    assert affected(faults, {"transformers": "4.46.1"}) is True
    assert affected(faults, {"transformers": "4.46.2"}) is False
    assert affected(faults, {"transformers": "4.44.0"}) is True
    assert affected(faults, {"torch": "2.3.0"}) is None
    assert has("2.4.0+cu121", "<2.5") is True
    assert has("nightly", "<2.5") is None


def test_packages_that_fail_only_together() -> None:
    pair = (Version("vllm", "<0.10"), Version("transformers", ">=4.54"))
    assert affected(pair, {"vllm": "0.9.2", "transformers": "4.55.0"}) is True
    assert affected(pair, {"vllm": "0.10.1", "transformers": "4.55.0"}) is False
    assert affected(pair, {"vllm": "0.9.2"}) is True
    assert affected(pair, {"vllm": "main", "torch": "2.8.0"}) is None
