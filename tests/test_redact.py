"""Shared reports carry no keys, users, hosts or addresses."""

from __future__ import annotations

import pytest

from medic.redact import Redactor

SECRETS = [
    ("HF_TOKEN=hf_AbCdEfGhIjKlMnOp", "hf_AbCdEfGhIjKlMnOp"),
    ("WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567", "0123456789abcdef"),
    ("aws_access_key_id AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("cloning https://ana:s3cret@git.example.org/x", "s3cret"),
    ("Authorization: Bearer abcdef123456", "abcdef123456"),
    ("'api_key': 'abcdef-123456'", "abcdef-123456"),
    ("reading /home/ana/data", "ana"),
    ("connect to 10.20.30.41:29500", "10.20.30.41"),
    ("  host      : gpu-node-17", "gpu-node-17"),
    ("mail to ana.b@corp.example.com", "ana.b"),
    ("rank 3 on gpu-node-17.corp.example.com failed", "gpu-node-17"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_are_replaced(text: str, secret: str) -> None:
    assert secret not in Redactor()(text)


def test_the_same_thing_gets_the_same_name() -> None:
    redact = Redactor()
    first, second = redact("from 10.0.0.1"), redact("to 10.0.0.1 and 10.0.0.2")
    assert first == "from <ip1>"
    assert second == "to <ip1> and <ip2>"


def test_a_second_scan_finds_nothing_more() -> None:
    text = "\n".join(t for t, _ in SECRETS)
    once = Redactor()(text)
    assert Redactor()(once) == once


def test_numbers_and_steps_stay() -> None:
    line = "step 10/300 | loss 6.2864 | lr 5.000e-05 | tokens per step 4,194,304"
    assert Redactor()(line) == line


def test_module_names_and_files_stay() -> None:
    line = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError in model.safetensors"
    assert Redactor()(line) == line


def test_a_long_word_costs_no_more_than_its_length() -> None:
    import time

    times = []
    for size in (20_000, 160_000):
        start = time.perf_counter()
        Redactor()("x" * size)
        times.append(time.perf_counter() - start)
    assert times[1] < 40 * times[0] + 0.5
