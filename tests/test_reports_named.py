"""A report is understood alike whether it is pasted or given as a file; a log is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import Case, collect
from medic.case.filekind import note_text
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()
REPORT = """Fine-tuning Mixtral from scratch-like init, 8 experts.
After 3k steps the tokens per expert of layer 5 are very uneven and it gets more extreme with time;
{'loss': 1.95, 'learning_rate': 2.5e-07, 'epoch': 0.1}
{'loss': 1.94, 'learning_rate': 1.0e-06, 'epoch': 0.5}
{'loss': 1.92, 'learning_rate': 4.0e-06, 'epoch': 2.0}
{'loss': 1.92, 'learning_rate': 4.1e-06, 'epoch': 3.0}
"""
ONE_LINE = "train_batch_size=256, rollout.n=8, 8 GPUs. How many updates does this make per step, 4 or 32?\n"
LOG = "\n".join(
    ["Loading checkpoint shards: 100%|##########| 3/3 [00:07<00:00,  2.50s/it]"]
    + [f"2026-03-02 10:00:{n:02d} step {n} loss {3 - n / 50:.3f} lr 1e-4" for n in range(50)]
)


def words(paths: list[str], text: str = "") -> tuple[str, str]:
    session = Session(INDEX, collect(paths, text=text, this_host=False, index=INDEX))
    session.look()
    return session.told.words, session.diagnosis(asks=False).verdict


@pytest.mark.parametrize("name", ["report.txt", "report.md", "issue.md", "bug.txt", "hb031.txt"])
@pytest.mark.parametrize("text", [REPORT, ONE_LINE])
def test_the_same_text_has_the_same_answer(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert words([str(path)]) == words([], text)

    assert what(collect([str(path)], index=INDEX)) == what(collect([], text=text, index=INDEX))


def what(case: Case) -> tuple[bool, list[str]]:
    session = Session(INDEX, case)
    session.look()
    return case.in_words, [c.name for c in session.diagnosis(asks=False).causes]


def test_a_file_that_only_the_folder_tells_of_is_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "hb031.txt").write_text(REPORT)
    (tmp_path / "train.log").write_text(LOG)
    assert not collect([str(tmp_path)], index=INDEX).in_words


@pytest.mark.parametrize("name", ["train.log", "run.txt", "out.txt", "report.txt"])
def test_a_log_is_no_report(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(LOG)
    assert note_text(str(path), named=True) is None
    assert words([str(path)]) == ("", "no-fault-seen")


TAGGED = """[Deepseek] Router collapse on deepseek training loop

I noticed that as the training progresses, sometimes most tokens are routed to the same expert.
For instance, I see patterns like:
"""
SHOWN = "".join(f"[XXX] layer:  {n} topk_idx: [30, 30, 30, 30]\n" for n in range(1, 6))


def test_a_tagged_title_and_numbered_lines_are_what_a_person_quotes(tmp_path: Path) -> None:
    path = tmp_path / "hb031.txt"
    path.write_text(TAGGED + SHOWN)
    assert words([str(path)])[1] == "likely"
    path.write_text("[Deepseek] Router\n" + SHOWN)  # nobody speaks
    assert words([str(path)]) == ("", "no-fault-seen")
