"""What a Python stack is doing: the innermost frame that says something decides.

A dump holds Python frames only. A call into C (``tensor.item()``, ``time.sleep``) has none of its
own: there the text of the line that calls it tells, where it is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medic.facts import Frame, Spot
from medic.records import dataclass
from medic.text.patterns import regex
from medic.text.safetext import one_line

from ..logs import evidence


@dataclass(frozen=True)
class Rule:
    """A frame whose file and function match does ``act``."""

    act: str
    file: re.Pattern[str]
    function: re.Pattern[str]
    named: bool = False  # the function is the operation's name


def _rule(act: str, file: str, function: str = ".", *, named: bool = False) -> Rule:
    return Rule(act, regex(file), regex(function), named)


_C10D = r"torch/distributed/distributed_c10d\.py$"
_P2P = r"^(?:i?send|i?recv|batch_isend_irecv|(?:send|recv)_object_list)$"
_OPS = (
    r"^(?:all_|reduce|broadcast|barrier|monitored_barrier|gather|scatter|_?all_|_?reduce_|"
    r"_broadcast|_gather|init_process_group|new_group|_?new_process_group|split_group|"
    r"_store_based_barrier)"
)
# Where these stand, that happens. Sources: the packages' own file names, torch 2.1 to 2.9,
# transformers 4.40 to 4.57, DeepSpeed 0.14 to 0.18, Megatron-Core 0.8 to 0.13.
RULES = (
    _rule("p2p", _C10D, _P2P, named=True),
    _rule("collective", _C10D, _OPS, named=True),
    _rule("collective", r"torch/distributed/_functional_collectives\.py$", named=True),
    _rule("collective", r"torch/distributed/(?:rendezvous|utils|_composable_state)\.py$", named=True),
    _rule("collective", r"deepspeed/comm/(?:comm|torch)\.py$", named=True),
    _rule("collective", r"horovod/torch/mpi_ops\.py$", "^synchronize$", named=True),
    _rule("p2p", r"pipeline_parallel/p2p_communication\.py$|deepspeed/runtime/pipe/p2p\.py$"),
    _rule("device", r"torch/cuda/(?:__init__|streams|_utils)\.py$", "^(?:synchronize|wait|query)$"),
    _rule("device", r"torch/(?:xpu|npu|mps)/\w*\.py$", "^synchronize$"),
    _rule("backward", r"torch/autograd/graph\.py$", "^_engine_run_backward$"),
    _rule("backward", r"torch/(?:autograd/__init__|_tensor)\.py$", "^(?:backward|grad)$"),
    _rule("loader", r"torch/utils/data/(?:dataloader|_utils/fetch|datapipes/.*)\.py$"),
    _rule("loader", r"(?:webdataset|torchdata|streaming/base|nvidia/dali|ffcv)/.*\.py$"),
    _rule("loader", r"datasets/iterable_dataset\.py$"),
    _rule("saving", r"torch/serialization\.py$", "save"),
    _rule("saving", r"torch/distributed/checkpoint/.*\.py$", "save|write|stage"),
    _rule("saving", r"safetensors/\w+\.py$", "save"),
    _rule("loading", r"torch/serialization\.py$", "load"),
    _rule("loading", r"torch/distributed/checkpoint/.*\.py$", "load|read"),
    _rule("loading", r"safetensors/\w+\.py$", "load"),
    _rule("loading", r"transformers/modeling_utils\.py$", "from_pretrained|load"),
    _rule("compiling", r"torch/_dynamo/(?:convert_frame|symbolic_convert|output_graph)\.py$"),
    _rule("compiling", r"torch/_inductor/(?:codecache|scheduler|graph|async_compile|lowering)\.py$"),
    _rule("compiling", r"torch/_inductor/(?:compile_fx|select_algorithm)\.py$", "compile|codegen|tune"),
    _rule("compiling", r"triton/(?:compiler/|backends/|runtime/autotuner\.py$)"),
    _rule("compiling", r"torch/utils/cpp_extension\.py$|deepspeed/ops/op_builder/"),
    _rule("preparing", r"datasets/(?:arrow_dataset|builder|dataset_dict|fingerprint)\.py$"),
    _rule("preparing", r"transformers/tokenization_\w+\.py$|tokenizers/"),
    _rule("preparing", r"megatron/.*/(?:gpt_dataset|blended\w*|indexed_dataset|helpers\w*)\.py$"),
    _rule("optimizer", r"torch/optim/.*\.py$|apex/optimizers/|deepspeed/ops/adam/"),
    _rule("importing", r"^<frozen importlib"),
    _rule("network", r"(?:urllib3|requests|httpx|httpcore|huggingface_hub|boto3|botocore)/.*\.py$"),
    _rule("network", r"(?:^|/)(?:http/client|ssl)\.py$"),
    _rule("leaving", r"(?:^|/)multiprocessing/util\.py$", "^_exit_function$"),
    _rule("leaving", r"(?:^|/)threading\.py$", "^_shutdown$"),
    _rule("leaving", _C10D, "^destroy_process_group$"),
)  # fmt: skip
# Parts of a training loop, by the names that trainers and people give to their functions.
_SECTIONS = (
    ("saving", regex(r"^_?(?:save_(?:checkpoint|pretrained|model|state|optimizer|to_)\w*|"
                          r"save|save_\w*checkpoint\w*|checkpoint_save|dump_checkpoint)$")),
    ("evaluating", regex(r"^_?(?:evaluat\w+|eval(?:_\w+)?|validat\w+|validation_\w+|"
                              r"run_validation|test_loop|prediction_loop|compute_metrics)$")),
    ("preparing", regex(r"^(?:tokenize\w*|preprocess\w*|prepare_data\w*|"
                             r"main_process_first|load_dataset)$")),
)  # fmt: skip
_WAITS_FOR_DEVICE = regex(
    r"\.(?:item|tolist|cpu|numpy|synchronize)\(|\.to\(\s*['\"]cpu|torch\.cuda\.synchronize|"
    r"\bfloat\(\s*\w*(?:loss|norm)\w*|print\([^)]*\b(?:loss|norm)\b"
)
_LIBRARY = regex(
    r"^<|^(?:torch|transformers|accelerate|deepspeed|"
    r"lightning|pytorch_lightning|datasets|trl|peft|megatron|numpy|triton|safetensors|ray|vllm|urllib3|"
    r"requests|httpx|httpcore|huggingface_hub|boto3|botocore|wandb|tokenizers|tqdm)/"
)
_STANDARD = regex(
    r"^(?:threading|queue|socket|selectors|subprocess|contextlib|functools|runpy|random|copy|"
    r"multiprocessing/\w+|concurrent/futures/\w+|importlib/\w+|json/\w+|logging/\w+|asyncio/\w+)"
    r"\.py$"
)
_LOCKS = regex(
    r"(?:^|/)(?:threading|queue|selectors|subprocess|multiprocessing/(?:connection|queues|pool|"
    r"popen_fork|synchronize)|concurrent/futures/\w+)\.py$"
)
_WRAPPER = frozenset({"wrapper", "inner", "decorate_context", "_fn", "<lambda>", "<module>"})


def spot_of(frames: Sequence[Frame]) -> Spot:
    """What a stack does; ``frames`` are innermost first."""
    if not frames:
        return Spot("unknown")
    act, what, at = _act(frames)
    section = _section(frames[at:])
    if act == "own-code" and section in ("saving", "evaluating", "preparing"):
        act = section
    return Spot(act=act, what=what, section=section, site=site(frames))  # type: ignore[arg-type]


def _act(frames: Sequence[Frame]) -> tuple[str, str, int]:
    """(what is done, the operation's name, place of the frame that tells)."""
    for at, frame in enumerate(frames):
        if short(frame.function) in _WRAPPER and is_library(frame.file):
            continue
        rule = _match(frame)
        if rule is not None:
            return rule.act, _operation(frames, at, rule), at
        if not is_library(frame.file) and frame.code and _WAITS_FOR_DEVICE.search(frame.code):
            return "device", one_line(frame.code.strip(), 60), at
    lock = _LOCKS.search(frames[0].file) is not None
    return ("lock" if lock else "own-code"), one_line(short(frames[0].function), 60), 0


def _match(frame: Frame) -> Rule | None:
    name = short(frame.function)
    for rule in RULES:
        if rule.file.search(frame.file) and rule.function.search(name):
            return rule
    return None


def short(function: str) -> str:
    """ "fetch" of "_MapDatasetFetcher.fetch.<locals>.<listcomp>": Python 3.11 names them in full."""
    parts = [p for p in function.split(".") if p and not p.startswith("<")]
    return parts[-1] if parts else function


def _operation(frames: Sequence[Frame], at: int, rule: Rule) -> str:
    """The outermost name of the same library call (all_gather_object rather than all_gather); for
    other rules the user's own function inside it, such as a dataset's __getitem__."""
    if not rule.named:
        own = next((f for f in frames[:at] if not is_library(f.file)), frames[at])
        return one_line(short(own.function), 60)
    name = short(frames[at].function)
    for frame in frames[at + 1 :]:
        if short(frame.function) in _WRAPPER:
            continue
        if _match(frame) != rule:
            break
        name = short(frame.function)
    return one_line(name, 60)


def _section(frames: Sequence[Frame]) -> str:
    for frame in frames:
        function = short(frame.function)
        for name, pattern in _SECTIONS:
            if pattern.search(function):
                return name
    return ""


def is_library(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python itself."""
    return evidence.is_library(file) or bool(_LIBRARY.search(file) or _STANDARD.search(file))


def site(frames: Sequence[Frame]) -> str:
    """ "file:line" of the innermost frame of the user's own code, "" if there is none."""
    for frame in frames:
        if not is_library(frame.file):
            return f"{one_line(frame.file.rpartition('/')[2], 60)}:{frame.line}"
    return ""


def shown(frame: Frame) -> str:
    """ "function (file:line)", the file from its package on."""
    file = frame.file.rpartition("-packages/")[2]
    if "/lib/python3" in file:
        file = file.rpartition("/lib/python3")[2].partition("/")[2]
    return f"{frame.function} ({file}:{frame.line})"


def waits(spot: Spot) -> bool:
    """Whether the rank waits for others there."""
    return spot.act in ("collective", "p2p", "device", "backward")
