"""Labels that a collator lays out: moved to the left, or filled with the padding id."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SHIFTED, PADDED = "labels-shifted-twice", "padding-part-of-loss"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_COLLATE = """import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer
tok = AutoTokenizer.from_pretrained("m")
model = AutoModelForCausalLM.from_pretrained("m")
def collate(rows):
    ids = pad_sequence([r[0] for r in rows], batch_first=True, padding_value=tok.pad_token_id)
    labels = pad_sequence([r[1] for r in rows], batch_first=True, padding_value={pad})
    {moved}
    return {{"input_ids": ids, "labels": labels}}
for rows in loader:
    loss = model(**collate(rows)).loss
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
_CAT = "labels = torch.cat([labels[:, 1:], torch.full((len(labels), 1), -100)], 1)"
_DROP = "ids = torch.cat([ids[:, 1:], torch.full((len(ids), 1), tok.pad_token_id)], 1)\n    "


@pytest.mark.parametrize(
    ("pad", "moved", "name"),
    [
        ("-100", "pass", ""),
        ("-100", _CAT, SHIFTED),
        ("-100", "labels = F.pad(labels[:, 1:], (0, 1), value=-100)", SHIFTED),
        ("-100", "labels = F.pad(labels[:, 1:], (1, 0), value=-100)", ""),
        ("-100", _DROP + _CAT, ""),  # both lose their first token
        ("-100", "targets = torch.cat([labels[:, 1:], rest], 1)", ""),  # of something else
        ("-100", "labels = torch.cat([labels[:, 1:], more, rest], 1)", ""),
        ("tok.pad_token_id", "pass", PADDED),
        ("tok.pad_token_id", "labels = torch.full((4, 64), tok.pad_token_id)", ""),  # set twice
        ("tok.pad_token_id", "labels[labels == tok.pad_token_id] = -100", ""),
        ("0", "pass", ""),
    ],
)
def test_labels_that_a_collator_lays_out(lint_text: Lint, pad: str, moved: str, name: str) -> None:
    text = _COLLATE.format(pad=pad, moved=moved)
    assert _told(lint_text(text, "train.py")) == [name] * bool(name)


def test_labels_full_of_padding(lint_text: Lint) -> None:
    full = _COLLATE.format(pad="tok.pad_token_id", moved="pass").replace(
        "pad_sequence([r[1] for r in rows], batch_first=True, padding_value=",
        "torch.full((4, 64), ",
    )
    assert _told(lint_text(full, "train.py")) == [PADDED]
    own = full.replace("loss = model(**collate(rows)).loss", "loss = F.cross_entropy(model(x), y)")
    assert not _told(lint_text(own, "train.py"))
