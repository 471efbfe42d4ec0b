"""Words for what a run did by design, and for what rests on a description with a row of a log."""

from __future__ import annotations

from pathlib import Path

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.planner.verdict import CLEAN
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.session.undecided import not_established

INDEX = load()
STEPS = "".join(
    f"2026-05-02 10:{n // 60:02d}:{n % 60:02d} INFO step {n * 10}/9000 | loss {2.2 + 40 / (n + 10):.4f} | "
    f"grad_norm 0.5\n"
    for n in range(201)
)
STOPS = (
    "2026-05-02 11:00:00 INFO Monitored metric val_loss did not improve in the last 4 records. "
    "Best score: 1.111. Signaling Trainer to stop.\n2026-05-02 11:00:01 INFO Training completed.\n"
)
DPO = (
    "DPO on Mistral 7B: loss goes to 0.0001 in 60 steps, rewards/accuracies 1.0, chosen logps fall from "
    "-120 to -900, model outputs garbage. lr 5e-5, beta 0.01\n"
)
ROW = "{'loss': 0.0001, 'grad_norm': 0.002, 'rewards/chosen': -7.9, 'logps/chosen': -911.2}\n"


def said(text: str) -> str:
    session = Session(INDEX, collect([], text=text, index=INDEX))
    session.look()
    told = not_established(session, session.diagnosis())
    return "" if told is None else told.en


def of(folder: Path, log: str) -> Diagnosis:
    (folder / "train.log").write_text(log)
    session = Session(INDEX, collect([str(folder)]))
    session.look()
    return session.diagnosis()


def test_a_run_that_early_stopping_ended_has_nothing_wrong(tmp_path: Path) -> None:
    answer = of(tmp_path, STEPS + STOPS)
    assert answer.verdict in CLEAN
    assert not answer.also_wrong
    assert [n.source.line for n in answer.notes] == [202]
    assert "on purpose" in answer.notes[0].text.en


def test_a_run_that_ended_otherwise_notes_nothing(tmp_path: Path) -> None:
    answer = of(tmp_path, STEPS + STOPS.partition("\n")[2])
    assert (answer.also_wrong, answer.notes) == ((), ())


def test_a_pasted_row_is_not_said_to_be_missing() -> None:
    assert "pasted with it do not show it by themselves" in said(DPO + ROW)
    assert "no log or file that was read shows it" in said(DPO)
