"""What a folder proves is established; its twin, with the same loud line and no proof, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CONFIG = """model:
  vocab_size: 256
  hidden_size: 64
  num_layers: 2
  num_heads: {heads}
training:
  micro_batch_size: 8
  gradient_accumulation_steps: 1
  data_parallel_size: 2
  seq_len: 64
  total_steps: 100
  total_tokens: {tokens}
  lr: 0.0015
  min_lr: 0.00015
  warmup_steps: 10
  seed: 1234
data:
  train: data/train.jsonl
  validation: {validation}
"""
FRAME = '  File "{file}", line {line}, in {name}\n    {code}\n'
LOADER = "/opt/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py"
SPAWN = "/usr/lib/python3.12/multiprocessing/spawn.py"
MAIN = ("/job/train.py", 80, "<module>", "main()")


def traceback(error: str, *frames: tuple[str, int, str, str]) -> str:
    told = (FRAME.format(file=f, line=n, name=name, code=code) for f, n, name, code in frames)
    return "Traceback (most recent call last):\n" + "".join(told) + error + "\n"


def run(folder: Path, log: str, **fields: object) -> Result:
    values = {"heads": 4, "tokens": 102_400, "validation": "data/held.jsonl"} | fields
    (folder / "config.yaml").write_text(CONFIG.format(**values))
    (folder / "train.log").write_text(log)
    return judge(Labelled("run", folder=str(folder)), load())


def is_proven(found: Result, cause: str) -> bool:
    return found.verdict == "established" and found.named[0] == cause


def missing(path: str) -> str:
    error = f"FileNotFoundError: [Errno 2] No such file or directory: '{path}'"
    return traceback(error, MAIN, ("/job/data.py", 9, "read", "file = open(path)"))


def test_a_missing_path_that_the_settings_name(tmp_path: Path) -> None:
    cause = "path-wrong-or-forbidden"
    assert is_proven(run(tmp_path, missing("data/train.jsonl")), cause)
    assert is_proven(run(tmp_path, missing("/job/data/train.jsonl")), cause)
    assert not is_proven(run(tmp_path, missing("/job/cache/part-3.jsonl")), cause)


def test_a_path_that_lies_beside_the_settings_is_not_wrong(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text('{"text": "one"}\n')
    assert not is_proven(run(tmp_path, missing("data/train.jsonl")), "path-wrong-or-forbidden")


def test_what_the_loader_cannot_pickle(tmp_path: Path) -> None:
    error = "AttributeError: Can't pickle local object 'make.<locals>.<lambda>'"
    dump = ("/usr/lib/python3.12/multiprocessing/reduction.py", 60, "dump", "dump(obj)")
    start = (LOADER, 1038, "__init__", "w.start()")
    cause = "loader-parts-not-picklable"
    assert is_proven(run(tmp_path, traceback(error, MAIN, start, dump)), cause)
    save = ("/job/train.py", 60, "main", "torch.save(model, path)")
    assert not is_proven(run(tmp_path, traceback(error, MAIN, save)), cause)


@pytest.mark.parametrize(
    ("words", "proven"),
    [
        ("non-finite values in batch: sample weights [1.0, inf]", True),
        ("input features contain NaN in sample 812", True),
        ("loss is NaN in batch 312", False),
        ("non-finite gradient for this batch", False),
    ],
)
def test_a_check_that_finds_bad_values_in_the_data(
    tmp_path: Path, words: str, proven: bool
) -> None:
    check = ("/job/train.py", 60, "step", f'raise ValueError("{words}")')
    found = run(tmp_path, traceback(f"ValueError: {words}", MAIN, check))
    assert is_proven(found, "corrupt-batch-values") is proven


@pytest.mark.parametrize(
    ("words", "proven"),
    [
        ("could not decode sample 11: expected 129 tokens, found 0", True),
        ("no codec for mp3", False),
    ],
)
def test_a_reader_that_names_the_sample(tmp_path: Path, words: str, proven: bool) -> None:
    read = ("/job/data.py", 66, "__getitem__", "raise ValueError(words)")
    inner = traceback(f"ValueError: {words}", read)
    passed = f"ValueError: Caught ValueError in DataLoader worker process 0.\nOriginal {inner}"
    fetch = (LOADER, 1491, "_process_data", "data.reraise()")
    found = run(tmp_path, traceback(passed, MAIN, fetch))
    assert is_proven(found, "unreadable-sample") is proven


def test_a_spawned_process_that_runs_the_script_again(tmp_path: Path) -> None:
    again = (SPAWN, 297, "_fixup_main_from_path", "runpy.run_path(main_path,")
    start = (LOADER, 433, "_get_iterator", "return _MultiProcessingDataLoaderIter(self)")
    call = ("/job/train.py", 70, "main", "loader = iter(data)")
    error = "RuntimeError: the store is closed"
    frames = (("<string>", 1, "<module>", "spawn_main()"), again, MAIN, call, start)
    assert "main-guard-missing" in run(tmp_path, traceback(error, *frames)).named[:3]
    imports = ("/job/train.py", 3, "<module>", "import data")
    other = ("/job/data.py", 2, "<module>", "import flash")
    quiet = run(tmp_path, traceback("RuntimeError: no", frames[0], again, imports, other))
    assert "main-guard-missing" not in quiet.named


@pytest.mark.parametrize(("heads", "proven"), [(5, True), (4, False)])
def test_a_shape_that_the_heads_make_impossible(tmp_path: Path, heads: int, proven: bool) -> None:
    split = ("/job/model.py", 34, "forward", "q = self.qkv(x).view(shape)")
    error = "RuntimeError: shape '[8, 64, 3, 5, -1]' is invalid for input of size 98304"
    found = run(tmp_path, traceback(error, MAIN, split), heads=heads)
    assert is_proven(found, "hidden-size-not-divisible-by-heads") is proven


def gloo(operation: tuple[str, int, str, str]) -> str:
    due = (
        "terminate called after throwing an instance of 'gloo::EnforceNotMet'\n"
        "  what():  [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:456] "
        "op.preamble.length <= op.nbytes. 136960 vs 4. Received data size doesn't match expected "
        "size. Is there a distributed collective mismatch in your code?\n"
    )
    error = (
        "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:538] "
        "Read error [127.0.0.1]:13035: Connection reset by peer"
    )
    rows = traceback(error, MAIN, operation).splitlines(keepends=True)
    return due + "".join(f"[rank1]: {row}" for row in rows)


def test_gradients_that_meet_a_call_of_another_size(tmp_path: Path) -> None:
    cause = "extra-collective-on-some-ranks"
    step = "2026-05-03 11:00:01,100 [rank0] INFO train: step 40/100 | loss 3.7193 | lr 1.1e-03\n"
    back = ("/opt/venv/lib/python3.12/site-packages/torch/_tensor.py", 631, "backward", "call()")
    assert is_proven(run(tmp_path, step + gloo(back)), cause)
    reduce = ("/opt/venv/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py",
              3075, "all_reduce", "work.wait()")  # fmt: skip
    assert not is_proven(run(tmp_path, step + gloo(reduce)), cause)


def steps(last: int, peak: float = 1.5e-3) -> str:
    lines = (
        f"2026-05-03 11:{s // 60:02d}:{s % 60:02d},100 INFO train: step {s}/100 | "
        f"loss {5.5 - 0.03 * s:.4f} | lr {min(1, s / 10) * peak:.3e}\n"
        for s in range(1, last + 1)
    )
    done = "2026-05-03 11:02:00,100 INFO train: training finished after 100 steps\n"
    return "".join(lines) + (done if last == 100 else "")


@pytest.mark.parametrize(
    ("tokens", "last", "proven"),
    [(1_024_000, 100, True), (102_400, 100, False), (1_024_000, 40, False)],
)
def test_a_run_of_other_tokens_than_planned(
    tmp_path: Path, tokens: int, last: int, proven: bool
) -> None:
    found = run(tmp_path, steps(last), tokens=tokens)
    assert is_proven(found, "total-steps-mismatch") is proven


@pytest.mark.parametrize(
    ("held", "proven"), [("data/train.jsonl", True), ("data/held.jsonl", False)]
)
def test_a_validation_on_the_training_file(tmp_path: Path, held: str, proven: bool) -> None:
    told = "2026-05-03 11:01:59,100 INFO train: eval at step {} | eval_loss 2.6\n"
    log = steps(100) + told.format(50) + told.format(100)
    assert is_proven(run(tmp_path, log, validation=held), "validation-overlaps-training") is proven


@pytest.mark.parametrize(("second", "proven"), [("0.001", True), ("0.0015", False)])
def test_the_later_of_two_values_that_the_run_uses(
    tmp_path: Path, second: str, proven: bool
) -> None:
    log = steps(100, float(second))
    assert not is_proven(run(tmp_path, log), "duplicate-config-key")
    text = (tmp_path / "config.yaml").read_text()
    (tmp_path / "config.yaml").write_text(text.replace("  seed:", f"  lr: {second}\n  seed:"))
    again = judge(Labelled("run", folder=str(tmp_path)), load())
    assert is_proven(again, "duplicate-config-key") is proven
