"""Flags of the vLLM server, alone and beside a training."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MISSPELT, SWITCH, VALUE = "misspelt-flag", "boolean-flag-with-value", "flag-value-not-accepted"

SERVE = """CUDA_VISIBLE_DEVICES=0,1,2,3 vllm serve some/model \\
  --tensor-parallel-size 4 -dp 1 \\
  --max-model-len 32768 \\
  --gpu_memory_utilization 0.9 \\
  --dtype bfloat16 \\
  --enable-prefix-caching \\
  --no-enable-log-requests \\
  --compilation-config.mode 3 -O3 \\
  --some-flag-of-a-later-version 1 \\
  --port 8000
"""
SERVER = SERVE.replace("vllm serve some/model", "python -m vllm.entrypoints.openai.api_server")
BESIDE = SERVE.replace("8000\n", "8000 &\n") + "torchrun --nproc_per_node 4 t.py --output_dir o\n"
MUTATIONS = [
    ("--tensor-parallel-size 4", "--tensor-paralel-size 4", MISSPELT, 2),
    ("--tensor-parallel-size 4", "--tensor-parallel-sizes 4", MISSPELT, 2),
    ("--max-model-len 32768", "--max-model-len", VALUE, 3),
    ("--max-model-len 32768", "max-model-len 32768", MISSPELT, 3),
    ("--max-model-len 32768", "-max-model-len 32768", MISSPELT, 3),
    ("--gpu_memory_utilization", "--gpu_memory_utilisation", MISSPELT, 4),
    ("--enable-prefix-caching", "--enable-prefix-caching True", SWITCH, 6),
    ("--port 8000", "--port 80000", "impossible-value", 10),
]


@pytest.mark.parametrize("text", [SERVE, SERVER, BESIDE])
def test_a_server_as_it_is_started(lint_text: Lint, text: str) -> None:
    assert lint_text(text, "serve.sh") == ()


@pytest.mark.parametrize("text", [SERVE, SERVER, BESIDE])
@pytest.mark.parametrize(("old", "new", "name", "line"), MUTATIONS)
def test_faults(lint_text: Lint, text: str, old: str, new: str, name: str, line: int) -> None:
    assert old in text
    found = [(f.name, f.line) for f in lint_text(text.replace(old, new, 1), "serve.sh")]
    assert found == [(name, line)]


def test_a_type_that_it_does_not_take(lint_text: Lint) -> None:
    (found,) = lint_text(SERVE.replace("bfloat16", "bf16"), "serve.sh")
    assert (found.line, found.severity) == (5, "error")
