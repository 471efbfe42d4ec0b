"""Whether validation reads what training reads."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.config.checks.validation_overlaps_training import check

from medic.probe import Fires, NotChecked, Passes
from medic.run_config import Origin, RunConfig, Scalar, Setting, Span


def data_of(**settings: Scalar) -> RunConfig:
    origin = Origin("file", Span("a.yaml", 0, 1, 1, 1, 1, 1))
    made = [Setting(tuple(n.split("__")), v, origin) for n, v in settings.items()]
    return RunConfig(settings=tuple(made))


SHARDS = {"train_loader__dataset__local": "/d/shards", "eval_loader__dataset__local": "/d/shards"}


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({"data__train": "d/t.jsonl", "data__validation": "d/t.jsonl"}, Fires),
        ({"train_file": "./d/t.jsonl", "validation_file": "d/t.jsonl"}, Fires),
        ({"train_data_path": "/d/all/", "valid_data_path": "/d/all"}, Fires),
        ({"data__train": "d/t.jsonl", "data__validation": "d/v.jsonl"}, Passes),
        # One name for all splits of a set, a variable, and settings that are no data.
        ({"train_dataset": "wikitext", "eval_dataset": "wikitext"}, NotChecked),
        ({"train_file": "$DATA/x.jsonl", "eval_file": "$DATA/x.jsonl"}, NotChecked),
        ({"train_script": "a/b.py", "eval_batch_size": 4}, NotChecked),
        ({"train_dataset": "owner/name", "eval_dataset": "owner/name"}, NotChecked),
        ({"train_data": "/d/{split}.jsonl", "eval_data": "/d/{split}.jsonl"}, NotChecked),
        ({"train_data_path": "/path/to/data", "valid_data_path": "/path/to/data"}, NotChecked),
        ({"train_log_dir": "out/a", "eval_log_dir": "out/a"}, NotChecked),
        ({"train_data_dir": "/d/all", "eval_data_dir": "/d/all"}, NotChecked),
        ({"train_script_path": "src/run.py", "test_script_path": "src/run.py"}, NotChecked),
        ({"train_data_cache": "/c/x", "valid_data_cache": "/c/x"}, NotChecked),
        ({"train_output": "out/r.json", "test_output": "out/r.json"}, NotChecked),
        ({"train_model_file": "m/a.txt", "test_model_file": "m/a.txt"}, NotChecked),
        # One place, of which each side takes a part.
        ({"dataset__train_path": "d/a.json", "dataset__val_path": "d/a.json",
          "dataset__meta_processor": "MyMeta"}, NotChecked),
        ({"dataset__train_path": "d/a.json", "dataset__val_path": "d/a.json",
          "dataset__reader___target_": "mine.data.SplitReader"}, NotChecked),
        # What stands beside them and reads no file.
        ({"train_file": "d/a.json", "validation_file": "d/a.json",
          "image_processor": "Qwen/Qwen2-VL-7B"}, Fires),
        ({"train_file": "d/a.json", "validation_file": "d/a.json",
          "image_processor": "Qwen2VLImageProcessor"}, Fires),
        ({"train_file": "d/a.json", "validation_file": "d/a.json", "processor": "fast"}, Fires),
        ({"train_file": "d/a.json", "validation_file": "d/a.json",
          "eval__reader": "MyReader"}, Fires),
        ({**SHARDS, "train_loader__dataset__split": "train",
          "eval_loader__dataset__split": "val"}, NotChecked),
        ({**SHARDS, "eval_loader__dataset__subset_name": "b"}, NotChecked),
        ({**SHARDS, "train_loader__name": "text", "eval_loader__name": "text"}, Fires),
        ({"train_data_path": "/d/all/x", "train_split": "train[:90%]",
          "eval_data_path": "/d/all/x", "eval_split": "train[90%:]"}, NotChecked),
        ({"data__train": "d/t.jsonl", "data__validation": "d/t.jsonl",
          "data__split": 0.9}, NotChecked),
    ],
)  # fmt: skip
def test_one_file_for_training_and_validation(settings: Any, outcome: type[Any]) -> None:
    assert isinstance(check(data_of(**settings)), outcome)
