"""Twins: messages that read alike and come of other causes. What is told of one is not told of the other."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.index.knowledge import Index, load
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

STEP = "step 130 | loss 2.3120 | lr 2.0e-05 | grad_norm 0.77\n"


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def _raised(file: str, function: str, code: str, error: str) -> str:
    frame = f'  File "{file}", line 40, in {function}\n    {code}\n'
    return f"Traceback (most recent call last):\n{frame}{error}\n"


def _found(index: Index, text: str) -> Diagnosis:
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=text, this_host=False, index=index), probes)
    session.look()
    return session.diagnosis()


def _told(found: Diagnosis) -> str:
    lines = [line for cause in found.causes for line in cause.evidence]
    return " | ".join(str(line.text.en) for line in (*lines, *found.symptoms, *found.unexplained))


EMBEDDING = "/opt/lib/python3.10/site-packages/torch/nn/functional.py"
LOOKUP = "return torch.embedding(weight, input, padding_idx)"
CASES = [
    (
        "index error on the CPU",
        _raised(EMBEDDING, "embedding", LOOKUP, "IndexError: index out of range in self"),
        "token-id-out-of-vocabulary",
        "on the CPU, index out of range in self",
        "CUDA kernel failed",
    ),
    (
        "the same on a GPU",
        _raised(
            EMBEDDING, "embedding", LOOKUP, "RuntimeError: CUDA error: device-side assert triggered"
        ),
        "",
        "A CUDA kernel failed",
        "on the CPU, index",
    ),
    (
        "a key of the configuration",
        _raised("/job/train.py", "main", "lr = cfg['optimizer']['lr']", "KeyError: 'optimizer'"),
        "config-value-missing",
        "the code asks the configuration for 'optimizer'",
        "Resuming from a checkpoint",
    ),
    (
        "a key of the environment",
        _raised(
            "<frozen os>", "__getitem__", "raise KeyError(key) from None", "KeyError: 'LOCAL_RANK'"
        ),
        "script-started-without-launcher",
        "LOCAL_RANK is not set",
        "refused or never answered",
    ),
    (
        "an address that refuses",
        STEP + "torch.distributed.DistNetworkError: The client socket has failed to connect to any "
        "network address of (node01, 29500). The client socket has failed to connect to "
        "10.1.1.1:29500 (errno: 111 - Connection refused).\n",
        "",
        "node01 refused the connection or never answered",
        "is not set",
    ),
    (
        "a keyword of an own function",
        _raised(
            "/job/train.py",
            "main",
            "run(m, dta=d)",
            "TypeError: run() got an unexpected keyword argument 'dta'",
        ),
        "uncaught-exception",
        "run does not take dta",
        "patching library generated",
    ),
    (
        "a keyword of a generated trainer",
        _raised(
            "/job/unsloth_compiled_cache/UnslothGRPOTrainer.py",
            "compute_loss",
            "x(**kw)",
            "TypeError: compute() got an unexpected keyword argument 'logit_scale'",
        ),
        "generated-trainer-code-stale",
        "patching library generated",
        "other faults print this line",
    ),
    (
        "pip without a network",
        "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\n"
        "ERROR: No matching distribution found for flash-attn==2.7.4\n",
        "",
        "A package cannot be installed",
        " | The Python version is too old",
    ),
    (
        "killed for no reason that is told",
        STEP + "  traceback : Signal 9 (SIGKILL) received by PID 4242\n",
        "",
        "a process was killed",
        "failed, for lack of host memory",
    ),
    (
        "memory that is told to be short",
        STEP + "slurmstepd: error: Detected 1 oom_kill event in StepId=88123.0.\n",
        "",
        "for lack of host memory",
        "is the usual reason",
    ),
    (
        "a crash without a launcher",
        STEP + "Fatal Python error: Segmentation fault\n",
        "",
        "a process ended: Segmentation fault",
        "the launcher stopped the others",
    ),
    (
        "a checkpoint that is not uploaded",
        STEP
        + _raised(
            "/job/ckpt.py",
            "upload",
            "s3.upload_file(p, b, k)",
            "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: x",
        ),
        "object-store-refuses",
        "The storage refuses or loses a read or a write",
        "Reading the data failed",
    ),
    (
        "a check of the script's own",
        _raised("/job/train.py", "main", "assert a.shape == b.shape", "AssertionError"),
        "uncaught-exception",
        "raised in the script's own code",
        "list of messages",
    ),
]


@pytest.mark.parametrize(
    ("text", "leader", "said", "unsaid"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_what_is_told_is_of_this_one(
    index: Index, text: str, leader: str, said: str, unsaid: str
) -> None:
    found = _found(index, text)
    told = _told(found)
    assert said in told
    assert unsaid not in told
    assert not leader or found.causes[0].name == leader


def test_what_others_print_names_no_cause_for_certain(index: Index) -> None:
    """A shared line is weighed, and shown as what it is."""
    found = _found(index, "ERROR: No matching distribution found for torch==2.0.1\n")
    assert found.verdict != "established"
    assert "other faults print this line, too" in _told(found)
