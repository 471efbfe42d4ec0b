"""Keys of a Lightning trainer's block that its Trainer does not take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import Node, Renamed, Repair
from medic.i18n import Text
from medic.run_config import Syntax

from .key_names import nearest_name, normal

# lightning pytorch/trainer/trainer.py Trainer.__init__; what older releases took is told by rules.
TRAINER = tuple(
    """
    accelerator strategy devices num_nodes precision logger callbacks fast_dev_run max_epochs
    min_epochs max_steps min_steps max_time limit_train_batches limit_val_batches limit_test_batches
    limit_predict_batches overfit_batches val_check_interval check_val_every_n_epoch
    num_sanity_val_steps log_every_n_steps enable_checkpointing enable_progress_bar
    enable_model_summary accumulate_grad_batches gradient_clip_val gradient_clip_algorithm
    deterministic benchmark inference_mode use_distributed_sampler profiler detect_anomaly barebones
    plugins sync_batchnorm reload_dataloaders_every_n_epochs default_root_dir model_registry
    """.split()  # noqa: SIM905
)
# lightning pytorch/callbacks/model_checkpoint.py ModelCheckpoint.__init__
_CHECKPOINT = tuple(
    """
    dirpath filename monitor verbose save_last save_top_k save_weights_only mode
    auto_insert_metric_name every_n_train_steps train_time_interval every_n_epochs
    save_on_train_epoch_end enable_version_counter save_on_exception
    """.split()  # noqa: SIM905
)
# What other trainers call it.
_ELSEWHERE: Mapping[str, str] = {
    "gradient_accumulation_steps": "accumulate_grad_batches",
    "grad_accum_steps": "accumulate_grad_batches",
    "accumulate_gradient_batches": "accumulate_grad_batches",
    "accumulation_steps": "accumulate_grad_batches",
    "max_grad_norm": "gradient_clip_val",
    "gradient_clipping": "gradient_clip_val",
    "num_train_epochs": "max_epochs",
    "logging_steps": "log_every_n_steps",
}
_CALLBACK = "ModelCheckpoint"
_NEAR = Text("the only name that is near", "唯一相近的键名")
_NO_KEY = Text("{what} has no {key}; {meant} is meant", "{what} 没有 {key}，应为 {meant}")


def trainer_slips(root: Node, syntax: Syntax) -> Iterator[tuple[Node, Text, Repair | None]]:
    """(key, what is wrong, the name that is meant) of the block ``trainer`` at the top, and of a
    ModelCheckpoint among its callbacks."""
    for key, meant, what in _found(root):
        step = Renamed(key.span, syntax, normal(str(key.value)), meant)
        yield key, what, Repair((step,), safe=False, why=_NEAR)


def _found(root: Node) -> Iterator[tuple[Node, str, Text]]:
    for trainer in _below(root, "trainer"):
        yield from _slips(trainer, TRAINER, "Trainer", _ELSEWHERE)
        for callbacks in _below(trainer, "callbacks"):
            for one in (callbacks, *callbacks.elements):
                if any(_is_checkpoint(key, value) for key, value in one.items):
                    arguments = next(_below(one, "init_args"), one)
                    yield from _slips(arguments, _CHECKPOINT, _CALLBACK, {})


def _slips(
    block: Node, known: tuple[str, ...], what: str, elsewhere: Mapping[str, str]
) -> Iterator[tuple[Node, str, Text]]:
    given = {normal(str(key.value)) for key, _ in block.items}
    free = [name for name in known if name not in given]
    for key, _ in block.items:
        name = normal(str(key.value))
        if name in known:
            continue
        meant = elsewhere.get(name) or nearest_name(name, free)
        if meant in free:
            yield key, meant, _NO_KEY.fill(what=what, key=str(key.value), meant=meant)


def _is_checkpoint(key: Node, value: Node) -> bool:
    named = key.value in ("class_path", "_target_")
    return named and str(value.value).rpartition(".")[2] == _CALLBACK


def _below(node: Node, name: str) -> Iterator[Node]:
    yield from (value for key, value in node.items if key.value == name)
