"""Steps of ``measure.py`` that a trainer takes: transformers' Trainer or TRL's SFTTrainer, as their
own defaults have it. ``trainer``: hf or trl; ``arguments``: what the user's config states, by the
trainer's names."""

from __future__ import annotations

from typing import Any

STEPS = 3
COMMON = {"output_dir": "/tmp/measured", "report_to": [], "save_strategy": "no", "logging_steps": 1,
          "max_steps": STEPS, "disable_tqdm": True}  # fmt: skip


def trainer_step(row: dict[str, Any], model: Any) -> Any:
    """The function that takes all steps at its first call."""
    trainer = _hf(row, model) if row["trainer"] == "hf" else _trl(row, model)
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


def _trl(row: dict[str, Any], model: Any) -> Any:
    import trl
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"<pad>": 0, "<eos>": 1}, unk_token="<pad>"))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<pad>"
    )
    data = Dataset.from_dict({"input_ids": _texts(row)})
    arguments = trl.SFTConfig(**COMMON, max_length=row["seq"], **row["arguments"])
    return trl.SFTTrainer(
        model=model, args=arguments, train_dataset=data, processing_class=tokenizer
    )
