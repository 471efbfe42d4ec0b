"""Scores of labelled cases: what counts as right, and labels that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.errors import UsageError
from medic.evaluate import Labelled, Result, Score, evaluate, language, read_cases
from medic.index.knowledge import load

INDEX = load()
PORT = "RuntimeError: The server socket has failed to listen on any local network address. port: 29500, code: -98, name: EADDRINUSE, message: address already in use"


def result(verdict: str, *named: str, causes: tuple[str, ...] = (), never: str = "") -> Result:
    return Result(Labelled("x", causes=causes, never=never), verdict, named, "likely")


def test_what_counts_as_right() -> None:
    assert result("likely", "disk-full", causes=("disk-full", "port-in-use")).right
    assert result("likely", "a", "b", "disk-full", causes=("disk-full",)).place == 3
    assert result("established", "a", causes=("disk-full",)).established_wrong
    assert not result("likely", "a", never="a").right
    assert result("no-fault-seen").right
    assert not result("none-of-these").right


def test_the_table_counts_each_kind_once() -> None:
    score = Score()
    score.add(result("established", "disk-full", causes=("disk-full",)), INDEX)
    score.add(result("likely", "port-in-use", "disk-full", causes=("disk-full",)), INDEX)
    score.add(result("likely", "disk-full", never="port-in-use"), INDEX)
    score.add(result("likely", "disk-full"), INDEX)
    assert (score.all.cases, score.all.top1, score.all.top3) == (2, 1, 2)
    assert (score.all.established, score.all.established_wrong) == (1, 0)
    assert score.families["storage"].cases == 2
    assert (score.quiet, score.quiet_wrong, score.healthy, score.alarmed) == (1, 0, 1, 1)
    assert score.words["likely"] == {True: 1, False: 1}
    assert len(score.misses) == 2


def test_texts_and_folders_are_read_and_judged(tmp_path: Path) -> None:
    rows = [
        {"id": "t1", "text": PORT, "causes": ["port-in-use"]},
        {"id": "t2", "lang": "zh", "text": "step 10 loss 2.31\nstep 11 loss 2.30", "causes": []},
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    folder = tmp_path / "port-in-use" / "fires-1"
    folder.mkdir(parents=True)
    (folder / "train.log").write_text(PORT + "\n")
    cases = read_cases(tmp_path, INDEX)
    assert [c.id for c in cases] == ["port-in-use/fires-1", "t1", "t2"]
    score = evaluate(cases, INDEX)
    assert score.all.top1 == score.all.cases == 2
    assert (score.healthy, score.alarmed) == (1, 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"text": "x", "causes": ["disk-ful"]}', "disk-full"),
        ('{"text": "x"}', "causes"),
        ("{", "needs"),
    ],
)
def test_a_wrong_label_is_told_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "texts.jsonl").write_text("\n" + line + "\n")
    with pytest.raises(UsageError, match=why) as told:
        read_cases(tmp_path, INDEX)
    assert told.value.at.endswith("texts.jsonl:2")


def test_the_language_of_a_text() -> None:
    assert language("训练到一半 loss 变成 NaN 了") == "zh"
    assert language("the loss is nan") == "en"
