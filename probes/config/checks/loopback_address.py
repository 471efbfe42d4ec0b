"""A configuration file of accelerate whose run on several machines meets at this machine's own name."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .models import key_number

NAME = "rendezvous-endpoint-wrong"
NEEDS: tuple[str, ...] = ()
_IP, _MACHINES = "main_process_ip", "num_machines"
_LOOPBACK = regex(r"localhost|127(?:\.\d+){3}|::1")
_LOCAL = Text(
    "{key} {address} is another machine on each of the {nodes} machines of num_machines",
    "num_machines 为 {nodes}，而 {key} {address} 在每台机器上都指向自己",
)


def check(config: RunConfig) -> LintResult:
    """accelerate utils/launch.py hands it to torchrun as the address of the store. What a command
    says is told with the command."""
    address, machines = config.setting(_IP, "accelerate"), key_number(config, _MACHINES)
    if address is None or address.value is None or machines is None:
        return NotChecked((_IP, _MACHINES))
    written = address.origin.syntax in ("yaml", "json")
    if machines <= 1 or not written or _LOOPBACK.fullmatch(str(address.value).strip()) is None:
        return Passes()
    values = {"key": _IP, "address": str(address.value), "nodes": int(machines)}
    return Fires(_IP, {"what": _LOCAL.fill(values)})
