"""Whether a text is what a program prints about a machine, by its first lines."""

from __future__ import annotations

import re

from medic.text.patterns import regex

# torch.utils.collect_env; nvidia-smi topo -m; ip addr; df; free; a cgroup's files; pip freeze.
_COLLECT_ENV = regex(rb"^(?:Collecting environment information|PyTorch version: )", re.MULTILINE)
_TOPOLOGY = regex(rb"^\s*(?:\x1b\[\d*m)?\s*GPU0\s.*(?:CPU Affinity|GPU1)", re.MULTILINE)
_INTERFACES = regex(rb"^\d{1,4}: [\w.@:-]{1,40}: <[A-Z_,-]+> mtu \d+", re.MULTILINE)
_DISKS = regex(
    rb"^Filesystem\s+(?:Type\s+)?(?:Size|1[KM]-blocks|1024-blocks|Inodes)\s", re.MULTILINE
)
_FROZEN = regex(rb"^[A-Za-z0-9][\w.-]{0,80}(?:==[\w.!+-]+| @ \S+)\s*$")
_MEMORY = regex(rb"^MemTotal:\s+\d+ kB", re.MULTILINE)
_CGROUP = regex(
    rb"memory\.(?:max|limit_in_bytes)\b[^\n]{0,20}\s{0,2}\d{6,}\s|^oom_kill \d+\s*$", re.MULTILINE
)
# Lines of ls -l; beside them ls writes the folder and its total.
_LISTED = regex(rb"^[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d+\s")
_OF_FOLDER = regex(rb"^(?:total \S+|\S[^\n]*:)?\s*$")
_BEGIN = 2048


def is_host_report(head: bytes) -> bool:
    """``head``: the first bytes of a text file, 4 KiB of it are enough."""
    begin = head[:_BEGIN]
    kinds = (_COLLECT_ENV, _TOPOLOGY, _INTERFACES, _DISKS, _MEMORY, _CGROUP)
    return any(p.search(begin) for p in kinds) or _is_frozen(head)


def is_listing(head: bytes) -> bool:
    """What ls -l prints: it tells of files, and nothing of a run."""
    lines = head[: head.rfind(b"\n") + 1].splitlines()
    listed = sum(_LISTED.match(line) is not None for line in lines)
    return listed > 1 and all(_LISTED.match(one) or _OF_FOLDER.match(one) for one in lines)


def _is_frozen(head: bytes) -> bool:
    """``pip freeze``: nothing but pinned names, and more of them than a short list of needs."""
    lines = [line for line in head.splitlines()[:-1] if line.strip()]
    return len(lines) >= 20 and all(_FROZEN.match(line) for line in lines)
