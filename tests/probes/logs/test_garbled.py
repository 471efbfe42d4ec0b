"""An object that a collective received and cannot unpickle, and a file that is cut short."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import collective_ranks

from medic.facts import LogHits

TORCH = "/opt/lib/python3.12/site-packages/torch"
OBJECT = (
    f'  File "{TORCH}/distributed/optim/zero_redundancy_optimizer.py", line 564, in consolidate_state_dict\n'
    "    local_state_dict = _broadcast_object(\n"
    f'  File "{TORCH}/distributed/optim/zero_redundancy_optimizer.py", line 119, in _broadcast_object\n'
    "    obj = torch.load(buffer, map_location=device)\n"
)
LIST = (
    f'  File "{TORCH}/distributed/distributed_c10d.py", line 3300, in all_gather_object\n'
    "    object_list[i] = _tensor_to_object(tensor, tensor_size, group)\n"
)
FILE = (
    f'  File "{TORCH}/distributed/checkpoint/state_dict_loader.py", line 88, in load\n'
    "    return torch.load(path)\n"
)


def log(frames: str, error: str) -> str:
    text = (
        f'Traceback (most recent call last):\n  File "/job/train.py", line 96, in <module>\n'
        f'    call()\n{frames}  File "{TORCH}/serialization.py", line 1603, in load\n'
        f"    magic = pickle_module.load(f)\n{error}\n"
    )
    return "step 1 loss 2.0\n" + "".join(f"[rank0]: {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "error", ["EOFError: Ran out of input", "_pickle.UnpicklingError: invalid load key, '\\x00'."]
)
@pytest.mark.parametrize(
    ("frames", "call"),
    [(OBJECT, "consolidate_state_dict"), (LIST, "all_gather_object"), (FILE, "")],
)
def test_bytes_of_another_call(read: Any, frames: str, error: str, call: str) -> None:
    found = read({"run.log": log(frames, error)})
    symptoms = {h.symptom for h in found[LogHits].hits if h.symptom}
    assert ("checkpoint-unreadable" in symptoms) == (not call)
    told = found.ask(collective_ranks.PROBE).get("collective-ranks")
    assert (told is not None and told.outcome == "places-differ") == bool(call)
    if call:
        assert f"rank 0: {call} at /job/train.py:96" in str(told.value["told"])
