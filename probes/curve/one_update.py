"""A policy that is updated once on each set of samples, and finds another policy in them.

Before its first update the ratio of new to old probabilities is exactly 1 for every token, so that
nothing is clipped (PPO, arXiv 1707.06347, section 3: r = 1 at the old weights). Where it is clipped,
the old probabilities are not those of the weights that were trained: taken at another temperature,
behind a cut tail, or by another program.
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import NOBODYS, RunConfig, Setting

from .tracks import FEW_POINTS, seen, track_of

CLIPPED, MISMATCH, SAMPLED = "clip-share", "policy-rollout-mismatch", "sampling-setting"
SHARE = 0.05  # of the tokens: rounding alone moves none by a fifth of its probability
_EPOCHS = ("inner_epochs", "ppo_epochs", "update_epochs", "num_iterations", "num_ppo_epochs",
           "ppo_inner_epochs", "policy_epochs", "mu")  # fmt: skip
# Parts of a rollout that are updated on one after the other: the second finds other weights.
_PARTS = ("mini_batch", "minibatch", "steps_per_generation", "generation_batch", "async", "stale")
_SAME = (("train_batch_size", "ppo_mini_batch_size"), ("rollout_batch_size", "train_batch_size"))


def run(look: Look) -> Iterator[Finding]:
    config, track = config_of(look), track_of(look.fact(Curve), "clip_share", FEW_POINTS)
    if track is None or not SHARE <= track.first <= 1 or len(set(track.values)) < 3:
        return
    stated = next((s for s in config.settings if s.path and s.path[-1] in _EPOCHS), None)
    if stated is None or stated.value != 1 or _in_parts(config):
        return
    key = f"{stated.path[-1]}: {stated.value}"
    found = seen(look, CLIPPED, track, "clipped-at-one-update")
    source = source_of(stated.origin, key)
    value = {**found.value, "key": key}
    yield Finding(CLIPPED, found.outcome, value, found.source, (*found.more, source))
    yield seen(look, MISMATCH, track)
    heat = _temperature(config)
    if heat is not None:
        told = {"temperature": heat.value}
        at = source_of(heat.origin, f"{heat.path[-1]}: {heat.value}")
        yield Finding(SAMPLED, "tempered", told, at)


def _in_parts(config: RunConfig) -> bool:
    """Whether a rollout may feed several updates all the same."""
    sizes = {s.path[-1]: s.value for s in config.settings if s.path}
    if any(sizes.get(a) is not None and sizes.get(a) == sizes.get(b) for a, b in _SAME):
        return False
    return any(part in name for name in sizes for part in _PARTS)


def _temperature(config: RunConfig) -> Setting | None:
    """The one that an own loop samples at, where it is not 1: frameworks apply theirs to both."""
    for setting in config.settings:
        named = setting.path and setting.path[-1] in ("temperature", "rollout_temperature")
        aside = any("val" in part or "kd" in part for part in setting.path)
        number = type(setting.value) in (int, float) and setting.value not in (0, 1)
        if named and number and not aside and setting.origin.framework in NOBODYS:
            return setting
    return None


PROBE = Probe(
    name="curve-one-update",
    title=Text("clipping of a policy that is updated once a rollout", "每次采样只更新一次时的裁剪"),
    tells=(CLIPPED, MISMATCH, SAMPLED),
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.02,
    run=run,
)
