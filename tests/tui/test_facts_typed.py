"""Facts that are typed beside a complaint: what is not there, models and GPUs, and what tells
nothing; over the real knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from medic.tui import answers, orders, settled
from medic.tui.consultation import Consultation
from medic.tui.events import Choices, Event, Told
from medic.tui.lines import plain_text

import medic.runner.registry
from medic.case.collect import collect
from medic.i18n import use
from medic.index.knowledge import Index, load
from medic.session.asked import options

PROBES = medic.runner.registry.all_probes
RECORDED = Path(__file__).parents[1] / "lab" / "recorded"


class Talk:
    """A consultation without a screen."""

    def __init__(self, index: Index, *paths: str) -> None:
        self.events: list[Event] = []
        self.talk = Consultation(lambda: index, collect(list(paths)), self.events.append)
        self.talk.begin()

    def say(self, *texts: str) -> None:
        for text in texts:
            answers.say(self.talk, text)

    @property
    def told(self) -> str:
        blocks = [(e.block, 0) for e in self.events if isinstance(e, Told)]
        return " ".join(plain_text(blocks).split())

    @property
    def lead(self) -> list[tuple[str, float]]:
        found = self.talk.found
        return [(c.name, c.chance) for c in found.causes] if found else []


@pytest.fixture(scope="module")
def whole() -> Index:
    return load()


@pytest.fixture(autouse=True)
def _real(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(medic.runner.registry, "all_probes", PROBES)
    yield
    use("en")


def test_who_has_no_zero_is_not_asked_about_it(whole: Index) -> None:
    hangs = ("training hangs at step 20 with our mixture of experts on 8 GPUs",)
    about = {"zero-stage-in-use", "zero-stage-swap"}
    before = Talk(whole)
    before.say(*hangs)
    assert about <= {look.name for look in before.talk.session.open_looks()}
    talk = Talk(whole)
    talk.say(*hangs, "no ZeRO")
    assert "ZeRO stage = 0" in talk.told
    assert not about & {look.name for look in talk.talk.session.open_looks()}
    assert not [name for name, _ in talk.lead if "zero" in name]
    for name in ("speed-experiment", "variant-that-works"):
        titles = [str(title) for _, title in options(talk.talk.session, name)]
        assert titles
        assert not [title for title in titles if "ZeRO" in title]
    offered = [str(o.title) for o in talk.talk.offers()]
    assert not [title for title in offered if "ZeRO" in title]


def test_who_has_no_nan_is_not_asked_about_it(whole: Index) -> None:
    talk = Talk(whole)
    talk.say("the loss does not go down", "no NaN")
    assert "loss-nan" in talk.talk.session.told.denied
    assert "no NaN" in talk.told
    opened = {look.name for look in talk.talk.session.open_looks()}
    assert not opened & {"nan-gradient", "nan-onset", "nan-precursor", "nan-ranks", "loss-nan"}
    other = Talk(whole)
    other.say("the loss does not go down")
    opened = {look.name for look in other.talk.session.open_looks()}
    assert "loss-nan" in opened
    assert "nan-onset" not in opened  # nobody told of a NaN: its time is not asked
    other.say("the loss is nan")
    assert "nan-onset" in {look.name for look in other.talk.session.open_looks()}


def test_what_is_complained_of_too_is_not_denied(whole: Index) -> None:
    from medic.told.understood import Told

    told = Told(whole, denied={"loss-nan": "no NaN", "training-hangs": "no hang"})
    told.choose("cuda-out-of-memory", "OOM")
    told.chosen["loss-nan"] = "NaN at step 3"
    assert told.denials == {"training-hangs": "no hang"}
    absent = [heard.seen.name for heard in told.heard() if heard.seen.outcome == "absent"]
    assert absent == ["training-hangs"]


def test_a_denial_is_kept_and_taken_out(whole: Index) -> None:
    from medic.session.said import said, say_again

    talk = Talk(whole)
    talk.say("the loss does not go down", "没有出现 NaN")
    session = talk.talk.session
    kept = said(session)
    session.told.forget()
    say_again(session, kept)
    assert list(session.told.denied) == ["loss-nan"]
    session.withdraw("loss-nan")
    assert not session.told.denied


FACTS = (
    "the seed is 1234",
    "rocky linux 9.3, python 3.9.18",
    "the node has 96 cores",
    "tensorboard logging",
    "随机种子为 7",
)


@pytest.mark.parametrize("complaint", ["the loss does not go down", "训练卡住不动"])
def test_a_fact_that_tells_nothing_ranks_nothing(whole: Index, complaint: str) -> None:
    talk = Talk(whole)
    talk.say(complaint)
    before = talk.lead
    together = Talk(whole)
    together.say(f"{complaint}, {', '.join(FACTS)}")
    talk.say(*FACTS)
    for lead in (talk.lead, together.lead):
        assert [name for name, _ in lead] == [name for name, _ in before]
        assert [c for _, c in lead] == pytest.approx([c for _, c in before], abs=1e-3)


def test_none_of_these_to_a_fact_ranks_nothing(whole: Index) -> None:
    talk = Talk(whole)
    talk.say("the loss does not go down")
    before = talk.lead
    answers.choose(talk.talk, Choices("meaning", "the office is in Berlin", ()), "")
    assert talk.lead == before
    assert "Berlin" not in talk.talk.session.words


def test_model_and_gpu_in_words_are_shown_back_and_used(whole: Index) -> None:
    from medic.facts import GpuMemory
    from medic.run_config import RunConfig

    talk = Talk(whole)
    talk.say("CUDA out of memory at the first step", "qwen3 8b on 4 A100 80G, micro batch 4")
    for part in ("open model that is trained = qwen3-8b", "GPU model = a100-80g", "world size = 4"):
        assert part in talk.told
    evidence = talk.talk.session.evidence
    memory, config = evidence.fact(GpuMemory), evidence.fact(RunConfig)
    assert memory is not None
    assert memory.total == whole.gpus["a100-80g"].memory
    assert config is not None
    assert config.get("model_name") == "qwen3-8b"


def test_a_model_that_is_not_known_is_told_as_not_used(whole: Index) -> None:
    talk = Talk(whole)
    talk.say("CUDA out of memory at the first step", "llama2 34b on 8 A70")
    assert "Not used: llama2 34b, A70." in talk.told


def test_a_remedy_that_no_answer_changes_is_told_before_the_question(whole: Index) -> None:
    talk = Talk(whole, str(RECORDED / "slow-rank-past-the-timeout"))
    assert talk.talk.plan.settled
    told = talk.told
    assert told.index("What to do now") < told.index("(optional, to be surer)")
    assert "Take the long work of one rank out of the job" in told


def test_a_remedy_that_an_answer_changes_waits_for_it(whole: Index) -> None:
    talk = Talk(whole, str(RECORDED / "uneven-batches"))
    assert talk.talk.question is not None
    assert not talk.talk.plan.settled
    assert "What to do now" not in talk.told


def test_another_leader_after_any_answer_holds_the_remedy_back(whole: Index) -> None:
    from medic.records import replace

    talk = Talk(whole, str(RECORDED / "slow-rank-past-the-timeout"))
    asked, found = talk.talk.question, talk.talk.found
    assert asked is not None
    assert found is not None
    leader, *rest = found.causes
    other = next(c for c in rest if c.name == "extra-collective-on-some-ranks")
    moved = replace(found, causes=(replace(other, word="likely"), leader))
    assert settled.settled(talk.talk.session, asked, found)
    assert not settled.settled(talk.talk.session, asked, moved)


def test_it_is_said_where_an_answer_makes_the_remedy_less_sure(
    whole: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settled, "settled", lambda *_: frozenset(["likely", "possible"]))
    talk = Talk(whole, str(RECORDED / "slow-rank-past-the-timeout"))
    assert "it stays first whatever is answered below" in talk.told
    assert "What to do now" not in talk.told


def test_a_remedy_that_was_just_told_is_not_told_again(whole: Index) -> None:
    talk = Talk(whole, str(RECORDED / "disk-full"))
    assert talk.talk.plan.settled
    assert talk.told.count("costs:") == 1
    orders.patch(talk.talk, "")
    assert "do it by hand, as told above" in talk.told
    assert talk.told.count("costs:") == 1
