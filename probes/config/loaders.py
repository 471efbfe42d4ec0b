"""By which loader a program beside a configuration reads it."""

from __future__ import annotations

from medic.errors import Unreadable
from medic.probe import Look
from medic.text.patterns import regex

# Loaders that read 2e-5 as a number, or make one of the text as a field asks: OmegaConf and Hydra
# (omegaconf _utils.py get_yaml_loader), jsonargparse (loaders_dumpers.py), draccus and pyrallis
# (parsers/decoding.py), and ruamel.yaml, which reads YAML 1.2 unless told otherwise.
_LOADS = regex(
    rb"^[ \t]*(?:from|import)[ \t]+(?:omegaconf|hydra|jsonargparse|draccus|pyrallis|ruamel)\b",
)
# The loader that does not.
_PYYAML = regex(rb"\byaml\.(?:safe_load|full_load|load|unsafe_load)\b")
_FILES, _BYTES = 16, 1 << 16


def reads_floats(look: Look) -> bool:
    """Whether a program that is at hand takes its configuration by such a loader, and none by PyYAML."""
    found = False
    for given in look.files("python")[:_FILES]:
        try:
            with look.open(given.path, _BYTES) as handle:
                text = handle.read(_BYTES)
        except Unreadable:
            continue
        if _PYYAML.search(text):
            return False
        found = found or any(_LOADS.match(line) for line in text.splitlines())
    return found
