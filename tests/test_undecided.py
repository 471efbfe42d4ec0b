"""What an answer that is not established says of itself: why not, and what each suspect would show."""

from __future__ import annotations

import pytest
from medic.tui import reasons

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import Index, load
from medic.records import replace
from medic.report import jsonform, markdown
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.undecided import _short, lacks, would_show


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def _session(index: Index, text: str) -> Session:
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=text, this_host=False, index=index), probes)
    session.look()
    return session


KILLED = "step 10 | loss 2.1 | lr 1e-5\n  traceback : Signal 9 (SIGKILL) received by PID 4242\n"
KEY = (
    "Traceback (most recent call last):\n"
    '  File "/job/data.py", line 40, in tokenize\n'
    "    return tok(example['text'])\n"
    "KeyError: 'text'\n"
)
ORDINAL = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 8, in main\n'
    "    torch.cuda.set_device(local_rank)\n"
    "RuntimeError: CUDA error: invalid device ordinal\n"
)
NO_LAUNCHER = "KeyError: 'LOCAL_RANK'\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (KILLED, "fits what was seen nearly as well"),
        (KEY, "speaks against it"),
        (ORDINAL, "nothing seen is of this cause alone"),
    ],
)
def test_what_is_not_established_says_why(index: Index, text: str, why: str) -> None:
    session = _session(index, text)
    said = lacks(session, session.diagnosis())
    assert said is not None
    assert why in said.en


def test_what_is_established_lacks_nothing(index: Index) -> None:
    session = _session(index, NO_LAUNCHER)
    found = session.diagnosis()
    assert found.verdict == "established"
    assert lacks(session, found) is None


def test_each_suspect_has_an_answer_of_its_own(index: Index) -> None:
    session = _session(index, KILLED)
    causes = session.diagnosis().causes
    shown = would_show(session, causes)
    assert "RAM was free" in shown["killed-from-outside"].en
    assert "the memory of the container" in shown["job-memory-limit"].en
    texts = [text.en for text in shown.values()]
    assert len(set(texts)) == len(texts)


def test_every_form_of_an_open_answer_says_what_its_suspects_would_show(index: Index) -> None:
    session = _session(index, KILLED)
    found = session.diagnosis()
    told = {n: str(t) for n, t in would_show(session, found.causes).items()}
    causes = jsonform.diagnosis(session, found)["causes"]
    assert {c["name"]: c["would_show"] for c in causes if c["would_show"]} == told
    written = markdown.diagnosis(session, found).replace("\\", "")
    assert all(f"would show: {text}" in written for text in told.values())
    said = [str(line.text) for block in reasons.why(session, found, None) for line in block.lines]
    assert all(any(text in line for line in said) for text in told.values())


def test_what_is_established_has_no_suspects(index: Index) -> None:
    session = _session(index, NO_LAUNCHER)
    found = session.diagnosis()
    assert not any(c["would_show"] for c in jsonform.diagnosis(session, found)["causes"])
    assert "would show" not in markdown.diagnosis(session, found)
    assert not any("would show" in str(line.text) for line in reasons.sure(session, found).lines)


def test_answers_of_one_effect_stand_in_one_row(
    tmp_path: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "train.log"  # type: ignore[operator]
    log.write_text(KEY)
    main(["--lang", "en", "diagnose", "--other-host", str(log)])
    shown = " ".join(capsys.readouterr().out.split())
    told = shown.split("This would tell")[1].split("Answer it")[0]
    assert "-> still" not in told  # each of them would leave the leader
    assert "lacks it" not in told
    assert "-> speaks for it" in told
    assert "-> speaks against it" in told
    # A cause that would show nothing of this is not told to be ruled out.
    assert "port is taken" not in shown


def test_a_confirmed_leader_that_others_hold_below_the_bar_says_so(index: Index) -> None:
    """Of no rival worth a name the chance itself is what is missing."""
    session = _session(index, KILLED)
    found = session.diagnosis()
    leader = replace(found.causes[0], chance=0.9, evidence=())
    rival = replace(found.causes[1], chance=0.05, word="unlikely")
    assert (
        "its chance is 90%, and 95% is asked for"
        in _short(session, replace(found, causes=(leader, rival))).en
    )
