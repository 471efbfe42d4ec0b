"""What probes may ask of the case: files are read once, whether they can be read or not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.errors import Unreadable
from medic.index.knowledge import load
from medic.runner import look as looks
from medic.runner.look import CaseLook


def _look(file: Path) -> CaseLook:
    return CaseLook(collect([str(file)]), load(), {}, threading.Event())


@pytest.mark.parametrize("broken", [False, True])
def test_a_file_is_parsed_once(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("a: [1\n" if broken else "a: 1\n", "utf-8")
    look = _look(file)
    read: list[str] = []
    parse = look._parse

    def counted(path: str) -> object:
        read.append(path)
        return parse(path)

    monkeypatch.setattr(look, "_parse", counted)
    told: list[Unreadable] = []
    for _ in range(3):
        try:
            look.parse(str(file))
        except Unreadable as problem:
            told.append(problem)
    assert len(read) == 1
    assert len(told) == 3 * broken
    assert len({id(one) for one in told}) == len(told), "each probe raises its own"
    assert len({(one.en, one.zh, one.at) for one in told}) <= 1


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("a: 1\n", "utf-8")
    look = _look(file)
    monkeypatch.setattr(looks, "PARSING", 0.05)
    begun, end = threading.Event(), threading.Event()
    parse = look._parse

    def slow(path: str) -> object:
        begun.set()
        end.wait(10)
        return parse(path)

    monkeypatch.setattr(look, "_parse", slow)
    other = threading.Thread(target=look.parse, args=(str(file),))
    other.start()
    begun.wait(10)
    with pytest.raises(Unreadable, match="takes too long"):
        look.parse(str(file))
    end.set()
    other.join()
    assert look.parse(str(file)).root is not None


def test_a_log_is_scanned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "train.log"
    file.write_text("step 1 loss 2.0\nContinuing training from global step 500\n", "utf-8")
    look = _look(file)
    first = look.scan(str(file))
    monkeypatch.setattr(look, "_log_file", None)
    assert look.scan(str(file)) is first
    assert [mark.signature for mark in first.marks] == ["resume"]
