"""Lines that are no symptom but part a log: where tracebacks, launches and failures begin.

The pass over a log notes them at no cost, so that the middle of a large log need not be read twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from medic.entries import Signature

_PATTERNS: Mapping[str, str] = {
    "traceback": r"Traceback \(most recent call last\)",
    # A process starts: torchrun, elastic, DeepSpeed, Hugging Face, Megatron, Lightning, Slurm.
    "launch": (
        r"Setting OMP_NUM_THREADS environment variable for each process|"
        r"Starting elastic_operator with launch configs|starting workers for entrypoint|"
        r"Rendezvous complete for workers|launcher?\.py:\d+:main\] (?:WORLD INFO DICT|nnodes=)|"
        r"runner\.py:\d+:main\] cmd = |\*{3,} Running training \*{3,}|"
        r"using world size: \d+|> initializing torch distributed|"
        r"LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES|Initializing distributed: GLOBAL_RANK|"
        r"^\+{1,2} (?:exec )?(?:torchrun|accelerate launch|deepspeed|srun) "
    ),
    "watchdog": (
        r"Watchdog caught collective operation timeout|Stack trace of the failed collective|"
        r"last enqueued work: \d+|Last enqueued NCCL work: \d+"
    ),
    "child-failure": (
        r"Root Cause \(first observed failure\)|failed \(exitcode: -?\d+\)|"
        r"Sending process \d+ closing signal|exited with exit code \d+|"
        r"Process \d+ exits with return code = -?\d+|exits successfully"
    ),
    "loss-scale": r"[Ll]oss scale: ?[\d.e+]+, reducing to|Grad(?:ient)? overflow.{0,40}loss scale",
    # What one rank does while the others may wait in a collective.
    "serial-work": (
        r"[Ss]aving (?:the )?(?:model|checkpoint|state|optimizer|weights)|saving checkpoint at|"
        r"\*{3,} Running (?:Evaluation|Prediction|validation)|"
        r"(?:[Rr]unning|[Ss]tart(?:ing|ed)?) (?:the )?(?:eval|valid)(?:u?ation)?\b|"
        r"[Tt]okenizing |[Dd]ownloading |[Cc]ompiling |"
        r"[Bb]uilding (?:the )?(?:dataset|index|train)|"
        r"[Pp]re-?processing (?:the )?data|[Cc]ounting (?:pairs|tokens)"
    ),
    "state-dict": r"Error\(s\) in loading state_dict",
}

LANDMARKS: tuple[Signature, ...] = tuple(
    Signature(id=name, pattern=pattern, role="context", match=())
    for name, pattern in _PATTERNS.items()
)
