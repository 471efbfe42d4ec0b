"""Whether what a run is to go on from is a checkpoint of the kind that its framework reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medic.i18n import Text
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .config.checks.models import HF_TRAINERS
from .config.saved_names import last_checkpoint, names_in

_STATE = "trainer_state.json"
_NAMED = regex(
    r"(?:^|/)(?:(?:checkpoint|step|iter|epoch)[-_=]?\d+|[\w.=-]+\.(?:pt|pth|ckpt|bin|tar|safetensors))/?$"
)
# Megatron-LM checkpointing.py _load_base_checkpoint: without a tracker file it says so, and starts
# from random weights; GPT-NeoX checkpointing.py load_checkpoint and slime, which hands it to Megatron, too.
_GO_ON = frozenset(("megatron", "gpt-neox", "slime", "megatron-swift"))
_EMPTY = Text("is an empty file", "是空文件")
_FILE = Text(
    "is a file; the trainer resumes from a folder (checkpoint-500)",
    "是一个文件；trainer 只能从文件夹（checkpoint-500）恢复",
)
_SEVERAL = Text(
    "holds checkpoints and is none itself; the last one is {name}",
    "里面是若干检查点，本身不是检查点；最后一个是 {name}",
)
_WEIGHTS = Text(
    "has no trainer_state.json: the weights are loaded and the run starts again at step 0",
    "没有 trainer_state.json：只会加载权重，训练从第 0 步重新开始",
)

_FIRST_RUN = Text(
    "it is where the run saves: the first run starts without a checkpoint",
    "它就是本次训练的保存目录：首次运行从头开始，没有检查点可读",
)
_RANDOM = Text(
    "the run does not stop, and starts from random weights", "训练不会报错，而是从随机权重开始"
)


def where_absent(path: str, config: RunConfig) -> tuple[Text | None, bool]:
    """(what happens where the checkpoint is not there, None if the run stops; whether that is as it
    should be: Megatron's scripts name the folder that they save to)."""
    if not _GO_ON.intersection((config.framework, *config.frameworks)):
        return None, False
    stops = config.setting("exit_on_missing_checkpoint")
    if stops is not None and stops.value is not False:
        return None, False
    saved = config.get("output_dir")
    own = isinstance(saved, str) and saved.rstrip("/") == path.rstrip("/")
    return (_FIRST_RUN, True) if own else (_RANDOM, False)


def names_one(path: str) -> bool:
    """Whether a relative path can only be a checkpoint: by its ending, or the step in its name."""
    return _NAMED.search(path) is not None


def unfit(path: str, frameworks: Sequence[str]) -> Text | None:
    """What is wrong with a checkpoint that is there; None where nothing is, or it is not there."""
    full = Path(path).expanduser()
    try:
        if full.is_file():
            if full.stat().st_size == 0:
                return _EMPTY
            return _FILE if HF_TRAINERS.intersection(frameworks) else None
        if not full.is_dir() or not HF_TRAINERS.intersection(frameworks):
            return None
        if (full / _STATE).exists():
            return None
        return _in_folder(full)
    except OSError:
        return None


def _in_folder(folder: Path) -> Text | None:
    if last := last_checkpoint(names_in(folder)):
        return _SEVERAL.fill(name=last)
    return _WEIGHTS
