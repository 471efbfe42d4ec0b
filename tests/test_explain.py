"""What ``medic explain`` finds for a line, a description and a question."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.explain import entry, find, named_in
from medic.facts import Source
from medic.i18n import plain
from medic.index.knowledge import Index, load
from medic.match import split_paste
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import EvidenceLine


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def test_a_bare_line_is_what_prints_it(index: Index) -> None:
    assert find("Killed", index)[0].name == "host-out-of-memory"


def test_the_cause_that_the_words_speak_of_leads_its_symptom(index: Index) -> None:
    words = "Expected all tensors on same device"
    page = entry(find(words, index)[0], index, 6, words)
    assert page["causes"][0]["name"] == page["nearest"] == "tensors-on-different-devices"


def test_words_that_many_causes_share_keep_the_common_first(index: Index) -> None:
    words = "CUDA out of memory"
    page = entry(find(words, index)[0], index, 6, words)
    assert page["nearest"] == ""
    assert page["causes"][0]["name"] == "micro-batch-too-large"


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("how do I enable activation checkpointing in axolotl?", "field-activation-checkpointing"),
        ("怎么在 axolotl 里开启激活重计算？", "field-activation-checkpointing"),
        ("how do I make tea?", ""),
    ],
)
def test_a_question_of_usage_names_a_term(
    index: Index,
    asked: str,
    term: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("medic.i18n._language", [])
    monkeypatch.setattr("medic.i18n._asked", [])
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert [m.name for m in named_in(asked, index)][:1] == ([term] if term else [])
    assert main(["explain", asked]) == 1
    told = capsys.readouterr().err
    assert ("Nearest: " + term in told) == (asked.isascii() and bool(term))
    assert ("相近条目：" + term in told) == (not asked.isascii())


@pytest.mark.parametrize(
    ("chosen", "asked", "told"),
    [
        ("", "为什么 loss 一直不降", "原因（按常见程度排序）"),
        ("", "the loss does not go down", "What causes it"),
        ("en", "为什么 loss 一直不降", "What causes it"),
        ("zh", "the loss does not go down", "原因（按常见程度排序）"),
    ],
)
def test_a_chinese_question_is_answered_in_chinese_where_no_language_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    chosen: str,
    asked: str,
    told: str,
) -> None:
    monkeypatch.setattr("medic.i18n._language", [])
    monkeypatch.setattr("medic.i18n._asked", [])
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    main(["explain", asked, *(["--lang", chosen] if chosen else [])])
    assert told in capsys.readouterr().out


def test_instead_of_falling_it_rises(index: Index) -> None:
    for words in ("loss 不降而是升", "loss不降反升"):
        assert find(words, index)[0].name == "loss-diverges"


def test_a_question_of_usage_gets_no_causes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "how do I set the learning rate of one layer", "--lang", "en"]) == 1
    shown = capsys.readouterr()
    assert "asks how something is done" in shown.err
    assert "What causes it" not in shown.out


def test_how_a_setting_is_set_stands_on_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "how do I set the learning rate", "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "Peak learning rate" in shown
    assert "What causes it" not in shown


def test_a_pasted_command_is_linted_like_a_script(index: Index) -> None:
    text = (
        "The batch size is always 1 whatever I set.\n"
        "accelerate launch train_net.py --train_batch_size=6 --lr 1e-4 --train_batch_size=1\n"
    )
    assert [part.kind for part in split_paste(text)] == ["prose", "command"]
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=text, this_host=False, index=index), probes)
    session.look()
    assert session.diagnosis().causes[0].name == "flag-given-twice"


def test_what_a_cause_is_told_by_says_what_was_looked_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "learning-rate-too-low", "--lang", "en"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    row = (
        "The shape of the logged learning rate: logged as 0 at every step (speaks strongly for it)"
    )
    assert row in told


def test_a_line_that_two_findings_tell_in_the_same_words_stands_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = Source("a.log", 3, text="two on one")
    words, there = plain("two on one"), Source("a.log", 9)
    lines = [
        EvidenceLine("check", "devices", "one", words, at, "confirms"),
        EvidenceLine("symptom", "duplicate", "present", words, at, "always"),
        EvidenceLine("symptom", "duplicate", "present", plain("again"), there, "usually"),
    ]
    Blocks(Console()).evidence(lines)
    told = capsys.readouterr().out
    assert told.count("two on one (") == 1
    assert "(confirms it, always shown by it)" in told
    assert "a.log:9" in told


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("OSError: libcudart.so.11.0: cannot open shared object file", "shared-library-missing"),
        ("libcudart.so.12: cannot open shared object file: No such file", "shared-library-missing"),
        (
            "ImportError: vllm/_C.abi3.so: undefined symbol: _ZN2at4_ops15to",
            "engine-binary-mismatch",
        ),
        ("ValueError: Please specify `target_modules` in `peft_config`", "target-modules-absent"),
        ("scripts/finetune.sh: line 8: --output_dir: command not found", "command-cut-short"),
        ("slurm_script: line 12: MASTER_PORT: unbound variable", "unset-variable-takes-flag"),
    ],
)
def test_a_line_of_the_start_leads_to_what_prints_it(index: Index, line: str, name: str) -> None:
    assert find(line, index)[0].name == name


def test_a_key_that_a_trainer_misses_has_the_page_of_its_cause(index: Index) -> None:
    assert "labels-not-in-batch" in [one.name for one in find("KeyError: 'loss'", index)]
    assert "labels-not-in-batch" not in [one.name for one in find("KeyError: 'size'", index)]


def test_the_cause_that_prints_a_short_line_leads_its_symptom(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for line, name in [
        ("KeyError: 'loss'", "labels-not-in-batch"),
        ("KeyError: 'LOCAL_RANK'", "script-started-without-launcher"),
    ]:
        assert main(["explain", line, "--lang", "en"]) == 0
        assert name in capsys.readouterr().out.partition("  2. ")[0]
