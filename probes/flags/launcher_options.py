"""Options of launchers that training scripts do not have themselves, in the spelling with dashes."""

from __future__ import annotations

LAUNCHERS_OWN = {
    "torchrun": frozenset(
        (
            "nnodes",
            "nproc-per-node",
            "rdzv-backend",
            "rdzv-endpoint",
            "rdzv-id",
            "rdzv-conf",
            "node-rank",
            "master-addr",
            "master-port",
            "standalone",
            "max-restarts",
        )
    ),
    "deepspeed": frozenset(
        ("hostfile", "num-nodes", "num-gpus", "master-port", "master-addr", "node-rank")
    ),
    "accelerate": frozenset(
        (
            "num-processes",
            "num-machines",
            "machine-rank",
            "main-process-ip",
            "multi-gpu",
            "main-process-port",
            "same-network",
            "deepspeed-config-file",
        )
    ),
}
LAUNCHERS_OWN["tune"] = LAUNCHERS_OWN["torchrun"]
