"""Whether a run trains on given texts, as its framework or its own key of the stage says."""

from __future__ import annotations

from collections.abc import Iterator

from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig

CHECK = "training-method"
# Pretraining and SFT are all that these do without keys of another kind, which are in _SAMPLES.
_ON_TEXTS = frozenset(
    ("megatron", "torchtitan", "litgpt", "gpt-neox", "olmo", "torchtune", "axolotl")
)
_SAMPLES = ("perform_rl_step", "rl", "num_generations")
# LLaMA-Factory and ms-swift name the stage; preference pairs are given texts, too.
_STAGES = ("stage", "rlhf_type")
_GIVEN = frozenset("pt sft rm dpo kto orpo simpo cpo".split())  # noqa: SIM905
_NAMING = frozenset(("llama-factory", "ms-swift"))


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    if any((one := config.setting(n)) and one.value for n in _SAMPLES):
        return
    if config.framework in _ON_TEXTS:
        yield Finding(CHECK, "supervised")
        return
    stage = next((s for n in _STAGES if (s := config.setting(n)) is not None), None)
    if config.framework in _NAMING and stage and str(stage.value).lower() in _GIVEN:
        source = source_of(stage.origin, f"{stage.origin.key}: {stage.value}")
        yield Finding(CHECK, "supervised", source=source)


PROBE = Probe(
    name="training-method",
    title=Text("the kind of training in the settings", "设置里的训练方式"),
    tells=(CHECK,),
    needs=(RunConfig,),
    seconds=0.01,
    run=run,
)
