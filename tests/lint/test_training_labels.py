"""Labels and rewards that a program makes itself: moved twice, padded, the inputs themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SHIFTED, PADDED = "labels-shifted-twice", "padding-part-of-loss"
VISIBLE, NEVER = "labels-visible-to-model", "reward-parser-never-matches"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_HF = """import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
tok = AutoTokenizer.from_pretrained("m")
model = AutoModelForCausalLM.from_pretrained("m")

def encode(row):
{body}

trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=rows.map(encode))
trainer.train()
"""
_ENC = "    enc = tok(row['text'], truncation=True, max_length=64{more})\n"
_PADS = ', padding="max_length"'


def _hf(body: str, more: str = "") -> str:
    return _HF.format(body=_ENC.format(more=more) + body)


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ("    ids = enc['input_ids']\n    return {'input_ids': ids[:-1], 'labels': ids[1:]}", True),
        ("    labels = enc['labels'].clone()\n    labels[:, :-1] = enc['input_ids'][:, 1:]\n"
         "    enc['labels'] = labels\n    return enc", True),
        ("    enc['labels'] = torch.roll(enc['input_ids'], -1, dims=1)\n    return enc", True),
        ("    enc['labels'] = torch.roll(enc['input_ids'], shifts=-1)\n    return enc", True),
        ("    ids = enc['input_ids']\n    return {'input_ids': ids[:-1], 'labels': ids[:-1]}", False),
        ("    enc['labels'] = enc['input_ids'].copy()\n    return enc", False),
        ("    enc['labels'] = torch.roll(enc['input_ids'], 1, dims=1)\n    return enc", False),
        ("    ids = enc['input_ids']\n    return {'input_ids': ids[:-1], 'shift_labels': ids[1:]}", False),
        ("    ids = enc['input_ids']\n    return {'input_ids': ids[:-1], 'next_ids': ids[1:]}", False),
    ],
)  # fmt: skip
def test_labels_that_are_moved_for_a_model_that_moves_them(
    lint_text: Lint, body: str, fires: bool
) -> None:
    assert _told(lint_text(_hf(body), "train.py")) == [SHIFTED] * fires


def test_a_loss_or_a_model_of_ones_own_may_want_them_moved(lint_text: Lint) -> None:
    moved = _hf("    ids = enc['input_ids']\n    return {'input_ids': ids[:-1], 'labels': ids[1:]}")
    assert _told(lint_text(moved, "train.py")) == [SHIFTED]
    for old, new in (
        ("trainer.train()", "loss = F.cross_entropy(model(x).logits, y)"),
        ("Trainer(model=model", "Own(model=model"),
        ("AutoModelForCausalLM, ", ""),  # some other library's
        ("AutoModelForCausalLM.from", "AutoModelForSeq2SeqLM.from"),
    ):
        assert not _told(lint_text(moved.replace(old, new), "train.py"))


_COPY = "    enc['labels'] = {copy}\n    return enc"


@pytest.mark.parametrize(
    ("copy", "more", "fires"),
    [
        ("list(enc['input_ids'])", _PADS, True),
        ("enc['input_ids'].copy()", _PADS, True),
        ("enc.input_ids[0].clone()", _PADS, True),
        ("enc['input_ids'].copy()", "", False),
        ("enc['input_ids'].copy()", ", padding=True", False),  # one text: nothing is added
        (
            "[i if m else -100 for i, m in zip(enc['input_ids'], enc['attention_mask'])]",
            _PADS,
            False,
        ),
        ("enc['input_ids'].masked_fill(enc['attention_mask'] == 0, skip)", _PADS, False),
        ("mask_out(enc['input_ids'])", _PADS, False),
    ],
)
def test_padding_in_the_labels(lint_text: Lint, copy: str, more: str, fires: bool) -> None:
    text = _hf(_COPY.format(copy=copy), more)
    assert _told(lint_text(text, "train.py")) == [PADDED] * fires


def test_labels_by_a_name_and_collators_that_make_them_anew(lint_text: Lint) -> None:
    named = _hf(
        "    ids = enc['input_ids'][0]\n    return {'input_ids': ids, 'labels': ids.clone()}", _PADS
    )
    assert _told(lint_text(named, "train.py")) == [PADDED]
    for old, new in (
        ("rows.map(encode)", "rows, data_collator=DataCollatorForLanguageModeling(tok, mlm=False)"),
        ("Trainer(model", "SFTTrainer(model"),
        ("AutoModelForCausalLM.from", "AutoModelForSequenceClassification.from"),
    ):
        assert not _told(lint_text(named.replace(old, new), "train.py"))


_ROWS = """import torch
import torch.nn.functional as F

class Rows(torch.utils.data.Dataset):
    def __getitem__(self, i):
        chunk = self.data[i * 64 : i * 64 + 65]
        {made}

def step(model, x, y):
    logits = model(x)
    return F.cross_entropy({loss})
"""
_LOSS = "logits.view(-1, logits.size(-1)), y.view(-1)"


@pytest.mark.parametrize(
    ("made", "loss", "fires"),
    [
        ("return chunk[:-1], chunk[:-1]", _LOSS, True),
        ("x = chunk[:-1]\n        y = chunk[:-1].clone()\n        return x, y", _LOSS, True),
        ("return chunk[:-1], chunk[1:]", _LOSS, False),
        ("return chunk, chunk", _LOSS, False),
        (
            "return chunk[:-1], chunk[:-1]",
            "logits[:, :-1].flatten(0, 1), y[:, 1:].flatten()",
            False,
        ),
        ("return chunk[:-1], chunk[:-1]  # mask_token comes later", _LOSS, False),
        ("return chunk[:-1], chunk[:-1]", _LOSS + ")\n    model(x, labels=y", False),
    ],
)
def test_targets_that_are_the_inputs(lint_text: Lint, made: str, loss: str, fires: bool) -> None:
    text = _ROWS.format(made=made, loss=loss)
    assert _told(lint_text(text, "train.py")) == [VISIBLE] * fires


def test_the_loss_may_stand_in_another_file(lint_text: Lint) -> None:
    data, loss = _ROWS.format(made="return chunk[:-1], chunk[:-1]", loss=_LOSS).split("def step")
    trains = "import torch.nn.functional as F\ndef step" + loss
    assert _told(lint_text(data, "data.py", {"train.py": trains})) == [VISIBLE]
    moves = trains.replace("y.view(-1)", "y[:, 1:].view(-1)")
    assert not _told(lint_text(data, "data.py", {"train.py": moves}))


_REWARD = r"""import re
from trl import GRPOConfig, GRPOTrainer
SYSTEM = "@SYSTEM"

def prompts(row):
    return {"prompt": SYSTEM + row["question"], "gold": row["answer"].split("####")[1]}

def reward(completions, gold, **kwargs):
    return [float(bool(re.search(r"@PATTERN", c))) for c in completions]

trainer = GRPOTrainer(model="m", reward_funcs=@REWARDS, args=GRPOConfig("out"), train_dataset=data)
trainer.train()
"""
_ASKS = "Put the final answer in <answer></answer> tags."
_BOXED = r"\\boxed\{(.*?)\}"


@pytest.mark.parametrize(
    ("system", "pattern", "rewards", "fires"),
    [
        (_ASKS, _BOXED, "reward", True),
        (_ASKS, r"#### (\d+)", "[reward]", True),
        (_ASKS, r"<answer>(.*?)</answer>", "reward", False),
        (_ASKS, r"<answer>|\\boxed", "reward", False),
        (_ASKS + r" Use \\boxed{} in them.", _BOXED, "reward", False),
        ("Solve the problem and think.", _BOXED, "reward", False),
        (_ASKS, r"\d+", "reward", False),
        (_ASKS, _BOXED, "[reward, other.reward]", False),
    ],
)
def test_a_reward_for_another_mark_than_the_prompt_asks_for(
    lint_text: Lint, system: str, pattern: str, rewards: str, fires: bool
) -> None:
    text = _REWARD.replace("@SYSTEM", system).replace("@PATTERN", pattern)
    found = lint_text(text.replace("@REWARDS", rewards), "train.py")
    assert _told(found) == [NEVER] * fires


_WINDOWS = """import numpy as np, torch, torch.nn.functional as F
vocab_size = 256
def get_batch(data, T, B):
    ix = rng.integers(0, len(data) - T - 1, B)
    x = torch.from_numpy(np.stack([data[i:i + T] for i in ix]).astype(np.int64))
    y = torch.from_numpy(np.stack([data[{ahead}] for i in ix]).astype(np.int64))
    return x.to(device), y.to(device)
for it in range(300):
    x, y = get_batch(train, 128, 64)
    logits = model(x)
    loss = F.cross_entropy(logits{of}.flatten(0, 1), y{to}.flatten())
    loss.backward()
    opt.step()
    opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("ahead", "of", "to", "more", "fires"),
    [
        ("i:i + T", "", "", "", True),
        ("i + 1:i + 1 + T", "", "", "", False),
        ("i:i + T", "[:, :-1]", "[:, 1:]", "", False),  # the loss moves them
        ("i:i + T", "", "", "# a masked autoencoder\n", False),
        ("i:i + S", "", "", "", False),
    ],
)
def test_a_window_of_tokens_that_is_its_own_target(
    lint_text: Lint, ahead: str, of: str, to: str, more: str, fires: bool
) -> None:
    text = more + _WINDOWS.format(ahead=ahead, of=of, to=to)
    assert _told(lint_text(text, "train.py")) == [VISIBLE] * fires


_PADDED_ROWS = """import torch, torch.nn.functional as F
PAD, IGN = 0, -100
def encode(p, a, n):
    ids, lab = p + a, [IGN] * len(p) + a
    return ids + [PAD] * (n - len(ids)), lab + [{pad}] * (n - len(lab))
for x, y in rows:
    logits = model(x[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), y[:, 1:].flatten(){more})
    loss.backward()
    opt.step()
    opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("pad", "more", "fires"),
    [
        ("PAD", ", ignore_index=IGN", True),
        ("PAD", "", True),
        ("IGN", ", ignore_index=IGN", False),
        ("PAD", ", ignore_index=PAD", False),
        ("PAD", ", ignore_index=cfg.ignore", False),
        ("PAD", ", reduction='none'", False),
    ],
)
def test_labels_padded_with_what_the_loss_counts(
    lint_text: Lint, pad: str, more: str, fires: bool
) -> None:
    assert _told(lint_text(_PADDED_ROWS.format(pad=pad, more=more), "train.py")) == [PADDED] * fires
