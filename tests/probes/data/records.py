"""Records of data files, and what is told of them."""

from __future__ import annotations

import io
import json
import random
import tarfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from medic.probes.data import data

from medic.facts import DataSets
from medic.index.knowledge import load
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Value

Look = Callable[..., Any]
WORDS = [
    f"{a}{b}" for a in ("tra", "mo", "le", "gra", "ba", "sto") for b in ("in", "del", "ns", "ft")
]


@lru_cache(maxsize=1)
def thresholds() -> dict[str, float]:
    return {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}


def prose(seed: int, count: int = 40) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) + str(rng.randrange(99)) for _ in range(count))


def jsonl(records: Sequence[Any]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)


def alpaca(count: int, seed: int = 0) -> list[dict[str, str]]:
    return [
        {"instruction": prose(seed + n, 8), "input": "", "output": prose(seed + n + 10**6)}
        for n in range(count)
    ]


def run(
    look: Look, files: Mapping[str, str | bytes], **config: Any
) -> tuple[dict[str, Finding], Any]:
    stated = RunConfig({k: Value(v, Origin("given")) for k, v in config.items()})
    ids = {name.removesuffix(".idx") + ".bin" for name in files if name.endswith(".idx")}
    kinds = {n: "data" for n in files if not n.startswith("bench") and n not in ids}
    kinds |= dict.fromkeys(ids, "note")
    kinds |= {name: "benchmark" for name in files if name.startswith("bench")}
    seen = look(files, facts=[stated], thresholds=thresholds(), kinds=kinds)
    found = list(data.run(seen))
    told = {f.name: f for f in found if isinstance(f, Finding)}
    return told, next((f for f in found if isinstance(f, DataSets)), None)


def tar(*members: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as file:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return made.getvalue()
