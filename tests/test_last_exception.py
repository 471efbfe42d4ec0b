"""The last exception of a run is named, though an earlier line leads."""

from __future__ import annotations

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

INDEX = load()
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.2 GiB is free.\n"
)
MISTAKE = """Traceback (most recent call last):
  File "/job/score.py", line 31, in grade
    return int(text) == truth
TypeError: int() argument must be a string, not 'NoneType'
"""


def diagnosis(text: str) -> Diagnosis:
    session = Session(INDEX, collect([], text=text, index=INDEX))
    session.look()
    return session.diagnosis()


def told(found: Diagnosis) -> list[str]:
    return [e.text.en for e in found.unexplained if e.name == "python-exception"]


def test_what_nothing_shows_to_be_of_the_first_error() -> None:
    found = diagnosis(OOM + "INFO rank 0 leaves\n" + MISTAKE)
    assert told(found) == [
        "the last exception: TypeError: int() argument must be a string, not 'NoneType' "
        "(/job/score.py:31)"
    ]
    (line,) = [e for e in found.unexplained if e.name == "python-exception"]
    assert line.source.line == 6


def test_what_leads_itself_is_not_told_twice() -> None:
    assert told(diagnosis("step 1 loss 2.0\n" + MISTAKE)) == []


def test_the_echo_of_another_process_is_no_mistake() -> None:
    echo = MISTAKE.replace("TypeError: int() argument must be a string, not 'NoneType'", "RuntimeError: worker 3 left")  # fmt: skip
    assert told(diagnosis(OOM + echo)) == []


def test_a_line_that_raises_shows_no_symptom_of_steps() -> None:
    """Its cause may give a loss of zero; the trainer that refuses takes no step."""
    line = (
        "ValueError: The chat template is not training-compatible (missing prefix-preservation or "
        "`{% generation %}` markers) and patching is not supported for this template.\n"
    )
    raised = (
        'Traceback (most recent call last):\n  File "/t/sft.py", line 9, in <module>\n    fit()\n'
    )
    for text, zero in ((raised + line, False), (line, True)):
        found = diagnosis(text)
        names = [e.name for e in found.causes[0].evidence]
        assert found.causes[0].name == "template-lacks-generation-marks"
        assert ("loss-is-zero" in names) == zero
