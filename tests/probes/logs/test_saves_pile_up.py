"""Saves of a run that each add a checkpoint until one does not fit."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from medic.probes import host_kept

REFUSED = """Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 850, in save
    _save(obj, opened_zipfile)
OSError: [Errno 28] No space left on device: '{path}'
"""
WRITE = REFUSED.replace("in save", "in write").replace("_save(", "file.write(")
STEP = "step {s}/9000 loss 2.{n} lr 1e-4\n"


def hugging_face(
    count: int, refused: str = "/data/out/checkpoint-9000/optimizer.pt", keep: int = 0
) -> str:
    text = ""
    for n in range(1, count + 1):
        text += STEP.format(s=n * 500, n=n)
        text += f"Saving model checkpoint to /data/out/checkpoint-{n * 500}\n"
        if keep and n > keep:
            text += f"Deleting older checkpoint [/data/out/checkpoint-{(n - keep) * 500}]\n"
    return (
        text
        + "Saving model checkpoint to /data/out/checkpoint-9000\n"
        + REFUSED.format(path=refused)
    )


MEGATRON = "".join(
    f" iteration {n}000/ 20000 | lm loss: 3.0E+00 |\n"
    f"saving checkpoint at iteration   {n}000 to /ckpt/run7 in torch_dist format\n"
    for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "piled"),
    [
        (hugging_face(8), True),
        (MEGATRON + "[rank3]: OSError: [Errno 28] No space left on device\n", True),
        (hugging_face(8, keep=2), False),  # old ones are deleted
        (hugging_face(1), False),  # the first ones already
        (hugging_face(8, refused="/tmp/torchinductor_u/x.so"), False),
        (hugging_face(8) .replace("No space left on device", "Permission denied"), False),
        (hugging_face(8).split("Traceback")[0] + 60 * STEP.format(s=9100, n=1) + WRITE.format(path="/data/eval/out.jsonl"), False),
    ],
)  # fmt: skip
def test_checkpoints_that_no_save_removes(read: Any, text: str, piled: bool) -> None:
    found = read(text).ask(host_kept.PROBE)
    assert ("full-place" in found) is piled
    assert not piled or found["full-place"].outcome == "saves-pile-up"


def test_a_long_line_that_tells_of_saves_takes_no_time(read: Any) -> None:
    begun = process_time()
    read("saved/" * 1500 + "\n" + hugging_face(8)).ask(host_kept.PROBE)
    assert process_time() - begun < 3.0


@pytest.mark.parametrize("whole", [True, False])
def test_the_save_that_was_refused_is_not_one_that_was_done(read: Any, whole: bool) -> None:
    done = "  successfully saved checkpoint from iteration   {n}000 to /ckpt/run7\n"
    text = "".join(
        f"saving checkpoint at iteration   {n}000 to /ckpt/run7\n"
        + (done.format(n=n) if n < 5 or whole else "")
        for n in range(1, 6)
    )
    text += "[rank3]: OSError: [Errno 28] No space left on device: '/ckpt/run7/iter_5'\n"
    found = read(text).ask(host_kept.PROBE)["full-place"]
    assert (found.value["n"], found.source.line) == ((5, 9) if whole else (4, 7))
