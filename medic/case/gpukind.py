"""Whether a text is what nvidia-smi prints, by its first lines and its last."""

from __future__ import annotations

import re

from medic.text.patterns import regex

# nvidia-smi as XML, as a table, with -q or a part of that, or as CSV of chosen columns.
_SMI = regex(
    rb"<nvidia_smi_log>|\bnvidia-smi\b.{0,40} --query-(?:gpu|compute-apps|remapped-rows)[= ]"
    rb"|^\|\s*NVIDIA-SMI |^=+NVSMI LOG=+|^GPU [0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\s*$"
    rb"|^(?:[\w.]+(?: \[[%\w]+\])?, ?){0,40}(?:utilization\.|memory\.(?:used|total)|temperature\.gpu|power\.draw"
    rb"|clocks[._]|ecc\.errors|remapped_rows\.|retired_pages\.|pcie\.link)[\w.]*(?: \[[%\w]+\])?(?:,|\s*$)",
    re.MULTILINE,
)
_BEGIN = 600
# Lines of a table, of a titled value, of CSV, of the command.
_LINE = regex(
    rb"\s*(?:[|+=]|[$#>] |\S.*\s:(?:\s|$)|[A-Z][\w ()/]*$|\d[\d/:. -]{0,40}, |GPU-|[\dA-F]{8}:[\dA-F])"
)
TRAINS = regex(
    rb"\b(?:loss|step|epoch|iteration|Epoch|Step)\b\W{0,4}\d|Traceback \(most recent|"
    rb"^(?:\w+\.)*\w*(?:Error|Exception): ",
    re.MULTILINE,
)


def is_gpu_report(head: bytes) -> bool:
    """Whether a text begins as output of nvidia-smi, after the command or the date at most."""
    return _SMI.search(head[:_BEGIN]) is not None


def goes_on(text: bytes) -> bool:
    """Whether a text that begins so goes on as the log of a job, which printed its GPUs first: it
    trains, or its last line is none that nvidia-smi prints."""
    lines = text.rstrip().splitlines()
    return TRAINS.search(text) is not None or not (lines and _LINE.match(lines[-1]))
