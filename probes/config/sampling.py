"""How a policy samples its completions, where the settings say that it is nearly the policy itself."""

from __future__ import annotations

from collections.abc import Iterator

from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig, Setting

CHECK = "sampling-setting"
_FRAMEWORKS = frozenset(("verl", "easyr1", "trl", "openrlhf", "nemo-rl", "slime", "ms-swift"))
LEAST = 0.5  # the check calls one below it cold


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    if config.framework not in _FRAMEWORKS:
        return
    stated = _own(config, "temperature")
    if stated is None or not _number(stated) >= LEAST or _cuts(config):
        return
    source = source_of(stated.origin, f"{stated.origin.key}: {stated.value}")
    yield Finding(CHECK, "full", source=source)


def _cuts(config: RunConfig) -> bool:
    """Whether a tail of the distribution is left out; top_k is off at 0 and at -1."""
    top_p, top_k = _own(config, "top_p"), _own(config, "top_k")
    return (top_p is not None and _number(top_p) < 1) or (top_k is not None and _number(top_k) > 0)


def _own(config: RunConfig, name: str) -> Setting | None:
    """The setting of the rollout, not of a validation."""
    found = (s for s in config.settings if s.path and s.path[-1] == name)
    return next((s for s in found if not any("val" in part for part in s.path)), None)


def _number(setting: Setting) -> float:
    """Not below and not above anything where it is none."""
    try:
        return float(str(setting.value))
    except ValueError:
        return float("nan")


PROBE = Probe(
    name="sampling-setting",
    title=Text("the sampling of completions in the settings", "设置里的采样参数"),
    tells=(CHECK,),
    needs=(RunConfig,),
    seconds=0.01,
    run=run,
)
