"""Whom the kernel's OOM killer took: another process of the node is no end of this run.

Lines: mm/oom_kill.c of Linux (``__oom_kill_process``, ``dump_oom_summary``).
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Hit
from medic.records import replace
from medic.text.patterns import regex

OTHER = "other-process"
_RECORD = regex(r"invoked oom-killer|oom-kill:|Killed process \d+|Out of memory: Kill process")
_VICTIM = regex(r"Kill(?:ed)? process \d+,? \(([^)]{1,40})\)|[,:]task=([^,\s]{1,40}),pid=")
# Programs of which no training consists. A name that is not here may be one of the run's own.
_OTHERS = regex(
    r"(?i)(?:jupyter|code-server|code$|chrom|firefox|electron|Xorg|gnome|kde|plasma|java$|mysqld|mariadbd"
    r"|postgres|mongod|redis-server|elasticsearch|influxd|prometheus|grafana|node_exporter|dcgm|nv-hostengine"
    r"|dockerd|containerd|kubelet|etcd|systemd|sshd|slurmd|rsync|tar$|gzip|pigz|zstd$|cp$|mv$|du$|find$|git$"
    r"|scp$|rclone|ollama|tensorboard|filebeat|fluent|telegraf|nginx|clangd|cc1plus|ld$|ninja|rustc|pylance"
    r"|node$|htop|updatedb)"
)


def excuse_others(hits: Sequence[Hit]) -> list[Hit]:
    """Marks the record of a kill as no evidence where its victim is a known other program.

    A record goes over several lines, of which not all name the victim: those are marked only if
    no victim of any record may be of the run.
    """
    told = [(hit, _victim(hit)) for hit in hits if _RECORD.search(hit.source.text)]
    victims = [name for _, name in told if name]
    if not any(_OTHERS.match(name) for name in victims):
        return list(hits)
    none_ours = all(_OTHERS.match(name) for name in victims)
    gone = {id(hit) for hit, name in told if (bool(_OTHERS.match(name)) if name else none_ours)}
    return [replace(h, benign=OTHER) if id(h) in gone and not h.benign else h for h in hits]


def _victim(hit: Hit) -> str:
    found = _VICTIM.search(hit.source.text)
    return (found.group(1) or found.group(2)) if found else ""
