"""The probe of every lint check of ``checks``."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from medic.facts import Launches
from medic.i18n import Text
from medic.probe import Part, Probe
from medic.run_config import RunConfig

from . import checks
from .judging import run


def _checks() -> Iterator[Part]:
    """A module without NAME is a helper of the others."""
    for info in pkgutil.iter_modules(checks.__path__, f"{checks.__name__}."):
        module = import_module(info.name)
        if hasattr(module, "NAME"):
            yield Part(module.NAME, module.NEEDS, info.name)


CHECKS = tuple(_checks())
PROBE = Probe(
    name="config-checks",
    title=Text("checks of the configuration", "配置检查"),
    tells=tuple(check.name for check in CHECKS),
    run=run,
    needs=(RunConfig,),
    wants=(Launches,),
    seconds=0.02,
    limit_seconds=20,
    parts=CHECKS,
)
