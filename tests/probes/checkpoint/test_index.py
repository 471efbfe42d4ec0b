"""Which checkpoints of a case are read, and when one is called broken."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import index

from medic.facts import Checkpoints, Hit, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Skip, Unread

ENDED = LogHits(ended="badly", last_time=1.0)


def look_at(look: Any) -> tuple[Checkpoints, list[Finding], list[Skip]]:
    items = list(index.PROBE.run(look))
    facts = [i for i in items if isinstance(i, Checkpoints)]
    return (
        facts[0] if facts else Checkpoints(),
        [i for i in items if isinstance(i, Finding)],
        [i for i in items if isinstance(i, Skip)],
    )


def unreadable(text: str) -> Hit:
    return Hit(
        "zip", "checkpoint-unreadable", "root", Source("train.log", 9, text=text), {}, (0.0, 0, 9)
    )


def aged(path: Path, seconds: float) -> Path:
    at = time.time() - seconds
    os.utime(path, (at, at))
    return path


def good(files: Any, name: str, age: float = 1000) -> Path:
    return aged(
        files.zip(name, {"model": {"w": files.T((2,))}, "optimizer": {"a": 1}, "step": 1}), age
    )


def cut(files: Any, name: str, age: float = 1000) -> Path:
    whole = files.zip(name, {"w": files.T((500,))}).read_bytes()
    return aged(files.raw(name, whole[:-200]), age)


def test_no_checkpoint_is_a_skip(make_look: Any) -> None:
    assert look_at(make_look(logs=ENDED)) == (
        Checkpoints(),
        [],
        [Skip(needs=Text("a checkpoint", "检查点"))],
    )


def test_a_whole_one(files: Any, make_look: Any) -> None:
    fact, (finding,), _ = look_at(make_look(good(files, "a.pt"), logs=ENDED))
    assert [i.file for i in fact.indexes] == ["a.pt"]
    assert (finding.name, finding.outcome) == ("checkpoint-file", "whole")


def test_the_newest_one_cut_off(files: Any, make_look: Any) -> None:
    look = make_look(good(files, "step10.pt", 2000), cut(files, "step20.pt", 1000), logs=ENDED)
    fact, (finding,), _ = look_at(look)
    assert (finding.outcome, finding.value["file"]) == ("broken", "step20.pt")
    assert "cut off" in finding.value["reason"].en
    assert "不完整" in finding.value["reason"].zh
    assert [f for f, _ in fact.not_read] == ["step20.pt"]


def test_the_one_resumed_from_counts_not_the_newest(files: Any, make_look: Any) -> None:
    paths = [cut(files, "step10.pt", 2000), good(files, "step20.pt", 1000)]
    _, (finding,), _ = look_at(
        make_look(*paths, logs=ENDED, resume_from="/other/host/out/step10.pt")
    )
    assert finding.outcome == "broken"
    _, (finding,), _ = look_at(make_look(*paths, logs=ENDED))
    assert finding.outcome == "whole"


def test_the_one_that_the_log_names(files: Any, make_look: Any) -> None:
    paths = [cut(files, "step10.pt", 2000), good(files, "step20.pt", 1000)]
    logs = LogHits(
        hits=(unreadable("PytorchStreamReader failed reading /x/step10.pt"),), ended="badly"
    )
    _, (finding,), _ = look_at(make_look(*paths, logs=logs))
    assert (finding.outcome, finding.value["file"]) == ("broken", "step10.pt")


def test_a_failed_load_that_names_no_file_looks_at_all(files: Any, make_look: Any) -> None:
    paths = [cut(files, "step10.pt", 2000), good(files, "step20.pt", 1000)]
    logs = LogHits(
        hits=(unreadable("PytorchStreamReader failed finding central directory"),), ended="badly"
    )
    _, (finding,), _ = look_at(make_look(*paths, logs=logs))
    assert finding.value["file"] == "step10.pt"


def test_a_pointer(files: Any, make_look: Any) -> None:
    text = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n"
    _, (finding,), _ = look_at(make_look(files.raw("model.safetensors", text)))
    assert finding.outcome == "pointer-file"


def test_a_missing_shard(files: Any, make_look: Any) -> None:
    path = files.index("model.safetensors.index.json", {"a": "model-00001-of-00001.safetensors"})
    said = LogHits(hits=(unreadable("SafetensorError: model.safetensors"),), ended="badly")
    _, (finding,), _ = look_at(make_look(path, logs=said))
    assert finding.outcome == "broken"
    assert finding.value["reason"].en == "1 file is missing: model-00001-of-00001.safetensors"


def test_shards_of_which_the_run_says_nothing_may_be_elsewhere(files: Any, make_look: Any) -> None:
    """Those of another node, or left out of the copy of a folder."""
    path = files.index("model.safetensors.index.json", {"a": "model-00001-of-00001.safetensors"})
    look = make_look(aged(path, 1000), logs=ENDED)
    assert look_at(look)[1] == []
    (left,) = [i for i in index.PROBE.run(look) if isinstance(i, Unread)]
    assert left.aside
    assert "whether it is whole was not seen" in left.why.en


def test_a_save_in_flight_is_not_judged(files: Any, make_look: Any) -> None:
    alive = LogHits(ended="unknown", last_time=time.time())
    _, findings, skips = look_at(make_look(cut(files, "step20.pt", 3), logs=alive))
    assert findings == []
    assert skips == [
        Skip(
            needs=Text("a checkpoint that is not being written just now", "未在写入中的检查点"),
            check="checkpoint-file",
        )
    ]
    _, (finding,), _ = look_at(make_look(cut(files, "step20.pt", 3), logs=ENDED))
    assert finding.outcome == "broken"


@pytest.mark.parametrize(("last", "aside"), [(None, False), (5.0, False), (0.0, True)])
def test_what_may_be_unfinished_is_named(
    files: Any, make_look: Any, last: float | None, aside: bool
) -> None:
    """It hides no fault only where the log says that the run lives."""
    logs = LogHits(ended="unknown", last_time=time.time() if last == 0.0 else last)
    items = list(index.PROBE.run(make_look(cut(files, "step20.pt", 3), logs=logs)))
    (unread,) = [i for i in items if isinstance(i, Unread)]
    assert (unread.file, unread.partly, unread.aside) == ("step20.pt", True, aside)
    assert "look again later" in unread.why.en
    assert "请稍后再看" in unread.why.zh


def test_every_broken_one_is_named(files: Any, make_look: Any) -> None:
    paths = [cut(files, "step10.pt", 2000), cut(files, "step20.pt", 1000), good(files, "s.pt")]
    items = list(index.PROBE.run(make_look(*paths, logs=ENDED)))
    told = {i.value["file"] for i in items if isinstance(i, Finding) and i.outcome == "broken"}
    told |= {i.file for i in items if isinstance(i, Unread)}
    assert told == {"step10.pt", "step20.pt"}


@pytest.mark.parametrize("data", [b"some text", b"\x1f\x8b\x08", b"\x80\x02\x11\x00" * 50])
def test_what_is_not_read_is_neither_whole_nor_broken(
    files: Any, make_look: Any, data: bytes
) -> None:
    fact, findings, skips = look_at(make_look(aged(files.raw("train.bin", data), 1000), logs=ENDED))
    assert findings == []
    assert skips[0].check == "checkpoint-file"
    assert fact.not_read[0][0] == "train.bin"


def test_only_the_newest_few_are_read(files: Any, make_look: Any) -> None:
    paths = [good(files, f"step{n}.pt", 5000 - n) for n in range(10)]
    look = make_look(*paths, logs=ENDED, resume_from="step0.pt")
    fact, _, _ = look_at(look)
    assert [i.file for i in fact.indexes] == ["step0.pt", "step9.pt", "step8.pt", "step7.pt"]
    assert len(look.opened) == 4
    assert ("step1.pt", "older than those read") in [(f, w.en) for f, w in fact.not_read]


def test_given_alone_they_keep_their_order(files: Any, make_look: Any) -> None:
    fact, _, _ = look_at(make_look(good(files, "old.pt", 9000), good(files, "new.pt", 10)))
    assert [i.file for i in fact.indexes] == ["old.pt", "new.pt"]


def test_a_whole_file_that_could_not_be_read(make_look: Any, files: Any) -> None:
    path = good(files, "state.pt")
    failed = LogHits(hits=(unreadable("failed finding central directory"),), ended="badly")
    _, found, _ = look_at(make_look(path, logs=failed))
    assert found[0].outcome == "whole-after-failure"
    _, found, _ = look_at(make_look(path, logs=ENDED))
    assert found[0].outcome == "whole"


@pytest.mark.parametrize("content", [pickle.dumps({"note": 1}), b"\x07random bytes, no format" * 9])
def test_what_is_no_checkpoint_is_called_so(make_look: Any, files: Any, content: bytes) -> None:
    path = files.raw("weights.pt", content)
    items = list(index.PROBE.run(make_look(path, logs=ENDED)))
    unread = [i for i in items if isinstance(i, Unread)]
    assert len(unread) == 1
    assert "no checkpoint" in unread[0].why.en
    assert not [i for i in items if isinstance(i, Finding)]
