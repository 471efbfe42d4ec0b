"""Steps of ``measure.py`` that a trainer takes: transformers' Trainer or TRL's SFTTrainer, as their
own defaults have it. ``trainer``: hf or trl; ``arguments``: what the user's config states, by the
trainer's names."""

from __future__ import annotations

import copy
from typing import Any

STEPS = 3
COMMON = {"output_dir": "/tmp/measured", "report_to": [], "save_strategy": "no", "logging_steps": 1,
          "max_steps": STEPS, "disable_tqdm": True}  # fmt: skip


def trainer_step(row: dict[str, Any], model: Any) -> Any:
    """The function that takes all steps at its first call."""
    trainer = {"hf": _hf, "trl": _trl, "dpo": _dpo}[row["trainer"]](row, model)
    taken: list[bool] = []

    def step(peaks: Any) -> None:
        if not taken:
            taken.append(True)
            trainer.train()
        peaks.mark("trainer")

    return step


def _texts(row: dict[str, Any]) -> list[list[int]]:
    import torch

    count = row["micro"] * row.get("accum", 1) * STEPS
    return torch.randint(5, row["vocab"], (count, row["seq"])).tolist()


def _hf(row: dict[str, Any], model: Any) -> Any:
    import torch
    import transformers as hf

    texts = [torch.tensor(one) for one in _texts(row)]
    data = [{"input_ids": one, "labels": one} for one in texts]
    arguments = hf.TrainingArguments(**COMMON, **row["arguments"])
    return hf.Trainer(model=model, args=arguments, train_dataset=data)


def _tokenizer(row: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = {"<pad>": 0, "<eos>": 1, **{f"w{n}": n for n in range(2, row["vocab"])}}
    words = Tokenizer(models.WordLevel(known, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<pad>"
    )


def _dpo(row: dict[str, Any], model: Any) -> Any:
    """Pairs of whole length: a prompt of an eighth, two answers of the rest."""
    import trl
    from datasets import Dataset

    asked = row["seq"] // 8
    words = [[f"w{n}" for n in text] for text in _texts(row)]
    pairs = [
        {
            "prompt": " ".join(one[:asked]),
            "chosen": " " + " ".join(one[asked:]),
            "rejected": " " + " ".join(reversed(one[asked:])),
        }
        for one in words
    ]
    arguments = trl.DPOConfig(**COMMON, max_length=row["seq"], **row["arguments"])
    # One given by name is loaded once more as the reference; one with adapters is its own.
    frozen = None if row.get("lora") else copy.deepcopy(model)
    return trl.DPOTrainer(
        model=model,
        ref_model=frozen,
        args=arguments,
        train_dataset=Dataset.from_list(pairs),
        processing_class=_tokenizer(row),
    )


def _trl(row: dict[str, Any], model: Any) -> Any:
    import trl
    from datasets import Dataset

    data = Dataset.from_dict({"input_ids": _texts(row)})
    arguments = trl.SFTConfig(**COMMON, max_length=row["seq"], **row["arguments"])
    return trl.SFTTrainer(
        model=model, args=arguments, train_dataset=data, processing_class=_tokenizer(row)
    )
