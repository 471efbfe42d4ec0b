"""Short sentences that people type: what is compared, what stands still, what is only the other way."""

from __future__ import annotations

import pytest

from medic.match.paste import split_paste
from medic.match.tone import at_ease
from medic.match.words import terms_of


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("validation loss is higher than training loss", "gapabov"),
        ("val loss is much lower than the train loss", "valbetter"),
        ("验证 loss 比训练 loss 还高", "gapabov"),
        ("model gives the same output for every input", "sameoutput"),
        ("模型对所有输入输出都一样", "sameoutput"),
        ("loss is stuck at 2.3", "!decrease"),
        ("loss 从 2.3 一直不动", "!decrease"),
        ("accuracy is stuck at 50%", "!increase"),
    ],
)
def test_a_comparison_or_a_standing_curve_is_one_term(text: str, term: str) -> None:
    assert term in terms_of(text)


@pytest.mark.parametrize(
    "text", ["the job is stuck at step 2", "训练卡住不动", "loss 打印之后卡住不动"]
)
def test_a_process_that_stands_is_a_hang(text: str) -> None:
    assert "hang" in terms_of(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("CUDA out of memory only at evaluation", "prose"),
        ("loss nan in fp32 too", "prose"),
        ("RuntimeError: CUDA out of memory.", "log"),
        ("step 300 loss nan lr 0", "log"),
        ("iter 12: loss 2.31, time 20.1ms", "log"),
    ],
)
def test_a_few_typed_words_are_no_log(text: str, kind: str) -> None:
    assert [f.kind for f in split_paste(text)] == [kind]


def test_the_other_variant_being_fine_is_no_ease() -> None:
    assert not at_ease("nan with fp16, bf16 is fine")
    assert not at_ease("hangs with 2 nodes, single node works fine")
    assert at_ease("the run is fine")
