"""What takes more than one value in an axolotl file: a fused loss, whose flag does nothing without the plugin
that reads it, and FSDP, which is on where its group is there.

Source: axolotl ``integrations/liger`` (``LigerPlugin``, ``liger_fused_linear_cross_entropy``) and
``integrations/cut_cross_entropy`` (``CutCrossEntropyPlugin``, ``cut_cross_entropy``); of the two Liger's
kernels are among axolotl's own requirements; ``docs/multi-gpu.qmd`` (``fsdp_version``, ``fsdp_config``).
"""

from __future__ import annotations

from collections.abc import Collection

from medic.run_config import RunConfig

FRAMEWORK = "axolotl"
BY_HAND = frozenset(("fused_loss", "fsdp"))
_SHARDED = (
    "fsdp_version: 2",
    "fsdp_config:",
    "  auto_wrap_policy: TRANSFORMER_BASED_WRAP",
    "  reshard_after_forward: true",
)
_PLUGINS = {
    "cut_cross_entropy": "axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin",
    "liger_fused_linear_cross_entropy": "axolotl.integrations.liger.LigerPlugin",
}


def loss_plugin(config: RunConfig) -> bool:
    """Whether a plugin that axolotl takes a fused loss from is named."""
    named = " ".join(str(s.value).lower() for s in config.settings if "plugins" in s.path)
    return "liger" in named or "cut_cross_entropy" in named


def loss_without_plugin(config: RunConfig) -> bool:
    """Whether a file of axolotl's switches a fused loss on that nothing brings."""
    origin = config.origin("fused_loss")
    by_file = origin is not None and origin.source == "file" and config.get("fused_loss") is True
    return config.framework == FRAMEWORK and by_file and not loss_plugin(config)


def lines(config: RunConfig, fields: Collection[str]) -> tuple[str, ...]:
    """What an axolotl file is to hold where these fields are switched on: of a fused loss the plugin of the
    flag that is there, else Liger's. Empty of other frameworks."""
    if config.framework != FRAMEWORK:
        return ()
    loss = _of_loss(config) if "fused_loss" in fields else ()
    return (*loss, *(_SHARDED if "fsdp" in fields else ()))


def _of_loss(config: RunConfig) -> tuple[str, ...]:
    flags = [f for f in _PLUGINS if (s := config.setting(f)) is not None and s.value is True]
    flag = flags[0] if flags else "liger_fused_linear_cross_entropy"
    plugin = () if loss_plugin(config) else ("plugins:", f"  - {_PLUGINS[flag]}")
    return (*plugin, f"{flag}: true")
