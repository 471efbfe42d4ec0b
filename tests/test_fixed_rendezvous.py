"""A port that is free, and an address that no variable changes: the program fixes it."""

from __future__ import annotations

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()
BIND = (
    "RuntimeError: The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).\n"
)  # fmt: skip
FIXED, TAKEN = "rendezvous-address-fixed-in-program", "port-in-use"


def diagnosis(text: str) -> tuple[str, list[str]]:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    found = session.diagnosis(asks=False)
    return found.verdict, [cause.name for cause in found.causes]


def test_a_port_that_nothing_holds_is_not_established_as_taken() -> None:
    said = "I set MASTER_PORT=29611 and it still says 29500. ss -ltnp shows nothing on 29500, no process holds the port.\n"  # fmt: skip
    verdict, causes = diagnosis(BIND + said)
    assert verdict != "established"
    assert FIXED in causes[:3]


def test_a_taken_port_is() -> None:
    verdict, causes = diagnosis(
        BIND + "An earlier run of mine still held it; with another MASTER_PORT it starts.\n"
    )
    assert (verdict, causes[0]) == ("established", TAKEN)


def test_an_argument_that_a_library_renamed_leads_all_that_no_line_confirms() -> None:
    said = (
        "After the upgrade the trainer's constructor fails on both nodes, port 29500 is free, NCCL is fine.\n"
        "TypeError: Trainer.__init__() got an unexpected keyword argument 'tokenizer'\n"
    )
    verdict, causes = diagnosis(said)
    assert (verdict, causes[0]) == ("established", "argument-renamed-in-library")
