"""What a stack does, frame by frame."""

from __future__ import annotations

import pytest
from medic.probes.process.places import short, spot_of

from medic.facts import Frame

SITE = "/opt/venv/lib/python3.11/site-packages/"


def frames(*rows: str) -> list[Frame]:
    """ "function file:line [code]", innermost first."""
    made = []
    for row in rows:
        function, place, *code = row.split(" ", 2)
        file, _, line = place.rpartition(":")
        made.append(Frame(file, int(line), function, code[0] if code else ""))
    return made


@pytest.mark.parametrize(
    ("rows", "act", "what", "section", "site"),
    [
        (
            ["all_reduce torch/distributed/distributed_c10d.py:9", "wrapper torch/distributed/c10d_logger.py:8", "step train.py:5"],
            "collective", "all_reduce", "", "train.py:5",
        ),
        (
            ["all_gather torch/distributed/distributed_c10d.py:9", "all_gather_object torch/distributed/distributed_c10d.py:8", "gather_metrics run/eval.py:5", "evaluate run/eval.py:2"],
            "collective", "all_gather_object", "evaluating", "eval.py:5",
        ),
        (["barrier torch/distributed/distributed_c10d.py:9", "save_checkpoint train.py:31"], "collective", "barrier", "saving", "train.py:31"),
        (["recv torch/distributed/distributed_c10d.py:9", "stage train.py:3"], "p2p", "recv", "", "train.py:3"),
        (["train train.py:57 loss.item()"], "device", "loss.item()", "", "train.py:57"),
        (["synchronize torch/cuda/__init__.py:9", "train train.py:2"], "device", "synchronize", "", "train.py:2"),
        (["_engine_run_backward torch/autograd/graph.py:1", "Tensor.backward torch/_tensor.py:1", "train train.py:7"], "backward", "_engine_run_backward", "", "train.py:7"),
        (["select selectors.py:1", "Queue.get multiprocessing/queues.py:1", f"_It._try_get_data {SITE}torch/utils/data/dataloader.py:1", "train train.py:7"], "loader", "_try_get_data", "", "train.py:7"),
        (["Tokens.__getitem__ /data/run/data.py:17", f"_F.fetch.<locals>.<listcomp> {SITE}torch/utils/data/_utils/fetch.py:1", "train train.py:7"], "loader", "__getitem__", "", "data.py:17"),
        (["_save torch/serialization.py:1", "save torch/serialization.py:2", "save_model train.py:7"], "saving", "_save", "saving", "train.py:7"),
        (["backend_compile torch/_inductor/compile_fx.py:1", "forward model.py:7"], "compiling", "backend_compile", "", "model.py:7"),
        (["compile_wrapper torch/_dynamo/eval_frame.py:1", "train train.py:7"], "own-code", "compile_wrapper", "", "train.py:7"),
        (["_map_single datasets/arrow_dataset.py:1", "main train.py:7"], "preparing", "_map_single", "", "train.py:7"),
        (["read urllib3/response.py:1", "push_to_hub train.py:7"], "network", "read", "", "train.py:7"),
        (["_exit_function multiprocessing/util.py:1"], "leaving", "_exit_function", "", ""),
        (["wait threading.py:1", "join train.py:4"], "lock", "wait", "", "train.py:4"),
        (["compute train.py:4"], "own-code", "compute", "", "train.py:4"),
        (["validate_one train.py:4"], "evaluating", "validate_one", "evaluating", "train.py:4"),
    ],
)  # fmt: skip
def test_the_innermost_frame_that_says_something(
    rows: list[str], act: str, what: str, section: str, site: str
) -> None:
    spot = spot_of(frames(*rows))
    assert (spot.act, spot.what, spot.section, spot.site) == (act, what, section, site)


def test_an_import_is_one() -> None:
    spot = spot_of(
        [
            Frame("<frozen importlib._bootstrap>", 1, "_load_unlocked"),
            *frames("<module> train.py:1"),
        ]
    )
    assert spot.act == "importing"


def test_no_frames_say_nothing() -> None:
    assert spot_of([]).act == "unknown"


def test_qualified_names_are_read_by_their_last_part() -> None:
    assert short("_MapDatasetFetcher.fetch.<locals>.<listcomp>") == "fetch"
    assert short("<module>") == "<module>"
