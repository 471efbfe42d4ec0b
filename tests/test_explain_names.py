"""A bare name is explained as what it is, in any spelling; one that no entry has, by where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main
from medic.explain import find
from medic.explain.about import speaking_of
from medic.explain.names import named
from medic.index.knowledge import Index, load


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("lora_alpha", "lora-alpha"),
        ("Target Modules", "lora-target-modules"),
        ("flash_attention_2", "field-attention"),
        ("lr_warmup_steps_ratio", "field-warmup-ratio"),
        ("梯度累积", "field-gradient-accumulation-steps"),
        ("ZeRO stage 2 vs 3", "field-zero-stage"),
        ("bf16 和 fp16 的区别", "field-precision"),
        ("weight decay", "field-weight-decay"),
        ("--global-batch-size", "field-global-batch-size"),
        ("LoRA rank 设多少", "field-lora-rank"),
        ("断点续训", "field-resume-from"),
        ("学习率预热", "field-warmup-steps"),
        ("label smoothing", "label-smoothing"),
        ("early stopping", "early-stopping"),
        ("困惑度", "perplexity"),
        ("RoPE scaling", "rope-scaling"),
        ("DPO beta 0.1", "dpo-beta"),
        ("KL penalty", "kl-penalty"),
        ("混合精度", "field-precision"),
        ("overflow loss scale", "loss-scale"),
    ],
)
def test_a_name_is_its_term_in_any_spelling(index: Index, asked: str, name: str) -> None:
    found = find(asked, index)[0]
    assert (found.name, found.score) == (name, 1.0)


@pytest.mark.parametrize(
    "asked",
    [
        "loss scale keeps halving",
        "学习率预热之后 loss 变 nan",
        "padding and then a crash",
        "lora alpha " * 9,
        "the perplexity\nrises",
        "2 vs 3",
        "exit code -9",
    ],
)
def test_more_than_names_is_no_name(index: Index, asked: str) -> None:
    assert named(asked, index) == []


def test_two_names_are_two_terms(index: Index) -> None:
    assert named("LoRA vs QLoRA", index) == ["lora", "qlora"]


def test_a_page_of_a_term_tells_what_goes_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medic.i18n._language", [])
    monkeypatch.setattr("medic.i18n._asked", [])
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert main(["explain", "rope_scaling"]) == 0
    wrong, other = capsys.readouterr().out.split("What goes wrong with it")[1].split("Sources")
    assert "(rope-scaling-ignored)" in wrong
    assert "(long-context-degrades)" in wrong
    assert "See also" not in wrong + other


def test_a_name_without_an_entry_is_where_it_stands(index: Index) -> None:
    assert ("terms", "field-ffn-size") in speaking_of("SwiGLU", index, 6)
    assert speaking_of("the loss is nan after some steps of training", index, 6) == []
    assert speaking_of("wiglu", index, 6) == []  # part of a word is no name
    assert ("causes", "index-cache-not-shared") not in speaking_of("prefix caching", index, 20)


def test_where_a_name_stands_is_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", "en", "explain", "SwiGLU"]) == 1
    assert 'no entry has the name "SwiGLU"' in capsys.readouterr().err


def test_a_name_with_a_word_more_is_found_by_its_part(
    capsys: pytest.CaptureFixture[str], state: object
) -> None:
    main(["explain", "nccl flight recorder"])
    told = capsys.readouterr().err
    assert '"flight recorder"' in told
    assert "torch-nccl-trace-buffer-size" in told
    main(["explain", "purple of the zebra"])
    assert "nothing known that matches" in capsys.readouterr().err


def test_who_gives_a_file_is_told_what_reads_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "warmup").write_text("x")
    (tmp_path / "train.log").write_text("CUDA out of memory")
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "train.log"]) == 1
    assert "medic diagnose train.log reads it" in capsys.readouterr().err
    assert main(["explain", "warmup"]) == 0  # a name that is known stays one
