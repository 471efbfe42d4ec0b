"""A warmup that is written in the unit of the other key: a share where steps are counted."""

from __future__ import annotations

from medic.facts import Renamed, Repair, Respelt
from medic.i18n import Text
from medic.run_config import Edit, RunConfig, Setting

from ..flags.key_names import normal
from ..flags.meanings import own_name
from .keys import Framework

_OTHER = {"warmup_steps": "warmup_ratio", "warmup_ratio": "warmup_steps"}
# Below, a number of a share may be percent.
_STEPS = 20
_AS_SHARE = Text("{name} is the key of a share of the run", "{name} 才是按占比填写的键")
_AS_STEPS = Text("{name} is the key that counts steps", "{name} 才是按步数填写的键")
_OF_ALL = Text("{share} of {total} steps", "共 {total} 步，取其 {share}")


def other_unit(
    setting: Setting, field: str, number: float, framework: Framework, config: RunConfig
) -> Repair | None:
    """The framework's key of the other unit with the value as it is, or the value in this unit."""
    share = field == "warmup_steps" and 0 < number < 1
    steps = field == "warmup_ratio" and number >= _STEPS and number == int(number)
    if not (share or steps):
        return None
    origin = setting.origin
    name = own_name(framework, _OTHER[field], tuple(map(normal, setting.path[:-1])))
    beside = {normal(one.path[-1]) for one in config.settings if one.path[:-1] == setting.path[:-1]}
    if name and origin.key_span is not None:
        if name in beside:
            return None
        why = (_AS_SHARE if share else _AS_STEPS).fill(name=name)
        step = Renamed(origin.key_span, origin.syntax, setting.path[-1], name)
        return Repair((step,), safe=False, why=why)
    total = config.number("total_steps") if config.stated("total_steps") else None
    if not total or origin.span is None or (steps and number >= total):
        return None
    value = max(1, round(number * total)) if share else round(number / total, 4)
    why = _OF_ALL.fill(share=number if share else value, total=round(total))
    edit = Edit(origin.span.file, origin.span.start, origin.span.end, str(value))
    return Repair((Respelt((edit,)),), safe=False, why=why)
