"""Files and flags of one launch become one RunConfig with the place of every value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from medic.probes.config.reading import PROBE
from medic.probes.flags.launches import launches_of

from medic.facts import Launches
from medic.probe import Finding, Skip, Unread
from medic.run_config import RunConfig
from medic.syntax import parse

Make = Callable[..., Any]
CHECKS = ["duplicate-config-key", "number-read-as-text"]

TRAIN = """\
model_name_or_path: org/base-7b
per_device_train_batch_size: 8
gradient_accumulation_steps: 2
learning_rate: 1.0e-4
max_steps: 100
warmup_steps: 0.03
deepspeed: ds.json
bf16: true
"""
ENGINE = '{"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto",\n "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}'
LAUNCH = "NPROC=8\ntorchrun --nproc_per_node=$NPROC --nnodes 2 train.py --config train.yaml\n"


def read(look: Make, files: Mapping[str, str], **more: Any) -> tuple[RunConfig, list[Any]]:
    """The RunConfig of the files and of the launches in their scripts, and all else told."""
    commands = [
        launch
        for name, text in files.items()
        if name.endswith(".sh")
        for launch in launches_of(parse(text.encode(), name))
    ]
    facts = [Launches(tuple(commands))] if commands else []
    told = list(PROBE.run(look(files, facts=facts, checks=CHECKS, **more)))
    configs = [item for item in told if isinstance(item, RunConfig)]
    assert len(configs) <= 1
    return (configs or [RunConfig()])[0], [x for x in told if not isinstance(x, RunConfig)]


def test_one_run_config_of_file_engine_and_launch(look: Make) -> None:
    config, _ = read(look, {"train.yaml": TRAIN, "ds.json": ENGINE, "run.sh": LAUNCH})
    assert config.framework == "hf-trainer"
    assert {f.rsplit("/", 1)[-1] for f in config.files} == {"train.yaml", "ds.json"}
    got = {
        name: config.get(name)
        for name in ("micro_batch_size", "world_size", "data_parallel_size", "zero_stage",
                     "global_batch_size", "precision", "warmup_ratio", "warmup_steps")
    }  # fmt: skip
    assert got == {
        "micro_batch_size": 8, "world_size": 16, "data_parallel_size": 16, "zero_stage": 2,
        "global_batch_size": 256, "precision": "bf16", "warmup_ratio": 0.03, "warmup_steps": 3,
    }  # fmt: skip
    sources = {name: value.origin.source for name, value in config.values.items()}
    assert sources["gradient_clip"] == "default"
    assert sources["world_size"] == "derived"
    assert sources["gpus_per_node"] == "file"


def test_every_carrier_keeps_its_place(look: Make) -> None:
    config, _ = read(look, {"train.yaml": TRAIN, "ds.json": ENGINE, "run.sh": LAUNCH})
    value = config.values["micro_batch_size"]
    ((other, origin),) = value.also
    assert (value.origin.key, value.origin.framework) == (
        "per_device_train_batch_size", "hf-trainer",
    )  # fmt: skip
    assert (other, origin.framework, origin.path) == (
        4, "deepspeed", ("train_micro_batch_size_per_gpu",),
    )  # fmt: skip
    assert origin.span is not None
    assert ENGINE[origin.span.start : origin.span.end] == "4"
    launch = config.values["gpus_per_node"].origin
    assert launch.span is not None
    assert (launch.syntax, LAUNCH[launch.span.start : launch.span.end]) == ("shell", "8")


def test_auto_of_the_engine_is_filled_from_the_training(look: Make) -> None:
    config, _ = read(look, {"train.yaml": TRAIN, "ds.json": ENGINE})
    assert config.get("gradient_accumulation_steps") == 2
    assert config.values["gradient_accumulation_steps"].also == ()


def test_flags_rule_over_the_file_and_say_so(look: Make) -> None:
    toml = "[training]\nlocal_batch_size = 1\nseq_len = 4096\nsteps = 10\n"
    launch = "torchrun --nproc-per-node=4 -m torchtitan.train --training.local_batch_size=8\n"
    config, _ = read(look, {"a.toml": toml, "run.sh": launch})
    value = config.values["micro_batch_size"]
    assert (value.value, [(v, o.note) for v, o in value.also]) == (8, [(1, "overridden")])
    assert value.origin.span is not None
    assert launch[value.origin.span.start : value.origin.span.end] == "8"


def test_a_value_given_by_hand_rules(look: Make) -> None:
    config, _ = read(look, {"train.yaml": TRAIN}, given={"micro_batch_size": 1, "world_size": 4})
    assert config.get("micro_batch_size") == 1
    assert config.values["micro_batch_size"].origin.source == "given"
    assert config.get("global_batch_size") == 8


@pytest.mark.parametrize(
    "launch",
    [
        "torchrun --nnodes $NNODES --nproc_per_node 8 train.py --config a.yaml\n",
        "torchrun --nnodes 1:4 --nproc_per_node 8 train.py --config a.yaml\n",
        "python train.py --config a.yaml\n",
        "deepspeed --hostfile hosts --num_gpus 8 train.py --config a.yaml\n",
    ],
)
def test_what_is_not_known_is_not_assumed(look: Make, launch: str) -> None:
    text = "micro_batch_size: 4\nseq_len: 128\n"
    config, _ = read(look, {"a.yaml": text, "run.sh": launch})
    assert config.get("world_size") is None
    assert config.get("data_parallel_size") is None
    assert config.get("gradient_accumulation_steps") is None


def test_a_launcher_that_names_no_nodes_has_one(look: Make) -> None:
    config, _ = read(look, {"a.yaml": "micro_batch_size: 4\n", "run.sh":
                            "torchrun --nproc_per_node 8 train.py\n"})  # fmt: skip
    assert (config.get("nodes"), config.values["nodes"].origin.source) == (1, "default")
    assert config.get("data_parallel_size") == 8


def test_flags_in_groups_and_switches(look: Make) -> None:
    launch = (
        "python -m llm.train --training-batch-size 8 --no-optimization-use-amp "
        "--model-hidden-size=1024 --training-lr 1e-3\n"
    )
    config, _ = read(look, {"run.sh": launch})
    assert [config.get(n) for n in ("micro_batch_size", "use_amp", "hidden_size")] == [
        8, False, 1024,
    ]  # fmt: skip
    assert config.get("learning_rate") == 1e-3


def test_references_to_another_key_lead_to_its_place(look: Make) -> None:
    text = "trainer:\n  batch: 4\ntraining:\n  batch_size: ${trainer.batch}\n  lr: ${nope.x}\n"
    config, _ = read(look, {"a.yaml": text})
    origin = config.values["micro_batch_size"].origin
    assert (origin.path, origin.where().rsplit(":", 1)[-1]) == (("trainer", "batch"), "2")
    assert config.get("learning_rate") is None


def test_two_equal_places_that_differ_leave_a_field_unknown(look: Make) -> None:
    config, _ = read(look, {"a.yaml": "g: {lr: 1.0}\nd: {lr: 2.0}\nseq_len: 8\n"})
    assert config.get("learning_rate") is None
    config, _ = read(look, {"a.yaml": "lr: 1.0\nd: {lr: 2.0}\neval: {seq_len: 9}\nseq_len: 8\n"})
    assert (config.get("learning_rate"), config.get("sequence_length")) == (1.0, 8)


def test_a_file_that_cannot_be_read_is_told_and_the_rest_goes_on(look: Make) -> None:
    config, told = read(look, {"a.yaml": "lr: 1.0e-4\n", "b.yaml": "a: [1\n", "c.json": "{1}"})
    assert config.get("learning_rate") == 1e-4
    unread = [item.file for item in told if isinstance(item, Unread)]
    assert [file.rsplit("/", 1)[-1] for file in unread] == ["b.yaml:1", "c.json:1"]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("fp16: true\n", "fp16"), ("bf16: true\n", "wide-range"), ("precision: '32-true'\n",
     "wide-range"), ("precision: fp8\n", None), ("bf16: auto\n", None)],
)  # fmt: skip
def test_precision_in_use(look: Make, text: str, outcome: str | None) -> None:
    _, told = read(look, {"a.yaml": "lr: 1.0e-4\n" + text})
    found = [f.outcome for f in told if isinstance(f, Finding) and f.name == "precision-in-use"]
    assert found == ([outcome] if outcome else [])


def test_nothing_to_read_tells_nothing(look: Make) -> None:
    assert list(PROBE.run(look({"notes.yaml": "title: x\n"}))) == []


# --- which files belong together --------------------------------------------------------------


def test_of_alternative_files_the_one_that_the_launch_names_is_read(look: Make) -> None:
    small, large = "lr: 1.0e-3\nseq_len: 128\n", "lr: 1.0e-4\nseq_len: 256\n"
    launch = "torchrun --nproc_per_node 8 train.py --config conf/large.yaml\n"
    files = {"conf/small.yaml": small, "conf/large.yaml": large, "run.sh": launch}
    config, told = read(look, files)
    assert config.get("sequence_length") == 256
    assert config.values["sequence_length"].also == ()
    (left,) = [item for item in told if isinstance(item, Unread)]
    assert left.file == "conf/small.yaml"
    assert (
        left.why.en
        == "another configuration (lr 0.001 there, 0.0001 in conf/large.yaml); conf/large.yaml was read"
    )


def test_an_engine_file_counts_only_if_it_is_the_only_one_or_named(look: Make) -> None:
    two = {"a/ds2.json": '{"zero_optimization": {"stage": 2}}',
           "a/ds3.json": '{"zero_optimization": {"stage": 3}}'}  # fmt: skip
    config, _ = read(look, {"train.yaml": "per_device_train_batch_size: 1\n", **two})
    assert config.get("zero_stage") is None
    named = "per_device_train_batch_size: 1\ndeepspeed: conf/ds3.json\n"
    config, _ = read(look, {"train.yaml": named, **two})
    assert config.get("zero_stage") == 3


def test_a_launcher_file_counts_only_for_its_own_launcher(look: Make) -> None:
    accelerate = "compute_environment: X\ndistributed_type: MULTI_GPU\nnum_processes: 2\n"
    files = {"acc.yaml": accelerate, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    config, told = read(look, files)
    assert config.get("world_size") == 8
    left = [(s.file, s.why.en) for s in told if isinstance(s, Unread)]
    assert left == [("acc.yaml", "the launcher in use is torchrun")]
    files["run.sh"] = "accelerate launch --config_file acc.yaml train.py\n"
    config, _ = read(look, files)
    assert config.get("world_size") == 2


def test_parts_of_one_configuration_are_joined(look: Make) -> None:
    config, told = read(look, {"model.yaml": "hidden_size: 64\nnum_layers: 2\n", "train.yaml":
                               "lr: 1.0e-3\nseq_len: 128\n"})  # fmt: skip
    assert (config.get("hidden_size"), config.get("sequence_length")) == (64, 128)
    assert not [item for item in told if isinstance(item, Skip)]


def test_a_models_own_file_only_fills_in(look: Make) -> None:
    model = '{"architectures": ["X"], "model_type": "x", "hidden_size": 32, "vocab_size": 100}'
    config, _ = read(look, {"out/config.json": model, "a.yaml": "lr: 1.0\nhidden_size: 64\n"})
    assert (config.get("hidden_size"), config.values["hidden_size"].also) == (64, ())
    assert config.get("vocab_size") == 100
    assert [f.rsplit("/", 1)[-1] for f in config.model_files] == ["config.json"]


# --- what is wrong with a file itself ---------------------------------------------------------


def fired(told: list[Any], name: str) -> list[tuple[int, dict[str, Any], str]]:
    return [
        (f.source.line, dict(f.value), f.source.text)
        for f in told
        if isinstance(f, Finding) and f.name == name and f.outcome == "fires"
    ]


def test_a_key_given_twice(look: Make) -> None:
    _, told = read(look, {"a.yaml": "training:\n  lr: 1.0e-3\n  wd: 0\n  lr: 2.0e-3\n"})
    assert fired(told, "duplicate-config-key") == [
        (4, {"key": "lr", "first_line": 2}, "  lr: 2.0e-3")
    ]


@pytest.mark.parametrize(
    ("text", "fires"),
    [
        ("training:\n  lr: 3e-4\n", True),
        ("per_device_train_batch_size: 1\nlearning_rate: 3e-4\n", True),
        ("training:\n  lr: 3.0e-4\n  name: '1e-5'\n", False),
        ("base_model: x\nmicro_batch_size: 1\nlearning_rate: 3e-4\n", False),
        ("training:\n  lr: 3e-4\n  out: ${run.name}\n", False),
        ("defaults: [a]\nlr: 3e-4\n", False),
    ],
)
def test_numbers_that_pyyaml_reads_as_text(look: Make, text: str, fires: bool) -> None:
    config, told = read(look, {"a.yaml": text})
    assert bool(fired(told, "number-read-as-text")) == fires
    assert config.get("learning_rate") == pytest.approx(3e-4)


@pytest.mark.parametrize(
    ("text", "clip"),
    [
        ("optim: {lr: 0.003, clip: 1.0}\n", 1.0),
        ("train: {optimizer: {lr: 0.003, clip: 0.5}}\n", 0.5),
        ("optim: {lr: 0.003}\nppo: {clip: 0.2}\n", None),  # of the ratio of two policies
    ],
)
def test_the_clip_of_an_optimizer(look: Make, text: str, clip: float | None) -> None:
    assert read(look, {"a.yaml": text})[0].get("gradient_clip") == clip
