"""How sure it is that a script of its own parses with a framework's parser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Protocol

from medic.facts import Word
from medic.records import dataclass
from medic.text.patterns import regex

from .key_names import normal
from .match import boolean

PROOF, PROOF_FOREIGN = 2, 3
_MANY, _VERY_MANY = 10, 15  # flags that only Megatron-LM has together
_SHARE = 0.75
# Flags that hardly anything but TrainingArguments has: so many of them, and the script parses
# with it. Another framework's name takes more of them than a slip of the fingers.
_TRAINERS_OWN = frozenset(
    """
    save_strategy evaluation_strategy eval_strategy save_total_limit report_to logging_strategy
    load_best_model_at_end ddp_find_unused_parameters remove_unused_columns group_by_length
    dataloader_num_workers ddp_timeout tf32 save_only_model logging_first_step logging_steps
    save_steps eval_steps do_eval do_predict per_device_eval_batch_size overwrite_output_dir
    fsdp_transformer_layer_cls_to_wrap dataloader_persistent_workers metric_for_best_model
    eval_accumulation_steps label_smoothing_factor ddp_backend bf16_full_eval
    """.split()  # noqa: SIM905
)
# Of these the names that programs with a loop of their own have as well: they alone do not show it.
_SHARED = frozenset(
    ("save_steps", "eval_steps", "logging_steps", "do_eval", "do_predict", "tf32", "report_to")
)
_BATCHES = frozenset(("per_device_train_batch_size", "per_device_eval_batch_size"))
# HfArgumentParser takes a word behind a switch; the switches of argparse refuse one.
SWITCHES = frozenset(
    """
    bf16 fp16 tf32 gradient_checkpointing do_train do_eval do_predict overwrite_output_dir
    load_best_model_at_end group_by_length push_to_hub overwrite_cache logging_first_step
    predict_with_generate ddp_find_unused_parameters remove_unused_columns use_flash_attn
    with_tracking use_slow_tokenizer
    """.split()  # noqa: SIM905
)
# Scripts that loop over their data themselves and have names of their own for it.
_LOOPS = frozenset(
    """
    num_warmup_steps max_train_steps checkpointing_steps with_tracking train_batch_size
    lr_warmup_steps zero_stage data_split data_output_path offload use_ema mixed_precision
    adam_weight_decay pretrained_model_name_or_path resolution use_lora deepspeed_config
    """.split()  # noqa: SIM905
)
# The same beside those: TrainingArguments' scripts have them, too.
_ALSO_LOOPS = frozenset(("use_flash_attn", "preprocessing_num_workers", "use_slow_tokenizer"))
# Scripts of transformers, TRL and their kin that parse TrainingArguments.
_TRAINERS_SCRIPT = regex(
    r"^(?:run_(?:clm|mlm|plm|fim|glue|xnli|swag|qa|qa_beam_search|seq2seq_qa|summarization|"
    r"translation|ner|mim|audio_classification|speech_recognition_ctc|clip|multiple_choice|"
    r"image_classification|classification)|train_mem|train_xformers|train_lora|train_flant5|"
    r"sft_trainer|sft_video_llm|grpo_vlm)\.py$"
)


class Table(Protocol):
    """What is known of a program's flags; see ``flag_tables.Table``."""

    @property
    def closed(self) -> bool: ...
    @property
    def dashes(self) -> bool: ...
    @property
    def loops(self) -> bool: ...
    def knows(self, name: str) -> bool: ...


@dataclass(frozen=True)
class Given:
    """A flag of a command: its name as written, its place, and the word behind it."""

    name: str
    word: Word
    value: str | None = None  # known only where it is glued on, or one plain word
    variable: str = ""  # whose value it has: --caption_column $CAPTION_COLUMN
    alone: bool = False  # another flag follows, or nothing
    glued: bool = False


def told_by_many(names: Sequence[str], known: frozenset[str]) -> bool:
    """Whether nearly all of many flags, written with dashes, are a framework's."""
    several = [name for name in names if "-" in name]
    count = sum(normal(name) in known for name in several)
    return count >= _MANY and count >= _SHARE * len(several)


def proof_of(flags: Sequence[Given], table: Table, script: str) -> int:
    """From 0 to a few: at ``PROOF`` a slip is one of the framework's names, at ``PROOF_FOREIGN``
    another framework's name is wrong.
    """
    if table.closed:
        return PROOF_FOREIGN
    used = {normal(one.name) for one in flags}
    if table.dashes:
        count = sum(table.knows(name) for name in used)
        return PROOF_FOREIGN if count >= _VERY_MANY else PROOF if count >= _MANY else 0
    if table.loops:
        known = sum(table.knows(name) for name in used)
        marks = len(used & (_LOOPS | _ALSO_LOOPS))
        return marks + 1 if marks >= PROOF and known >= _MANY else min(marks, PROOF)
    return proof_of_trainer(flags, script)


def proof_of_trainer(flags: Sequence[Given], script: str) -> int:
    """The same of TrainingArguments, whatever else is known of the program."""
    used = {normal(one.name) for one in flags}
    own = len(used & _TRAINERS_OWN)
    told = sum(_says_trainer(one) for one in flags) + _writes_switches(flags)
    named = PROOF if _TRAINERS_SCRIPT.match(PurePosixPath(script).name) else 0
    against = len(used & _LOOPS) if own + named < PROOF_FOREIGN else 0
    found = max(own + told + named - against, 0)
    shown = named or used & (_BATCHES | _TRAINERS_OWN - _SHARED)
    return found if shown else min(found, PROOF)


def told_whole(table: Table, proof: int) -> bool:
    """Whether the program has the framework's flags: by its name, or by very many of them."""
    return table.closed or (table.dashes and proof >= PROOF_FOREIGN)


def _writes_switches(flags: Sequence[Given]) -> bool:
    """Whether several switches of the script's own have a word, as HfArgumentParser takes it, beside
    its batch of a device."""
    words = sum(one.value in ("True", "False") for one in flags if normal(one.name) not in SWITCHES)
    batch = any(normal(one.name) == "per_device_train_batch_size" for one in flags)
    return batch and words >= PROOF


def _says_trainer(one: Given) -> bool:
    """Whether a flag has a value as only HfArgumentParser takes it: a switch, a file."""
    name, value = normal(one.name), one.value or ""
    if name == "deepspeed":
        return value.endswith(".json")
    if name == "fsdp":
        return "_shard" in value
    return name in SWITCHES - _TRAINERS_OWN and boolean(value) is not None and value[:1].isalpha()
