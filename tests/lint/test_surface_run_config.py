"""``medic lint --show-run-config``: values with their origin, and what follows from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.figures import Figure, figures
from medic.lint.files import lint
from medic.report.schemas import SCHEMAS
from medic.run_config import Origin, RunConfig, Value

INDEX = load()
LAUNCH = """#!/bin/bash
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \\
  --micro-batch-size 4 --global-batch-size 128 --seq-length 4096 --train-iters 1000 \\
  --num-layers 2 --hidden-size 64 --save ckpt --save-interval 300 --lr 1e-4
"""
pytestmark = pytest.mark.usefixtures("state")


def config(**values: Any) -> RunConfig:
    return RunConfig(
        {k: Value(v, Origin("given", note=f"--set {k}={v}")) for k, v in values.items()}
    )


def numbers(one: RunConfig) -> dict[str, Figure]:
    return {f.name: f for f in figures(one)}


def test_the_figures_of_a_launch(tmp_path: Path) -> None:
    file = tmp_path / "launch.sh"
    file.write_text(LAUNCH)
    found = numbers(lint(collect([str(file)]), INDEX).run_config)
    assert found["sequences_per_step"].value == 128
    assert found["tokens_per_step"].value == 128 * 4096
    assert found["total_steps"].value == 1000
    assert found["total_tokens"].value == 1000 * 128 * 4096
    assert found["checkpoints"].value == 3
    assert found["steps_per_epoch"].value is None
    assert "dataset_sequences" in found["steps_per_epoch"].needs


def test_each_factor_is_shown() -> None:
    found = numbers(
        config(
            micro_batch_size=4,
            gradient_accumulation_steps=2,
            data_parallel_size=16,
            sequence_length=2048,
        )
    )
    how = found["tokens_per_step"].how
    assert how == (
        "4 (micro_batch_size) × 2 (gradient_accumulation_steps) × 16 (data_parallel_size)"
        " × 2,048 (sequence_length)"
    )
    assert found["tokens_per_step"].value == 4 * 2 * 16 * 2048
    assert found["total_steps"].needs == ("total_tokens",)


def test_what_is_missing_is_named() -> None:
    found = numbers(config(micro_batch_size=4, sequence_length=2048, total_steps=10))
    assert found["tokens_per_step"].value is None
    assert found["tokens_per_step"].needs == ("gradient_accumulation_steps", "data_parallel_size")
    assert found["total_tokens"].needs == ("gradient_accumulation_steps", "data_parallel_size")
    assert numbers(config())["sequences_per_step"].needs[0] == "micro_batch_size"


def test_steps_of_an_epoch_and_warmup() -> None:
    found = numbers(config(total_steps=900, epochs=3.0, warmup_steps=45))
    assert found["steps_per_epoch"].value == 300
    assert found["warmup_share"].value == pytest.approx(0.05)
    assert numbers(config(warmup_ratio=0.1))["warmup_share"].value == pytest.approx(0.1)


def test_a_stated_batch_in_tokens_rules() -> None:
    found = numbers(config(global_batch_tokens=4_194_304, total_steps=2))
    assert found["tokens_per_step"].value == 4_194_304
    assert found["total_tokens"].value == 8_388_608


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    file = tmp_path / "launch.sh"
    file.write_text(LAUNCH)

    def call(*words: str) -> tuple[int, str, str]:
        code = main(["lint", str(file), "--show-run-config", *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_text_names_every_origin(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--lang", "en", "--set", "precision=bf16")
    lines = {
        line.split()[0]: line for line in out.splitlines() if line.startswith("  ") and line.split()
    }
    assert code == 0
    assert f"{tmp_path}/launch.sh:3" in lines["micro_batch_size"]
    assert "launch.sh:3 (--micro-batch-size)" in " ".join(out.split())
    assert "default of megatron" in lines["tensor_parallel_size"]
    assert "derived: nodes × gpus_per_node" in lines["world_size"]
    assert "given: --set precision=bf16" in lines["precision"]
    assert "tokens per optimizer step (GB_tok): 524,288 = " in out
    assert "not known: needs the number of sequences in the data set" in " ".join(out.split())


def test_chinese(run: Run) -> None:
    _, out, _ = run("--lang", "zh")
    assert "每个优化器步的 token 数（GB_tok）：524,288" in out
    assert "megatron 的默认值" in out


def test_json_is_a_contract(run: Run) -> None:
    code, out, _ = run("--json")
    data = json.loads(out)
    jsonschema.validate(data, SCHEMAS["run-config"])
    assert code == 0
    micro = data["values"]["micro_batch_size"]
    assert (micro["value"], micro["source"], micro["line"]) == (4, "file", 3)
    assert (micro["key"], micro["unit"]) == ("--micro-batch-size", "sequences")
    assert data["values"]["tensor_parallel_size"]["source"] == "default"
    assert data["values"]["world_size"]["note"] == "nodes × gpus_per_node"
    tokens = next(f for f in data["figures"] if f["name"] == "tokens_per_step")
    assert tokens["value"] == 524288


def test_more_configs_than_one_launch_has_are_shown_one_by_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(9):
        (tmp_path / f"c{i}.yaml").write_text(f"per_device_train_batch_size: {i + 1}\n")
    files = [str(tmp_path / f"c{i}.yaml") for i in range(9)]
    assert main(["lint", *files, "--show-run-config", "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Run config: hf-trainer") == 9
    assert all(file in shown for file in files)
    assert main(["lint", *files, "--show-run-config", "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)
    assert [part["values"]["micro_batch_size"]["value"] for part in parts] == [*range(1, 10)]
    for part in parts:
        jsonschema.validate(part, SCHEMAS["run-config"])


def test_other_forms_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.yaml").write_text("learning_rate: 1.0e-4\n")
    command = ["lint", str(tmp_path / "c.yaml"), "--show-run-config", "--format", "sarif"]
    assert main(command) == 2
    capsys.readouterr()


def test_the_size_of_the_data_set_gives_the_steps(tmp_path: Path) -> None:
    found = numbers(
        config(
            micro_batch_size=4,
            gradient_accumulation_steps=2,
            data_parallel_size=2,
            epochs=3,
            dataset_sequences=1000,
        )
    )
    assert found["steps_per_epoch"].value == 62.5
    assert found["total_steps"].value == 188


def test_what_the_run_printed_fills_what_the_files_do_not_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "args.yaml").write_text("per_device_train_batch_size: 4\noutput_dir: out\n")
    (tmp_path / "run.log").write_text(
        "***** Running training *****\n  Num examples = 6,400\n"
        "  Instantaneous batch size per device = 4\n"
        "  Total train batch size (w. parallel, distributed & accumulation) = 64\n"
    )
    files = [str(tmp_path / "args.yaml"), str(tmp_path / "run.log")]
    main(["lint", *files, "--show-run-config", "--lang", "en"])
    shown = capsys.readouterr().out
    assert "printed by the run" in shown
    assert "steps per epoch: 100 = 6,400 (dataset_sequences) / 64" in " ".join(shown.split())


def test_another_place_that_differs_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "args.yaml").write_text(
        "per_device_train_batch_size: 4\ngradient_accumulation_steps: 2\nlearning_rate: 1.0e-4\n"
        "deepspeed: ds.json\noutput_dir: out\n"
    )
    (tmp_path / "ds.json").write_text(
        '{"train_micro_batch_size_per_gpu": 8, "zero_optimization": {"stage": 2}}\n'
    )
    main(
        [
            "lint",
            str(tmp_path / "args.yaml"),
            str(tmp_path / "ds.json"),
            "--show-run-config",
            "--lang",
            "en",
        ]
    )
    assert f"; but 8 at {tmp_path}/ds.json:1" in " ".join(capsys.readouterr().out.split())


def test_a_warmup_stated_as_a_share_has_no_default_number_of_steps(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(
        '[job]\ndump_folder = "./out"\n[lr_scheduler]\nwarmup_steps = 0.1\n'
        "[training]\nlocal_batch_size = 1\nseq_len = 8192\nsteps = 1000\n",
        "utf-8",
    )
    config = lint(collect([str(path)]), INDEX).run_config
    assert "torchtitan" in config.frameworks
    assert config.get("warmup_steps") == 100
    origin = config.origin("warmup_steps")
    assert origin is not None
    assert origin.source == "derived"
