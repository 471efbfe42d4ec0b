"""Names of machines in a text: where an environment, a scheduler, a launcher or a library states
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from medic.text.patterns import regex

MAX_NODES = 1024
_LIKE = r"(?<![A-Za-z0-9_<.-])%s-?\d{1,5}(?![A-Za-z0-9_>])"
# What else is numbered in logs.
_COUNTED = frozenset(
    """
    rank local-rank step steps epoch iter iteration checkpoint ckpt worker process proc node host gpu cuda
    device layer layers block batch shard part stage level version group seed run exp job task split fold
    model expert head eth bond ib mlx port bf fp int float uint
    """.split()  # noqa: SIM905
)
_NAME = r"[A-Za-z][A-Za-z0-9-]{1,62}(?:\.[A-Za-z0-9-]{1,63}){0,6}"
# Lists of nodes as Slurm writes them: dgx[01-04,07], or one name.
_ONE_OR_MORE = r"[A-Za-z][\w.-]{0,60}(?:\[[\d,-]{1,200}\])?"
_LIST = rf"(?P<nodes>{_ONE_OR_MORE}(?:,{_ONE_OR_MORE}){{0,64}})"
_LISTED = (
    (
        ("node",),
        regex(
            rf"(?i)\b(?:SLURM_(?:JOB_|STEP_)?)?NODE_?LIST['\"]?\s{{0,4}}[=:]\s{{0,4}}['\"]?{_LIST}"
        ),
    ),
    (("srun: ",), regex(rf"\bsrun: \w{{4,8}}: {_LIST}: tasks? ")),
)
_STATED = (
    (
        ("addr", "node", "host", "endpoint"),
        regex(
            r"(?i)\b(?:MASTER_ADDR|HOSTNAME|SLURMD_NODENAME|SLURM_TOPOLOGY_ADDR|SLURM_LAUNCH_NODE_IPADDR|"
            r"SLURM_SUBMIT_HOST|master[_-]addr|rdzv[_-]endpoint)['\"]?\s{0,8}[:= ]\s{0,8}['\"]?"
            rf"(?P<host>{_NAME})\b"
        ),
    ),
    # Behind a word that sentences have, too ("host memory"): a name that is no plain word.
    (
        ("host", "node"),
        regex(
            r"(?i)\b(?:node_?name|host(?:name)?)['\"]?\s{0,8}[:= ]\s{0,8}['\"]?"
            rf"(?P<host>(?=[A-Za-z]{{1,62}}[\d.-]){_NAME})\b"
        ),
    ),
    (
        ("node",),
        regex(
            r"\bnode['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?!rank|cuda|local)"
            r"(?P<host>[A-Za-z][A-Za-z-]{1,40}\d{1,5})\b"
        ),
    ),
    (("cancelled at",), regex(rf"\bON (?P<host>{_NAME}) CANCELLED AT ")),
    (("slurmstepd-",), regex(rf"\bslurmstepd-(?P<host>{_NAME}): ")),
    # NCCL's lines: host:process:thread [device].
    ((" nccl ",), regex(rf"(?m)^(?P<host>{_NAME}):\d{{1,8}}:\d{{1,8}} \[\d{{1,3}}\] NCCL ")),
    # pdsh puts the host before each line of what it started there.
    (("]",), regex(rf"(?m)^(?P<host>(?=[A-Za-z.-]{{0,62}}\d){_NAME}): \[\d{{4}}-\d\d-\d\d ")),
    (("connect",), regex(rf"\bconnect(?:ing)? to \((?P<host>{_NAME}), \d{{2,5}}\)")),
)
# A name whose number tells it from its like, and what stands before the number.
_NUMBERED = regex(r"^(?P<stem>[A-Za-z][A-Za-z-]{2,40}?)-?\d{1,5}$")
_NODE = regex(r"(?P<stem>[A-Za-z][\w.-]{0,60})(?:\[(?P<numbers>[\d,-]{1,200})\])?")


def hosts(text: str) -> Iterator[str]:
    """The names that the text states; of a full name its first part, too."""
    small = text.lower()
    for words, listed in _LISTED:
        if any(word in small for word in words):
            for match in listed.finditer(text):
                yield from islice(_nodes(match["nodes"]), MAX_NODES)
    for needed, stated in _STATED:
        if any(word in small for word in needed):
            for match in stated.finditer(text):
                yield match["host"]
                yield match["host"].partition(".")[0]


def listed(word: str) -> list[str]:
    """The names that one list stands for, without the list itself: dgx[01-03] -> dgx01, dgx02, dgx03."""
    return [*islice((name for name in _nodes(word) if name != word), MAX_NODES)] or [word]


def alike(text: str, known: Iterable[str]) -> Iterator[str]:
    """Names of a text that differ from known machines in their number alone: gpu-node09 beside
    gpu-node07. A stem that other things are numbered by (rank, step) tells no machine."""
    found = (_NUMBERED.match(name) for name in known)
    stems = {m["stem"] for m in found if m and m["stem"].lower() not in _COUNTED}
    for stem in sorted(stems):
        if stem in text:
            for match in islice(re.finditer(_LIKE % re.escape(stem), text), MAX_NODES):
                yield match.group()


def _nodes(listed: str) -> Iterator[str]:
    """The names of a list such as ``dgx[01-04,07],login``."""
    for match in _NODE.finditer(listed):
        if not match["numbers"]:
            yield match["stem"]
            continue
        yield f"{match['stem']}[{match['numbers']}]"
        for part in match["numbers"].split(","):
            first, _, last = part.partition("-")
            if first and (last or first):
                for number in range(
                    int(first), min(int(last or first), int(first) + MAX_NODES) + 1
                ):
                    yield f"{match['stem']}{number:0{len(first)}}"
