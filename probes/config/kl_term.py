"""Whether a KL term holds a policy near its reference, as the configurations and scripts state it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.text.patterns import regex

CHECK = "kl-control"
MAX_FILES, MAX_LINES = 20, 4000
# verl's switches, the coefficients of OpenRLHF and NeMo-RL, and TRL's beta, which DPO has, too.
_SWITCH = regex(r"(?i)\b(?:use_kl_loss|use_kl_in_reward)\b['\"]?\s{0,3}[:= ]\s{0,3}(true|false)\b")
_COEFFICIENT = regex(
    r"(?i)\b(?:init_kl_coef|kl_coef|reference_policy_kl_penalty)\b['\"]?\s{0,3}[:= ]\s{0,3}(\d[\d.]{0,12}(?:e-?\d+)?)"
)
_BETA = regex(
    r"^\s{0,8}['\"]?(?:--)?beta['\"]?\s{0,3}[:= ]\s{0,3}(\d[\d.]{0,12}(?:e-?\d+)?)\s*(?:,\s*)?(?:#.*)?\\?$"
)
_GROUPS = regex(r"(?i)\bnum_generations\b|\bgrpo\b|\brloo\b")
_NEEDS = Text("the settings of a KL term", "KL 项的设置")


def run(look: Look) -> Iterator[Finding | Skip]:
    switches: list[tuple[bool, Source]] = []
    terms: list[tuple[bool, Source]] = []
    for file in look.files("config", "script")[:MAX_FILES]:
        with suppress(Unreadable):
            lines = list(islice(look.lines(file.path), MAX_LINES))
            of_groups = any(_GROUPS.search(text) for _, text in lines)
            for number, text in lines:
                if text.lstrip().startswith("#"):
                    continue
                source = Source(file.name, number, text=text.strip()[:400])
                switches += [(m[1].lower() == "true", source) for m in _SWITCH.finditer(text)]
                terms += [(on, source) for on in _terms(text, of_groups=of_groups)]
    stated = switches or terms  # a coefficient that is switched off holds nothing
    if not stated:
        yield Skip(_NEEDS, check=CHECK)
        return
    on, source = next((one for one in stated if one[0]), stated[0])
    yield Finding(CHECK, "present" if on else "none", source=source)


def _terms(text: str, *, of_groups: bool) -> Iterator[bool]:
    for found in _COEFFICIENT.finditer(text):
        yield _above_zero(found[1])
    if of_groups and (beta := _BETA.match(text)):
        yield _above_zero(beta[1])


def _above_zero(word: str) -> bool:
    try:
        return float(word) > 0
    except ValueError:
        return False


PROBE = Probe(
    name="kl-term",
    title=Text("the KL term of the settings", "设置里的 KL 项"),
    tells=(CHECK,),
    files=("config", "script"),
    without=(Skip(_NEEDS, check=CHECK),),
    seconds=0.02,
    run=run,
)
