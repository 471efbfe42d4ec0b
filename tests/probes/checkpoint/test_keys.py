"""Checkpoint against model: after a failed load, file against file, and against the config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import index, keys, saved_states

from medic.facts import Launch, Launches, LogHits, Source, StateDictError, StepLine, Word
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Span, Value

FAILED = LogHits(ended="badly", last_time=1.0)
LINE = Source("train.log", 11)


def tensors(
    files: Any, layers: int = 2, rows: int = 512, width: int = 4, prefix: str = ""
) -> dict[str, Any]:
    model = {"embed.weight": files.T((rows, width)), "norm.weight": files.T((width,))}
    for n in range(layers):
        for part in ("qkv", "proj", "up", "down"):
            model[f"blocks.{n}.{part}.weight"] = files.T((width, width))
    return {prefix + name: t for name, t in model.items()}


def run(look: Any, probe: Any = keys) -> Finding | Skip:
    for fact in index.PROBE.run(look):
        if not isinstance(fact, (Finding, Skip)):
            look.add(fact)
    (item,) = probe.PROBE.run(look)
    assert isinstance(item, (Finding, Skip))
    return item


def error(
    missing: Any = (), unexpected: Any = (), mismatched: Any = (), truncated: bool = False
) -> StateDictError:
    return StateDictError(tuple(missing), tuple(unexpected), tuple(mismatched), LINE, truncated)


def test_a_prefix_with_the_checkpoint_at_hand(files: Any, make_look: Any) -> None:
    ours = tensors(files, prefix="module.")
    path = files.zip("step20.pt", {"step": 20, "model": ours})
    failure = error(tensors(files), ours)
    found = run(make_look(path, logs=FAILED, facts=[failure], resume_from="/x/step20.pt"))
    assert isinstance(found, Finding)
    assert found.outcome == "prefix-only"
    assert found.source == LINE
    assert found.more == (Source(file="step20.pt"),)
    assert (found.value["matched"], found.value["total"]) == (10, 10)
    assert (
        found.value["snippet"] == 'state = {k.removeprefix("module."): v for k, v in state.items()}'
    )


def test_agreeing_names_count_as_matched(files: Any, make_look: Any) -> None:
    path = files.zip("a.pt", tensors(files, layers=2))
    extra = [n for n in tensors(files, layers=3) if ".2." in n]
    found = run(make_look(path, logs=FAILED, facts=[error(missing=extra)]))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["layers"]) == ("layers-missing", "2")
    assert (found.value["matched"], found.value["total"]) == (10, 14)


def test_one_shard_of_several_is_no_other_model(files: Any, make_look: Any) -> None:
    """More layers in a configuration add layers, and nothing beside them."""
    whole = tensors(files, layers=4)
    lacks = [n for n in whole if n == "norm.weight" or ".2." in n or ".3." in n]
    found = run(make_look(logs=FAILED, facts=[error(missing=lacks)]))
    assert isinstance(found, Finding)
    assert found.outcome == "part-loaded"
    layers = [n for n in lacks if n != "norm.weight"]
    found = run(make_look(logs=FAILED, facts=[error(missing=layers)]))
    assert isinstance(found, Finding)
    assert found.outcome == "layers-missing"
    # The shard's load lacked what the checkpoint beside it has.
    path = files.zip("all.pt", whole)
    found = run(make_look(path, logs=FAILED, facts=[error(missing=layers)]))
    assert isinstance(found, Finding)
    assert found.outcome == "part-loaded"


def test_rows_that_differ(files: Any, make_look: Any) -> None:
    path = files.zip("a.pt", tensors(files))
    failure = error(mismatched=[("embed.weight", (512, 4), (640, 4))])
    found = run(make_look(path, logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert found.outcome == "vocabulary-changed"
    assert (found.value["checkpoint_shape"], found.value["model_shape"]) == ("[512, 4]", "[640, 4]")


def test_the_lists_alone(make_look: Any, files: Any) -> None:
    failure = error(tensors(files), tensors(files, prefix="_orig_mod."))
    found = run(make_look(logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["prefix"]) == ("prefix-only", "_orig_mod.")
    assert found.value["file"] == ""


def test_cut_lists(make_look: Any, files: Any) -> None:
    failure = error(
        list(tensors(files, 9))[:12], list(tensors(files, 9, prefix="module."))[:7], truncated=True
    )
    found = run(make_look(logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert found.outcome == "prefix-only"


@pytest.mark.parametrize(
    ("failure", "snippet"),
    [
        (error(unexpected=["module.features.conv0.weight"]), 'k.removeprefix("module.")'),
        (error(missing=["module.a.weight", "module.b.weight"]), '"module." + k'),
    ],
)
def test_one_list_with_a_wrappers_start(
    make_look: Any, failure: StateDictError, snippet: str
) -> None:
    found = run(make_look(logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert found.outcome == "prefix-only"
    assert snippet in found.value["snippet"]


def test_lists_of_another_model(make_look: Any) -> None:
    failure = error(
        [f"h.{n}.attn.c_attn.weight" for n in range(9)], [f"encoder.{n}.q.weight" for n in range(9)]
    )
    found = run(make_look(logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert found.outcome == "different-model"


def test_a_checkpoint_of_another_load_is_not_used(files: Any, make_look: Any) -> None:
    path = files.zip("other.pt", {"q": files.T((2,))})
    failure = error(tensors(files), tensors(files, prefix="module."))
    found = run(make_look(path, logs=FAILED, facts=[failure]))
    assert isinstance(found, Finding)
    assert (found.outcome, found.more) == ("prefix-only", ())


def test_two_files(files: Any, make_look: Any) -> None:
    paths = (files.zip("a.pt", tensors(files, 2)), files.zip("b.pt", {"model": tensors(files, 3)}))
    found = run(make_look(*paths))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["layers"], found.value["other"]) == (
        "layers-missing",
        "2",
        "b.pt",
    )


def test_two_checkpoints_of_a_run_are_not_compared(files: Any, make_look: Any) -> None:
    paths = (files.zip("step1.pt", tensors(files, 2)), files.zip("ema.pt", tensors(files, 3)))
    assert isinstance(run(make_look(*paths, logs=FAILED)), Skip)


def test_parts_of_ranks_are_not_compared(files: Any, make_look: Any) -> None:
    paths = [files.zip(f"mp_rank_0{n}/model.pt", tensors(files, n + 1)) for n in range(2)]
    look = make_look(*paths)
    look._files = [type(f)(f.path, f.path, f.kind) for f in look._files]
    assert isinstance(run(look), Skip)


# --- against the config ---------------------------------------------------------------------


def config(resume: str = "a.pt", **fields: Any) -> RunConfig:
    span = Span("config.yaml", 0, 1, 3, 1, 3, 2)
    values = {k: Value(v, Origin("file", span)) for k, v in fields.items()}
    return RunConfig({**values, "resume_from": Value(resume, Origin("file"))})


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"num_layers": 4}, "layers-missing"),
        ({"num_layers": 2, "vocab_size": 50000}, "vocabulary-changed"),
        ({"num_layers": 2, "vocab_size": 100, "hidden_size": 8}, "shapes-differ"),
    ],
)
def test_a_config_of_another_model(files: Any, make_look: Any, fields: Any, outcome: str) -> None:
    path = files.zip("a.pt", tensors(files, 2))
    found = run(make_look(path, logs=FAILED, facts=[config(**fields)]))
    assert isinstance(found, Finding)
    assert found.outcome == outcome
    assert found.more == (Source("config.yaml", 3),)


@pytest.mark.parametrize(
    "fields",
    [
        {"num_layers": 2, "vocab_size": 512, "hidden_size": 4},
        {"num_layers": 2, "vocab_size": 500},  # padded
        {"num_layers": 4, "pipeline_parallel_size": 2},
        {"vocab_size": 1024, "tensor_parallel_size": 2},
        {},
    ],
)
def test_a_config_that_agrees_or_cannot_be_compared(
    files: Any, make_look: Any, fields: Any
) -> None:
    path = files.zip("a.pt", tensors(files, 2))
    assert isinstance(run(make_look(path, logs=FAILED, facts=[config(**fields)])), Skip)


@pytest.mark.parametrize(
    "logs",
    [LogHits(ended="well"), LogHits(ended="badly", steps=(StepLine(21, {"loss": 2.0}, Source()),))],
)
def test_a_run_that_trained_has_loaded(files: Any, make_look: Any, logs: LogHits) -> None:
    path = files.zip("a.pt", tensors(files, 2))
    assert isinstance(run(make_look(path, logs=logs, facts=[config(num_layers=4)])), Skip)


def test_a_checkpoint_that_is_not_resumed_is_not_compared(files: Any, make_look: Any) -> None:
    path = files.zip("a.pt", tensors(files, 2))
    assert isinstance(run(make_look(path, logs=FAILED, facts=[config("b.pt", num_layers=4)])), Skip)


# --- states ---------------------------------------------------------------------------------


def states(
    files: Any, make_look: Any, saved: dict[str, Any], resume: str = "/x/step20.pt"
) -> Finding | Skip:
    path = files.zip("step20.pt", saved)
    return run(make_look(path, logs=FAILED, resume_from=resume), saved_states)


def test_weights_alone_do_not_resume(files: Any, make_look: Any) -> None:
    found = states(files, make_look, tensors(files))
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["absent"]) == (
        "state-absent",
        ("optimizer", "scheduler", "step", "rng"),
    )


def test_a_schedule_computed_from_the_step_is_complete(files: Any, make_look: Any) -> None:
    saved = {"model": tensors(files), "optimizer": {"a": 1}, "iter_num": 20}
    found = states(files, make_look, saved)
    assert isinstance(found, Finding)
    assert (found.outcome, found.value["step"]) == ("complete", 20)


def test_neither_scheduler_nor_step(files: Any, make_look: Any) -> None:
    found = states(files, make_look, {"model": tensors(files), "optimizer": {"a": 1}})
    assert isinstance(found, Finding)
    assert found.outcome == "state-absent"


@pytest.mark.parametrize("resume", ["", "out", "/data/step10.pt"])
def test_states_are_asked_of_a_resumed_checkpoint_only(
    files: Any, make_look: Any, resume: str
) -> None:
    assert isinstance(states(files, make_look, tensors(files), resume), Skip)


def test_states_of_two_compared_files(files: Any, make_look: Any) -> None:
    full = files.zip("full.pt", {"model": tensors(files), "optimizer": {"a": 1}, "step": 3})
    bare = files.zip("bare.pt", tensors(files))
    found = run(make_look(full, bare), saved_states)
    assert isinstance(found, Finding)
    assert (found.value["file"], found.value["absent"]) == ("bare.pt", ("optimizer", "step"))
    again = files.zip("again.pt", tensors(files))
    found = run(make_look(again, bare), saved_states)
    assert isinstance(found, Finding)
    assert found.outcome == "complete"


def test_a_healthy_run_is_quiet(files: Any, make_look: Any) -> None:
    """Its own checkpoints, weights only and of several kinds, make no abnormal finding."""
    paths: list[Path] = [files.zip(f"step{n}.pt", tensors(files)) for n in (10, 20)]
    paths.append(files.safetensors("final.safetensors", {"w": (3,)}))
    logs = LogHits(ended="well", steps=(StepLine(1, {"loss": 3.0}, Source()),))
    for probe in (index, keys, saved_states):
        look = make_look(*paths, logs=logs, num_layers=9, vocab_size=7)
        items = [i for i in probe.PROBE.run(look) if isinstance(i, Finding)]
        assert all(i.outcome in ("whole", "same", "complete") for i in items)


@pytest.mark.parametrize(
    "words",
    [
        ("--checkpoint-resume-from-checkpoint", "/data/out/step20.pt"),
        ("--resume=out/step20.pt",),
        ("--lr", "0.1", "--load_checkpoint", "step20.pt"),
    ],
)
def test_the_command_says_what_is_resumed(
    files: Any, make_look: Any, words: tuple[str, ...]
) -> None:
    path = files.zip("step20.pt", tensors(files))
    found = run(make_look(path, logs=FAILED, facts=[command(*words)]), saved_states)
    assert isinstance(found, Finding)
    assert found.outcome == "state-absent"


@pytest.mark.parametrize(
    "words", [("--model", "step20.pt"), ("--output", "step20.pt"), ("--resume",)]
)
def test_other_arguments_are_no_resume(files: Any, make_look: Any, words: tuple[str, ...]) -> None:
    path = files.zip("step20.pt", tensors(files))
    assert isinstance(
        run(make_look(path, logs=FAILED, facts=[command(*words)]), saved_states), Skip
    )


def command(*words: str) -> Launches:
    span = Span("run.sh", 0, 1, 1, 1, 1, 2)
    return Launches((Launch("torchrun", (), None, tuple(Word(span, w, w) for w in words), span),))
