"""What a line of the answer says is what its source shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.i18n import Text
from medic.index.knowledge import load
from medic.probe import SAYS, Finding
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.session.sentences import finding_text, question_of

STEP = (
    "step {n} | loss {loss:.3f} | lr 1.0e-04 | grad_norm 0.9 | {ms:.1f} ms/step | tok/s {tok:.0f}\n"
)
GLOO = "[rank{r}]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:{at}\n"


def diagnosed(folder: Path, **files: str) -> Diagnosis:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    return session.diagnosis()


def sentences(found: Diagnosis) -> list[str]:
    lines = [line for cause in found.causes for line in cause.evidence]
    lines += [*found.symptoms, *found.consequences, *found.unexplained]
    return [line.text.en for line in lines]


def rows(first: int, last: int, ms: float = 20.0, loss: float = 3.0) -> str:
    return "".join(
        STEP.format(n=n, loss=loss - n / 1000 + 0.01 * (n % 3), ms=ms + 0.1 * (n % 4), tok=2e6 / ms)
        for n in range(first, last)
    )


def test_a_lost_connection_of_gloo_is_none_of_nccl(tmp_path: Path) -> None:
    gone = GLOO.format(r=0, at="538] Read error [127.0.0.1]:21669: Connection reset by peer")
    told = sentences(diagnosed(tmp_path, train__log=rows(1, 40) + gone))
    assert "gloo lost the connection to another rank" in told
    assert not any("NCCL" in line for line in told)


def test_a_size_that_gloo_refuses_is_no_timeout(tmp_path: Path) -> None:
    line = "  what():  [enforce fail at /gloo/tcp/pair.cc:456] op.preamble.length <= op.nbytes. 136960 vs 4.\n"
    told = sentences(diagnosed(tmp_path, train__log=rows(1, 40) + line))
    assert "what a rank received was not of the size that it waited for" in told
    assert "A collective timed out" not in told


def test_nccl_s_own_words_are_still_nccl_s(tmp_path: Path) -> None:
    line = "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:93, invalid usage, NCCL version 2.28.9\n"
    assert "NCCL reports an error" in sentences(diagnosed(tmp_path, train__log=rows(1, 40) + line))


def test_a_signal_that_is_named_is_no_end_without_a_word(tmp_path: Path) -> None:
    line = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4411 got signal: 15\n"
    told = sentences(diagnosed(tmp_path, train__log=rows(1, 40) + line))
    assert "The run ended, and the log does not say why" not in told
    assert any("got a signal that ends it" in line for line in told)


def test_what_one_line_cannot_show_is_foretold_by_it(tmp_path: Path) -> None:
    line = "WARNING: tokenization mismatch: 102 vs. 104. (ignored)\n"
    told = sentences(diagnosed(tmp_path, train__log=line * 3))
    assert any(one.startswith("foretold by this line: ") for one in told)


@pytest.mark.parametrize(
    ("name", "outcome", "value", "said"),
    [
        ("exception-kind", "other", {}, "What kind of exception it was: an exception of another kind"),
        ("exception-kind", "other", {"exception": "E", "message": "m"}, "E: m"),
        ("loss-nan", "present", {SAYS: Text("step {n}", "第 {n} 步"), "n": 3}, "step 3"),
    ],
)  # fmt: skip
def test_an_answer_is_told_with_its_question(
    name: str, outcome: str, value: dict[str, object], said: str
) -> None:
    finding = Finding(name, outcome, value)
    asked, text = question_of(load(), finding), finding_text(load(), finding)
    assert (f"{asked.en}: {text.en}" if asked else text.en) == said


def test_rates_at_a_resume_are_told_as_they_are(tmp_path: Path) -> None:
    line = "{{'loss': 1.5, 'learning_rate': {r:.3e}, 'step': {n}}}\n"
    first = "".join(line.format(n=n, r=1e-4 * (1 - n / 110)) for n in range(1, 101))
    again = "".join(line.format(n=n, r=1e-4 * (1 - n / 400)) for n in range(101, 140))
    resumed = "Resuming training from checkpoint out/checkpoint-100\n"
    found = diagnosed(tmp_path, train__log=first + resumed + again)
    assert "The learning rate is not what was configured" not in sentences(found)


NOW = "curriculum: sequence length is now {n}\n"


def test_a_length_that_the_log_announces_is_no_slower_gpu(tmp_path: Path) -> None:
    log = rows(1, 60) + NOW.format(n=2048) + rows(60, 160, ms=45) + NOW.format(n=4096)
    found = diagnosed(tmp_path, train__log=log + rows(160, 260, ms=95) + "training done\n")
    assert found.verdict in ("healthy", "no-fault-seen")


@pytest.mark.parametrize(
    "between", ["", NOW.format(n=2048) + rows(60, 130) + "shuffle buffer refilled\n"]
)
def test_a_fall_within_the_same_length_is_told(tmp_path: Path, between: str) -> None:
    found = diagnosed(tmp_path, train__log=rows(1, 60) + between + rows(130, 230, ms=45))
    assert any("the speed falls by" in line for line in sentences(found))


def rewarded(loss: str, more: str) -> str:
    line = "{{'loss': {loss}, 'grad_norm': 0.3, 'learning_rate': 1e-06, {more}, 'epoch': {n}}}\n"
    return "".join(
        line.format(loss=loss if n > 3 else 3.1, more=more, n=n / 200) for n in range(1, 201)
    )


OF_TEXT = ("Loss or scores are better than they can be", "The loss does not fall", "the loss is ")


@pytest.mark.parametrize(
    "more", ["'reward': 0.5, 'kl': 0.1", "'rewards/margins': 4.2, 'rewards/accuracies': 0.9"]
)
@pytest.mark.parametrize("loss", ["0.0269", "10.37"])
def test_a_loss_of_rewards_is_no_loss_of_text(tmp_path: Path, more: str, loss: str) -> None:
    config = "vocab_size: 32000\nmax_steps: 200\nlearning_rate: 1.0e-6\n"
    told = sentences(diagnosed(tmp_path, train__log=rewarded(loss, more), run__yaml=config))
    assert not [line for line in told if line.startswith(OF_TEXT)]


def test_the_same_numbers_of_text_are_told(tmp_path: Path) -> None:
    told = sentences(diagnosed(tmp_path, train__log=rewarded("0.0269", "'tokens': 4096")))
    assert [line for line in told if line.startswith(OF_TEXT)]
