"""Findings as they are shown: each once, whole words, and what a check looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from medic.tui import reasons
from medic.tui.bars import Suspects, chance_word
from medic.tui.events import Suspect
from medic.tui.hints import hint
from medic.tui.lines import Block, Line, rows
from medic.tui.offers import offers_of
from medic.tui.reasons import why
from medic.tui.ruled_out import reason
from medic.tui.seen import LONG, evidence, with_question
from medic.tui.telling import details, only_wrong, question, suspects, wrong_word
from medic.tui.words import CHECKED, NOTES
from medic.tui.words_more import ELSE, WHATEVER

import medic.session.conclude
from medic.case.collect import Case
from medic.entries import Check, Outcome
from medic.facts import Source
from medic.i18n import Text, plain
from medic.index.knowledge import Index
from medic.planner.questions import choices
from medic.planner.verdict import decide
from medic.probe import Finding, Part, Probe
from medic.run_config import Origin, RunConfig, Span, Value
from medic.runner.evidence import Run
from medic.session.consultation import Session
from medic.session.diagnosis import CauseView, Diagnosis, EvidenceLine


def line(text: str, at: int = 3, file: str = "a.log", rank: int | None = None) -> EvidenceLine:
    return EvidenceLine("symptom", "s", "present", plain(text), Source(file, at, rank), "always")


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([line("no flag --x"), line("no flag --x", 9)], 1),
        ([line("the rate is at its floor of 0"), line("at its floor of 0")], 1),
        ([line("the rate is at its floor of 0"), line("at its floor of 0", 9)], 2),
        ([line("no flag --x", rank=0), line("no flag --x", rank=1)], 2),
        ([line("no flag --x"), line("no flag --x", file="b.log")], 2),
        ([line("no flag --x", rank=0), line("no flag --x")], 1),
        ([line("no flag --x", rank=0), line("no flag --x", 9)], 2),
    ],
)
def test_what_says_the_same_is_told_once(
    index: Index, case: Case, lines: list[EvidenceLine], shown: int
) -> None:
    assert len(evidence(Session(index, case), lines)) == shown


def test_one_line_weighs_once_for_all_that_it_is_a_sign_of(index: Index, case: Case) -> None:
    at = EvidenceLine("check", "c", "o", plain("no flag --x"), Source("a.log", 3), "confirms")
    session = Session(index, case)
    session.complain_of("cuda-out-of-memory")
    leader = replace(session.diagnosis().causes[0], evidence=(line("no flag --x", rank=0), at))
    told = [str(row.text) for row in reasons._evidence(session, leader, sure=True)]
    assert told == ["no flag --x: always shown by it, confirms it"]


def test_a_line_that_a_finding_tells_to_the_letter_is_not_quoted_below_it(
    index: Index, case: Case
) -> None:
    told, more = "ValueError: no sample 11", "[rank1]: ValueError: no sample 11"
    for raw, shown in ((told, 1), (more, 2)):
        source = Source("a.log", 3, 1, text=raw)
        found = replace(line(told), source=source)
        assert len(evidence(Session(index, case), [found], quoted=1)) == shown


def test_nobody_is_offered_not_known_beside_i_dont_know() -> None:
    outcomes = {
        "not-said": Outcome(Text("not known", "未知"), normal=True, unknown=True),
        "here": Outcome(Text("here", "这里")),
    }
    check = Check(name="c", family="f", title=plain("c"), outcomes=outcomes)
    assert [title.en for _, title in choices(check, set())] == ["here", "none of these"]
    check = replace(check, outcomes={**outcomes, "not-here": Outcome(plain("no"), normal=True)})
    assert [name for name, _ in choices(check, set())] == ["here", "not-here"]


def test_only_an_answer_that_changes_who_leads_says_so(index: Index, case: Case) -> None:
    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    assert found.next is not None
    asked = session.question(found.next)
    told = question(session, asked, asked.choices, found)
    leads = found.causes[0].title
    asides = [row.aside for row in told.lines if row.aside is not None]
    assert asides
    assert not any(leads.en in aside.en for aside in asides)


def test_what_rules_a_cause_out_is_what_was_looked_at(index: Index, case: Case) -> None:
    """That its own check "found nothing" says nothing."""
    name = "micro-batch-too-large"
    session = Session(index, case)
    probe = Probe(
        "config", (name,), lambda _: iter(()), parts=(Part(name, ("micro_batch_size",), ""),)
    )
    session.evidence.runs["config"] = Run(probe, "found", [Finding(name, "passes")])
    by = EvidenceLine("check", name, "passes", plain("found nothing"), Source("", 0), "rules-out")
    cause = CauseView(name, "MEM-001", plain("Too large"), 0.0, "ruled-out", (), (), by)
    assert reason(session, cause) == (CHECKED, None)

    place = Origin("file", Span("run1/train.yaml", 36, 37, 2, 19, 2, 20))
    session.evidence.facts[RunConfig] = RunConfig({"micro_batch_size": Value(8, place)})
    told, where = reason(session, cause, LONG)
    assert told.en == "checked and in order: micro batch 8"
    assert where == plain("run1/train.yaml:2")


def test_the_answer_of_a_long_question_is_never_cut_off(index: Index, case: Case) -> None:
    session = Session(index, case)
    whole = with_question(session, "oom-shortfall", "other-process", plain("another process"))
    cut = with_question(session, "oom-shortfall", "other-process", plain("another process"), 36)
    assert whole.en == "Who holds the memory: another process"
    assert cut.en == "Who holds the…: another process"


def test_a_quoted_line_has_two_rows_at_most() -> None:
    block = Block("bare", (Line(plain("[rank1]: TypeError: " + "word " * 40), short=True),))
    first, second = ("".join(text for text, _ in row) for row in rows(block, 40))
    assert first.startswith("[rank1]: TypeError:")
    assert second.endswith("word…")


def test_a_further_suspect_is_named_where_there_is_room_for_its_name() -> None:
    view = Suspects(column=False)
    view.suspects = (
        Suspect(plain("The micro batch does not fit in GPU memory"), "A-1", "likely", 0.8),
        Suspect(plain("The global batch is taken for that of one device"), "A-2", "unlikely", 0.1),
    )
    assert "unlikely" not in "".join(text for text, _ in view.rows(90)[0])
    assert "unlikely: The global batch is taken for…" in "".join(
        text for text, _ in view.rows(118)[0]
    )


def test_what_comes_first_is_never_called_unlikely(index: Index, case: Case) -> None:
    def shown(found: Diagnosis, **how: str) -> str:
        view = Suspects(column=False)
        view.suspects = suspects(found, **how)
        return "".join(text for text, _ in view.rows(160)[0])

    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    assert "likely: " in shown(found)
    first = replace(found.causes[0], word="unlikely")
    unclear = replace(found, causes=(first, *found.causes[1:]))
    assert "one of many: " in shown(unclear)
    assert "unlikely" not in shown(unclear)
    row = shown(unclear, wrong="wrong")
    assert row.endswith(f"no failure, but wrong: {first.title}")
    assert "\u2588" not in row  # no bar of a chance


def test_only_what_failed_nothing_is_only_wrong(index: Index, case: Case) -> None:
    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    assert not only_wrong(session, found)
    assert only_wrong(session, replace(found, symptoms=(), verdict="likely"))
    session.told.describe("it is odd")
    assert not only_wrong(session, replace(found, symptoms=(), verdict="likely"))


def test_only_of_a_setting_it_is_said_to_be_set_wrong(index: Index, case: Case) -> None:
    session = Session(index, case)
    session.look()
    found = replace(session.diagnosis(), symptoms=(), verdict="likely")
    shown = {}
    for by_settings in (True, False):
        name = next(n for n, c in index.causes.items() if (c.lint is not None) is by_settings)
        led = replace(found, causes=(replace(found.causes[0], name=name),))
        (row,) = suspects(led, wrong=wrong_word(session, led))
        shown[by_settings] = chance_word(row).zh
    assert shown == {True: "未见故障，但配置有误", False: "未见故障，但有误"}
    assert not wrong_word(session, session.diagnosis())


def test_an_outcome_that_tells_enough_stands_without_a_question_cut_short() -> None:
    check = Check(
        name="c",
        family="f",
        title=plain("Whether the configured model and batch fit the GPU, by arithmetic alone"),
        outcomes={
            "far": Outcome(plain("the states fit, the activations of one micro batch do not, here"))
        },
    )
    index = Index({"checks": {}, "symptoms": {}, "causes": {}, "remedies": {}})
    session = Session(index, Case())
    index.checks = {"c": check}
    text = check.outcomes["far"].title
    assert with_question(session, "c", "far", text, 120).en == text.en
    assert with_question(session, "c", "far", text, LONG).en.startswith("Whether the configured")


def test_what_is_unlikely_offers_no_change(index: Index, case: Case) -> None:
    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    far = {c.title for c in found.causes[1:] if c.word == "unlikely"}
    assert far
    assert not far & {offer.against for offer in offers_of(session, found)}


@pytest.mark.parametrize(
    ("choices", "has", "says"),
    [
        (0, {"change"}, "f4 shows the change"),
        (0, {"remedy"}, "after the next run: /look"),
        (0, set(), "describe what you see"),
        (3, {"change"}, "choose 1-3"),
    ],
)
def test_the_empty_input_says_what_comes_next(choices: int, has: set[str], says: str) -> None:
    assert str(hint(choices, has, question=False)).startswith(says)


def test_what_does_not_bear_on_a_question_waits_for_the_answer(index: Index, case: Case) -> None:
    """On a small screen it would push the verdict out of sight."""
    session = Session(index, case)
    session.look()
    asks = replace(session.diagnosis(), notes=(line("num_workers is 0"),))
    assert asks.next is not None
    assert not told(details(session, None, asks, whole=True), NOTES)
    answered = replace(asks, next=None)
    assert told(details(session, asks, answered, whole=False), NOTES)
    assert not told(details(session, answered, answered, whole=False), NOTES)


def told(blocks: list[Block], text: Text) -> bool:
    return any(row.text == text for block in blocks for row in block.lines)


def test_no_cause_is_given_up_while_a_question_tells_them_apart(
    index: Index, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(index, case)
    session.look()
    _, *stand = decide(
        index,
        session.model,
        session.found,
        frozenset(),
        session.evidence,
        looks=0,
        nothing_left=lambda: False,
    )
    monkeypatch.setattr(
        medic.session.conclude, "decide", lambda *_, **__: ("none-of-these", *stand)
    )
    assert session.diagnosis().next is not None
    assert session.diagnosis().verdict == "likely"
    session.refuse(True)
    assert session.diagnosis().verdict == "none-of-these"
    session.refuse(False)
    monkeypatch.setattr(Session, "next_question", lambda _: None)
    assert session.diagnosis().verdict == "none-of-these"


def test_why_tells_the_answers_that_change_something_and_the_rest_as_one(
    index: Index, case: Case
) -> None:
    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    assert found.next is not None
    asked = session.question(found.next)
    leads = found.causes[0].name
    block = next(iter(why(session, found, asked)))
    assert told([block], ELSE.fill(leader=found.causes[0].title))
    same = replace(found.next, flips=tuple(replace(f, leader=leads) for f in found.next.flips))
    block = next(iter(why(session, found, replace(asked, look=same))))
    assert told([block], WHATEVER.fill(leader=found.causes[0].title))
    assert not told([block], ELSE.fill(leader=found.causes[0].title))


def test_why_tells_a_symptom_that_is_a_check_alike_once(index: Index, case: Case) -> None:
    session = Session(index, case)
    session.look()
    found = session.diagnosis()
    twice = (line("both on GPU 0"), replace(line("both on GPU 0"), weight="confirms"))
    leader = replace(found.causes[0], evidence=(*twice, line("both on GPU 0", 9)))
    blocks = list(why(session, replace(found, causes=(leader,)), None))
    rows_of = [x.text.en for x in blocks[0].lines if "both on GPU 0" in x.text.en]
    assert len(rows_of) == 2
    assert rows_of[0].count(", ") == 1
