"""The probe of slips in launch scripts: words that are read otherwise than they look."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from medic.errors import Unreadable
from medic.facts import LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.records import replace
from medic.run_config import RunConfig

from .array_tasks import beyond_list
from .debug_switches import debug_switches
from .device_lists import EACH_ONCE, not_read, repeated
from .early_task import early_tasks
from .environment_lines import by_nobody, not_taken, ports, unread
from .inner_variables import inner_variables
from .late_variables import late_variables
from .launches import launches_of
from .reaching import PYTHONS, asked_for, backgrounds, sudo, unexported
from .script_text import NEEDS_SCRIPT, ScriptText, read_script
from .slips import slips
from .slurm import allocation_of, asks_for_gpus
from .slurm_lines import LATE, UNKNOWN, late, unknown
from .slurm_words import commands, comments, first_line
from .slurm_words import words as directive_words

SLIP = "shell-reads-otherwise"
IMPOSSIBLE, NO_EFFECT = "impossible-value", "option-without-effect"
DEBUG = "debug-switches-left-on"
_PORT = Text("at most 65535", "不大于 65535")
_CHECKS = (SLIP, LATE, UNKNOWN)
MAX_FOUND = 40


def run(look: Look) -> Iterator[Finding | Skip]:
    """Only before a run: a log tells itself what the shell made of it."""
    if look.has(LogHits):
        return
    told: set[str] = set()
    read = False
    asked = look.variables | PYTHONS | asked_for(look)
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is None:
            continue
        read = True
        for finding in _of_script(look, script, asked):
            told.add(finding.name)
            yield finding
    for name in _CHECKS:
        if name not in told:
            yield Finding(name, "passes") if read else Skip(needs=NEEDS_SCRIPT, check=name)


def _of_script(look: Look, script: ScriptText, asked: Collection[str]) -> Iterator[Finding]:
    try:
        document = look.parse(script.file)
    except Unreadable:
        return
    places: set[tuple[int, int]] = set()
    options = next((f.known for f in look.frameworks if f.name == "slurm"), ())
    launches = launches_of(document)
    trains = bool(launches) or asks_for_gpus(allocation_of(script))
    steps = config_of(look).number("total_steps") or 0
    found = [
        *((SLIP, one) for one in slips(script, document, launches)),
        *((SLIP, one) for one in islice(late_variables(script, launches), MAX_FOUND)),
        *((SLIP, one) for one in early_tasks(script, document)),
        *((SLIP, one) for one in islice(inner_variables(script), MAX_FOUND)),
        *((SLIP, one) for one in directive_words(script, options, trains=trains, steps=steps)),
        *((SLIP, one) for one in commands(script)),
        *((SLIP if stops else NO_EFFECT, one) for stops, one in first_line(script)),
        *((SLIP, one) for one in backgrounds(script, document)),
        *((SLIP, one) for one in beyond_list(script)),
        *((NO_EFFECT, one) for launch in launches for one in not_read(script, launch)),
        *((LATE, one) for one in late(script)),
        *((LATE, one) for one in comments(script)),
        *((NO_EFFECT, one) for one in unexported(script, document, launches, asked)),
        *((NO_EFFECT, one) for one in not_taken(script, document, look.accepted)),
        *((NO_EFFECT, one) for one in by_nobody(script, document, look.unread)),
        *((NO_EFFECT, one) for one in sudo(document, look.variables)),
        *((DEBUG, one) for one in debug_switches(script, document, launches)),
        *((UNKNOWN, one) for one in unknown(script, options)),
        *((NO_EFFECT, one) for one in unread(script, look.variables)),
    ]
    for name, slip in found:
        place = slip.span.line, slip.span.column
        if place in places or len(places) >= MAX_FOUND:
            continue
        places.add(place)
        source = script.at(slip.span)
        value = {"what": slip.what, **({"mild": slip.mild} if slip.mild is not None else {})}
        finding = Finding(name, "fires", value, source, span=slip.span)
        yield replace(finding, repair=slip.repair)
    wrong = [(name, str(port), _PORT, span) for name, port, span in ports(script)]
    wrong += [(name, text, EACH_ONCE, span) for name, text, span in repeated(script)]
    for name, text, allowed, span in wrong:
        told = {"key": name, "value": text, "allowed": allowed}
        yield Finding(IMPOSSIBLE, "fires", told, script.at(span), span=span)


PROBE = Probe(
    name="script-slips",
    title=Text("slips in the scripts", "脚本中的疏漏"),
    tells=(*_CHECKS, IMPOSSIBLE, NO_EFFECT, DEBUG),
    run=run,
    wants=(LogHits, RunConfig),
    files=("script", "log"),
    without=tuple(Skip(NEEDS_SCRIPT, name) for name in _CHECKS),
    seconds=0.05,
    limit_seconds=10,
)
