"""When a crash came, what a lookup was for, and sizes that gloo tells."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import collective_ranks, crash_moment, exceptions, launch_checks

from medic.run_config import Origin, RunConfig, Setting, Span, Value

STEPS = "".join(f"step {n}/100 | loss {6 - n / 10}\n" for n in range(1, 6))
CRASH = "E1128 12:00:00.000000 7 api.py:869] failed (exitcode: -11) local_rank: 1 (pid: 42) of binary: /v/python\n"
LIB = "/v/lib/python3.11/site-packages/torch/nn/functional.py"


def trace(code: str, last: str, *, library: bool = False) -> str:
    lines = [
        "Traceback (most recent call last):",
        '  File "/job/train.py", line 7, in main',
        f"    {code}",
    ]
    if library:
        lines += [
            f'  File "{LIB}", line 2542, in embedding',
            "    return torch.embedding(weight, x)",
        ]
    return "\n".join([*lines, last]) + "\n"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (STEPS + CRASH, "in-training"),
        (CRASH, None),
        (STEPS + "saving the checkpoint to out/5\n" + CRASH, None),
        (STEPS, None),
    ],
)
def test_the_moment_of_a_crash(read: Any, text: str, outcome: str | None) -> None:
    found = read(text).ask(crash_moment.PROBE).get("crash-moment")
    assert (found.outcome if found else None) == outcome


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = x + self.wpe(positions)", True),
        ("p = self.model.position_embeddings(ids)", True),
        ("x = self.wte(tokens) + self.wpe(positions)", False),
        ("x = self.embed_tokens(ids)", False),
    ],
)
def test_a_lookup_of_positions(read: Any, code: str, told: bool) -> None:
    text = STEPS + trace(code, "IndexError: index out of range in self", library=True)
    assert ("index-range-clue" in read(text).ask(exceptions.PROBE)) is told


@pytest.mark.parametrize(
    ("length", "more", "told"),
    [(1024, {}, True), (512, {}, False), (1024, {"model.rope_theta": 10000}, False)],
)
def test_sequences_beyond_a_table_of_positions(
    read: Any, length: int, more: dict[str, Any], told: bool
) -> None:
    found = read(STEPS + trace("x = block(x)", "RuntimeError: CUDA error: device-side assert"))
    settings = tuple(Setting(tuple(k.split(".")), v, Origin("file")) for k, v in more.items())
    values = {"sequence_length": length, "max_position_embeddings": 512}
    found.look.facts[RunConfig] = RunConfig(
        {k: Value(v, Origin("file")) for k, v in values.items()}, settings=settings
    )
    assert ("index-range-clue" in found.ask(exceptions.PROBE)) is told


@pytest.mark.parametrize(("before", "empty"), [("", True), (STEPS, False)])
def test_a_loader_without_one_batch(read: Any, before: str, empty: bool) -> None:
    file = "/env/lib/python3.12/site-packages/torch/utils/data/dataloader.py"
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/train.py", line 30, in main\n    ids, labels = next(batches)\n'
        f'  File "{file}", line 741, in __next__\n    data = self._next_data()\n'
        f'  File "{file}", line 1510, in _next_data\n    raise StopIteration\nStopIteration\n'
    )
    assert ("data-set-empty" in read(before + text).ask(exceptions.PROBE)) is empty


@pytest.mark.parametrize(
    ("code", "last", "kind"),
    [
        ('warmup = cfg["warmup"]', "KeyError: 'warmup'", "config-key"),
        ('x = model_config["a.b"]', "KeyError: 'a.b'", "config-key"),
        ('n = cfg["data"]["n_docs"]', "KeyError: 'n_docs'", "config-key"),
        ('n = cfg["data"]["n_docs"]', "KeyError: 'data'", "config-key"),
        ('x = table["warmup"]', "KeyError: 'warmup'", "programming-error"),
        ('opt.load_state_dict(state["optimizer"])', "KeyError: 'optimizer'", "programming-error"),
        ('x = cfg["lr"]', "KeyError: 'warmup'", "programming-error"),
        ('x = cfg["lr"]', "TypeError: 'int' object is not callable", "programming-error"),
    ],
)
def test_a_setting_that_is_not_there(read: Any, code: str, last: str, kind: str) -> None:
    found = read(trace(code, last))
    found.look.frameworks = []
    assert found.ask(exceptions.PROBE)["exception-kind"].outcome == kind


def test_a_field_that_the_samples_have_not(read: Any) -> None:
    code, last = 'ids = row["tokens"]', "KeyError: 'tokens'"
    text = trace(code, last).replace("in main\n", "in __getitem__\n")
    found = read(text)
    found.look.frameworks = []
    assert found.ask(exceptions.PROBE)["exception-kind"].outcome == "record-key"


@pytest.mark.parametrize(
    ("file", "code", "kind"),
    [
        ("site-packages/datasets/formatting/formatting.py", "value = self.data[key]", "record-key"),
        ("site-packages/swift/llm/template.py", 'x = example["label"]', "record-key"),
        ("site-packages/torch/optim/adam.py", 'x = state["label"]', "programming-error"),
    ],
)
def test_a_field_that_a_library_asks_for(read: Any, file: str, code: str, kind: str) -> None:
    above = (
        ""
        if kind == "programming-error"
        else (
            '  File "/venv/lib/python3.10/site-packages/datasets/arrow_dataset.py", line 3450, in map\n'
            "    example = self._apply(example)\n"
        )
    )
    text = (
        "Traceback (most recent call last):\n"
        f'{above}  File "/venv/lib/python3.10/{file}", line 41, in encode\n    {code}\n'
        "KeyError: 'label'\n"
    )
    found = read(text)
    found.look.frameworks = []
    assert found.ask(exceptions.PROBE)["exception-kind"].outcome == kind


@pytest.mark.parametrize(("path", "absent"), [(("training", "lr"), True), (("a", "warmup"), False)])
def test_a_setting_that_the_file_has_not(read: Any, path: tuple[str, ...], absent: bool) -> None:
    found = read(trace('warmup = cfg["warmup"]', "KeyError: 'warmup'"))
    found.look.frameworks = []
    own = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))
    found.look.facts[RunConfig] = RunConfig({}, settings=(Setting(path, 1, own),))
    assert ("config-lookup" in found.ask(exceptions.PROBE)) is absent


def test_a_message_that_is_too_large_for_the_call(read: Any) -> None:
    text = STEPS + (
        "  what():  [enforce fail at /gloo/transport/tcp/pair.cc:456] op.preamble.length <= "
        "op.nbytes. 136960 vs 4. Received data size doesn't match expected size.\n"
    )
    found = read(text).ask(collective_ranks.PROBE)["collective-ranks"]
    assert found.outcome == "shape-differs"
    assert "136960 bytes came, 4" in found.value["told"].en


def lookups(count: int) -> str:
    return "".join(
        f"[W1128 11:30:{5 * n:02d}.553601892 socket.cpp:764] [c10d] The IPv6 network addresses of "
        "(node-17, 29500) cannot be retrieved (gai error: -2 - Name or service not known).\n"
        for n in range(count)
    )


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (lookups(8), "name-unresolved"),
        (lookups(2), "agrees"),
        (lookups(8) + STEPS, "agrees"),
    ],
)
def test_a_name_that_is_asked_for_again_and_again(read: Any, text: str, outcome: str) -> None:
    found = read(text).ask(launch_checks.PROBE)
    assert found["rendezvous-address"].outcome == outcome


NET = "/v/lib/python3.11/site-packages/requests/adapters.py"
HUB = "/v/lib/python3.11/site-packages/huggingface_hub/utils/_http.py"


@pytest.mark.parametrize(
    ("file", "last", "kind"),
    [
        (NET, "requests.exceptions.ReadTimeout: Read timed out. (read timeout=30)", "network"),
        (NET, "httpx.ConnectTimeout: timed out", "network"),
        ("/usr/lib/python3.11/socket.py", "TimeoutError: timed out", "network"),
        ("/job/queue.py", "TimeoutError: no item", "other"),
        (HUB, "requests.exceptions.ConnectTimeout: timed out", "other"),
        ("/v/torch/distributed/rendezvous.py", "TimeoutError: The client socket", "other"),
    ],
)
def test_a_service_that_does_not_answer(read: Any, file: str, last: str, kind: str) -> None:
    text = trace("score(batch)", last, library=True).replace(LIB, file)
    found = read(text)
    found.look.frameworks = []
    assert found.ask(exceptions.PROBE)["exception-kind"].outcome == kind
