"""Whether FSDP or ZeRO-3 keeps the weights on the host, by any framework's setting for it.

Sources: transformers ``training_args.py`` (``fsdp``: "offload" among its words), Lightning
``strategies/fsdp.py`` (``fsdp_cpu_offload``), torchtune ``fsdp_cpu_offload``, torchtitan
``enable_cpu_offload``, accelerate ``fsdp_offload_params``, DeepSpeed ``offload_param``, verl ``offload_policy``.
verl's ``param_offload`` is none: its weights are brought back before each update (``workers/fsdp_workers.py``,
``load_fsdp_model_to_gpu``).
"""

from __future__ import annotations

from medic.memory import details
from medic.run_config import RunConfig


def parameters_offloaded(config: RunConfig) -> bool:
    """Whether weights wait on the host for their turn."""
    told = details.flag(config, "parameter_offload")
    if told is not None:
        return told
    words = " ".join(
        str(s.value) for s in config.settings if s.path[:1] == ("fsdp",) or s.path[-1:] == ("fsdp",)
    )
    strategy = config.setting("trainer.strategy")
    by_name = strategy is not None and strategy.value == "fsdp_cpu_offload"
    return by_name or "offload" in words.replace(",", " ").split()
