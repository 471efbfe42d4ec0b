"""Words of one cause: in a log, in a config, in a sentence, and shared by several causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import Model
from medic.case.collect import collect
from medic.entries.words import TELLTALE
from medic.evaluate import Labelled, diagnose
from medic.index.knowledge import NO_TELLTALE, Index, load
from medic.session.consultation import Session

INDEX: Index = load()
TRITON = "ModuleNotFoundError: No module named 'triton'"


def session(tmp_path: Path, **files: str) -> Session:
    for name, text in files.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    made = Session(INDEX, collect([str(tmp_path)], this_host=False))
    made.look()
    return made


def outcomes(made: Session) -> set[str]:
    return {h.seen.outcome for h in made.found if h.seen.name == TELLTALE}


def test_all_telltales_are_outcomes_of_one_check() -> None:
    check = INDEX.checks[TELLTALE]
    assert set(check.outcomes) == {NO_TELLTALE, *INDEX.telltales}
    assert check.outcomes[NO_TELLTALE].normal


def test_a_line_names_its_cause_and_shows_its_first_symptom(tmp_path: Path) -> None:
    log = f'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\n    run()\n{TRITON}\n'
    made = session(tmp_path, train_log=log)
    assert outcomes(made) == {"triton-not-installed"}
    first = INDEX.causes["triton-not-installed"].shows[0].symptom
    assert first in {h.seen.name for h in made.found if h.seen.outcome == "present"}
    assert made.diagnosis().causes[0].name == "triton-not-installed"


def test_a_run_that_ended_well_had_no_failure(tmp_path: Path) -> None:
    steps = "".join(f"step {n} loss {3 - n / 100:.3f}\n" for n in range(50))
    made = session(tmp_path, train_log=f"{TRITON}\n{steps}training finished\n")
    assert outcomes(made) == set()
    assert made.diagnosis().verdict in ("healthy", "no-fault-seen")


def test_a_sentence_only_tells(tmp_path: Path) -> None:
    made = Session(INDEX, collect([], text="", this_host=False))
    made.complain(
        "Since the update every run stops with: Cannot find a working triton installation."
    )
    heard = {h.seen.name: h.seen.reliability for h in made.found}
    assert heard[TELLTALE] == "prose"
    assert made.diagnosis().verdict != "established"


def test_words_of_several_causes_raise_each_of_them() -> None:
    model = Model(INDEX)
    names = list(INDEX.telltales)[:2]
    both = model.beliefs([Seen(TELLTALE, name) for name in names])
    none = model.beliefs([])
    for name in names:
        assert both.chance[name] > 20 * none.chance[name]


@pytest.mark.parametrize("count", [1, 12])
def test_some_lines_count_only_in_numbers(tmp_path: Path, count: int) -> None:
    line = (
        "[WARNING] [stage3.py:2070:step] 2 pytorch allocator cache flushes since last step. this "
        "happens when there is high memory pressure and is detrimental to performance.\n"
    )
    made = session(tmp_path, train_log=line * count)
    assert ("allocator-near-its-limit" in outcomes(made)) == (count > 5)


STACK = "RuntimeError: stack expects each tensor to be equal size, but got [5] at entry 0 and [3]"
PLOT = f"""Traceback (most recent call last):
  File "plot.py", line 14, in <module>
    xs = torch.stack(losses)
{STACK}
"""
COLLATE = f"""Traceback (most recent call last):
  File "train.py", line 9, in <module>
    for batch in loader:
  File "site-packages/torch/utils/data/_utils/collate.py", line 172, in collate_tensor_fn
    return torch.stack(batch, 0, out=out)
{STACK}"""
RANK = """Traceback (most recent call last):
  File "train.py", line 3, in main
    rank = int(os.environ["RANK"])
  File "/usr/lib/python3.10/os.py", line 680, in __getitem__
    raise KeyError(key) from None
KeyError: 'RANK'"""


@pytest.mark.parametrize(
    ("text", "cause", "sure"),
    [
        (COLLATE, "samples-not-padded", True),
        (RANK, "script-started-without-launcher", True),
        (STACK, "samples-not-padded", False),
        (PLOT, "samples-not-padded", False),
        ("KeyError: 'text'", "column-names-not-mapped", False),
        (
            'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
            "    print(stats[\"RANK\"])\nKeyError: 'RANK'",
            "script-started-without-launcher",
            False,
        ),
    ],
)
def test_a_line_that_others_print_confirms_only_beside_its_frames(
    text: str, cause: str, sure: bool
) -> None:
    found = diagnose(Labelled("x", text=text), INDEX)
    assert (found.verdict == "established") == sure
    assert not sure or found.causes[0].name == cause


def test_a_key_of_ones_own_mapping_is_a_bug_of_ones_own_code() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    s["RANK"]\nKeyError: \'RANK\''
    assert diagnose(Labelled("x", text=text), INDEX).causes[0].name == "uncaught-exception"
