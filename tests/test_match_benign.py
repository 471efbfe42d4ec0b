"""Lines that name an error without having it."""

from __future__ import annotations

import io

import pytest

from medic.entries import NotIn, Role, Signature
from medic.match import Matcher, Watched

ALL: tuple[NotIn, ...] = ("help-text", "echoed-config", "source-line")


def benign(text: str, role: Role = "root", not_in: tuple[NotIn, ...] = ALL) -> str:
    """Why the first hit of "CUDA out of memory" (or nan) in a text is no evidence."""
    own = Signature("own", r"CUDA out of memory|\bnan\b", role, match=(), not_in=not_in)
    return Matcher([Watched(own, "s")]).scan_file(io.BytesIO(text.encode()), "x").hits[0].benign


@pytest.mark.parametrize(
    "line",
    [
        "To avoid CUDA out of memory, lower the micro batch",
        "If you see CUDA out of memory: use --zero 3",
        "2026-01-01 10:00:00,000 INFO hint: CUDA out of memory means that the batch is too large",
        "no CUDA out of memory seen",
        "| CUDA out of memory | lower the batch |",
        "## CUDA out of memory",
        "- `CUDA out of memory`: lower the batch",
        "read the page on `CUDA out of memory` first",
        "  --zero STAGE  shards states, against errors such as CUDA out of memory",
        "[rank0]: usage: train.py [--oom-retry] retries after CUDA out of memory",
        "遇到 CUDA out of memory 时请减小 batch",
        "没有 CUDA out of memory",
        "文档写着“CUDA out of memory”的处理方法",
    ],
)
def test_documentation(line: str) -> None:
    assert benign(line + "\n") == "help-text"
    assert benign(line + "\n", not_in=()) == "help-text"


@pytest.mark.parametrize(
    "text",
    [
        '  File "a.py", line 9, in main\n    raise RuntimeError(f"CUDA out of memory on {gpu}")',
        '[rank1]:   File "/a/train.py", line 9, in main\n[rank1]:     retry("CUDA out of memory")',
        'print("CUDA out of memory, exiting")',
        'if "CUDA out of memory" in str(error):',
        'src/train.py:120:        log.error("CUDA out of memory")',
        "lightning/pytorch/loops/fit_loop.py:120:     log('CUDA out of memory')",
        "docs/faq.md:12: CUDA out of memory happens when",
        '+ echo "CUDA out of memory"',
    ],
)
def test_source_code(text: str) -> None:
    assert benign(text + "\n") == "source-line"


@pytest.mark.parametrize(
    "line",
    [
        "  check_for_nan ....................... nan",
        '    "fill_value": "nan",',
        "fill_value: nan",
        "fill_value=nan",
        "[rank0]: fill_value=nan,",
    ],
)
def test_echoed_settings(line: str) -> None:
    assert benign(line + "\n") == "echoed-config"
    assert not benign(line + "\n", not_in=())


@pytest.mark.parametrize(
    "line",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "[default0]:[rank0]: RuntimeError: CUDA out of memory. If reserved memory is >> allocated",
        "2026-01-01 10:00:00,000 ERROR CUDA out of memory",
        "{'loss': nan, 'grad_norm': nan, 'learning_rate': 5e-05}",
        "loss: nan",
        "train/loss=nan",
        "step 10 | loss nan | lr 1e-4",
        "OutOfMemoryError('CUDA out of memory. Tried to allocate')",
        "(Worker pid=12, ip=10.0.0.1) RuntimeError: CUDA out of memory",
        "Train: [0/300][10/1251] lr 0.01 loss nan (nan) mem 99MB",
        "/env/site-packages/lightning/pytorch/loops/fit_loop.py:321: A step met CUDA out of memory.",
        "../Cmp.cu:106: _assert: thread: [0,0,0] Assertion `either `inf`, `nan` or < 0` failed.",
    ],
)
def test_errors_stay_errors(line: str) -> None:
    assert not benign(line + "\n")


def test_only_evidence_is_judged() -> None:
    assert not benign("To avoid CUDA out of memory, lower it\n", role="context")


def test_a_source_line_needs_its_frame_above() -> None:
    text = "    CUDA out of memory\n"
    assert not benign("some words\n" + text)
    assert benign('  File "a.py", line 3, in f\n' + text) == "source-line"


def test_long_lines_are_judged_by_their_beginning() -> None:
    """64 KiB of any fragment must not stall a pattern (the outcome does not matter)."""
    for part in ("--a ", "a.b:", "if x in ", 'print("', "[a]:", "WARN: ", "- ", "=", "(a pid=1"):
        benign(part * (60_000 // len(part)) + " CUDA out of memory\n")


@pytest.mark.parametrize(
    "line",
    [
        '{"step": 20, "loss": 1.8, "sample": "it said CUDA out of memory, why?"}',
        '{"train/loss": 1.8, "responses": ["use less", "so CUDA out of memory"]}',
        "(TaskRunner pid=81) [response] You see CUDA out of memory. Try less",
        "[rank0]: [prompt] What is CUDA out of memory?",
    ],
)
def test_texts_of_the_data_and_of_the_model(line: str) -> None:
    assert benign(line + "\n") == "quoted-text"


@pytest.mark.parametrize(
    "line",
    [
        '{"step": 20, "loss": 1.8, "message": "CUDA out of memory"}',
        '{"step": 20, "loss": 1.8, "sample": "ok"} CUDA out of memory',
        '{"level": "error", "answer": "CUDA out of memory"}',
        "(TaskRunner pid=81) [rank1] CUDA out of memory",
        "[response writer] CUDA out of memory",
    ],
)
def test_words_of_a_program_beside_metrics(line: str) -> None:
    assert benign(line + "\n") == ""


def test_a_table_that_is_a_program_s_verdict() -> None:
    own = Signature("own", r"\| Fail - GPUs?: \d", "root", match=(), not_in=ALL)
    row = b"| GPU Memory                | Fail - GPU: 5                                  |\n"
    found = Matcher([Watched(own, "s")]).scan_file(io.BytesIO(row), "x").hits
    assert [hit.benign for hit in found] == [""]
