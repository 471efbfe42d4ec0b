"""Which network interfaces a *_SOCKET_IFNAME variable means."""

from __future__ import annotations

from collections.abc import Collection

IFNAMES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


def chosen(name: str, value: str, have: Collection[str]) -> list[str]:
    """NCCL: prefixes, ``=`` exact names, ``^`` all but these (NCCL documentation). Gloo: full
    names, each of which must exist. TensorPipe: one full name."""
    if not name.startswith("NCCL"):
        exact = [w.strip() for w in value.split(",") if w.strip()]
        return exact if all(w in have for w in exact) else []
    words = [w.strip() for w in value.lstrip("^=").split(",") if w.strip()]
    mark = value[: len(value) - len(value.lstrip("^="))]
    # name:port limits a name to one port of the device
    plain = [w.partition(":")[0] for w in words]
    matched = [
        n for n in have if any(n == w or ("=" not in mark and n.startswith(w)) for w in plain)
    ]
    return [n for n in have if n not in matched and n != "lo"] if "^" in mark else matched
