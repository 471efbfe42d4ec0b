"""A saved look at a job (``medic attach``) and py-spy dumps as the fact that is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medic.facts import Frame, GpuUse, Helper, RankStack, Source, Stacks, Thread
from medic.i18n import Text
from medic.records import replace
from medic.text.safetext import one_line

from .dumps import Dump, dumps_of
from .places import shown, spot_of

FULL_USE = 95.0  # per cent
MAX_RANKS, MAX_SAMPLES, MAX_HELPERS = 4_096, 1_000, 256
Plain = Mapping[str, Any]


# --- the document of medic attach -------------------------------------------------------------


def stacks_of(root: Plain, file: str, lines: Mapping[int, int] | None = None) -> Stacks:
    """The fact of one document; what is missing in it or odd is left out.

    ``lines``: the line of the file that holds a process, by its id.
    """
    rows = [r for r in _list(root, "ranks")[:MAX_RANKS] if isinstance(r, dict)]
    seconds = _number(root.get("seconds")) or 0.0
    gpus = tuple(_gpu(g) for g in _list(root, "gpus")[:256] if isinstance(g, dict))
    ranks = tuple(at_its_gpu(_rank(row, file, lines or {}), gpus, seconds) for row in rows)
    local = {n for row in rows if (n := _whole(row.get("local_rank"))) is not None}
    expected = _whole(root.get("local_world")) or 0
    missing = sorted(set(range(min(expected, MAX_RANKS))) - local) if local else []
    return Stacks(
        ranks=ranks,
        missing=tuple(missing),
        seconds=seconds,
        host=_text(root.get("host"), 80),
        world_size=max((w for row in rows if (w := _whole(row.get("world")))), default=None),
        gpus=gpus,
        not_done=tuple(
            _in_words(pair) for pair in _list(root, "not_done")[:8] if isinstance(pair, list)
        ),
        tables={
            rank.label: _tables(row) for rank, row in zip(ranks, rows, strict=True) if _tables(row)
        },
    )


def _rank(row: Plain, file: str, lines: Mapping[int, int]) -> RankStack:
    pid = _whole(row.get("pid")) or 0
    rank = _whole(row.get("rank"))
    samples = [s for s in _list(row, "samples")[:MAX_SAMPLES] if isinstance(s, dict)]
    found = [d for s in samples if (d := _dump(s, pid)) is not None] or _of_probing(row, pid)
    states = [s["state"] for s in samples if isinstance(s.get("state"), dict)]
    threads = [t for s in states if (t := _whole(s.get("threads"))) is not None]
    return _of_dumps(
        found,
        pid=pid,
        rank=rank,
        command=_text(row.get("command"), 400),
        source=Source(file=file, line=lines.get(pid, 0), rank=rank),
        states="".join(_letter(s.get("state")) for s in samples),
        waits_in=_text(states[-1].get("waits_in"), 64) if states else "",
        threads=threads[-1] if threads else 0,
        cpu_seconds=_spent(states),
        rss=tuple(n for s in states if (n := _whole(s.get("rss"))) is not None),
        helpers=tuple(_helper(h) for h in _list(row, "helpers")[:MAX_HELPERS] if isinstance(h, dict)),
        problem=_in_words(_list(row, "problem")),
    )  # fmt: skip


def _in_words(pair: list[Any]) -> str:
    """A text saved in both languages, in the user's."""
    words = [_text(w, 300) for w in pair[:2]]
    return str(Text(*words)) if len(words) == 2 else ""


def _of_probing(row: Plain, pid: int) -> list[Dump]:
    """The stack that probing told, where py-spy has none; its lines are where functions begin."""
    rows = _tables(row).get("backtrace", ())
    frames = tuple(
        Frame(r.get("file", ""), int(r["lineno"]), r.get("func", ""))
        for r in rows
        if r.get("lineno", "").isdecimal()
    )
    return [Dump(pid, "", (Thread("MainThread", frames),))] if frames else []


def at_its_gpu(rank: RankStack, gpus: Sequence[GpuUse], seconds: float) -> RankStack:
    """A rank that stands still on a line of its own and burns a CPU, while its GPU is in full use,
    waits in a call of CUDA: a copy to the device, an allocation, or a full queue of launches."""
    own = [g for g in gpus if rank.pid in g.pids]
    spins = (rank.cpu_seconds or 0.0) >= 0.5 * seconds > 0
    full = bool(own) and all(g.utilisation and min(g.utilisation) >= FULL_USE for g in own)
    if rank.spot.act != "own-code" or not rank.still or not spins or not full:
        return rank
    code = rank.frames[0].code if rank.frames else ""
    what = one_line(code, 60) or rank.spot.what
    return replace(rank, spots=tuple(replace(s, act="device", what=what) for s in rank.spots))


def idles_at_full_use(gpu: GpuUse) -> bool:
    """A kernel that only waits: full utilisation, power below 40% of the limit (measured on H200
    in a hung all_reduce: 100% at 125 of 700 W; computing: 680 W)."""
    if not gpu.utilisation or not gpu.power or not gpu.power_limit:
        return False
    return min(gpu.utilisation) >= FULL_USE and max(gpu.power) < 0.4 * gpu.power_limit


def _dump(sample: Plain, pid: int) -> Dump | None:
    found = dumps_of(sample.get("threads"))
    return next((d for d in found if d.pid == pid), next(iter(found), None))


def _helper(row: Plain) -> Helper:
    pid = _whole(row.get("pid")) or 0
    samples = [s for s in _list(row, "samples")[:MAX_SAMPLES] if isinstance(s, dict)]
    states = [s["state"] for s in samples if isinstance(s.get("state"), dict)]
    found = _dump(samples[-1], pid) if samples else None
    return Helper(
        pid,
        "".join(_letter(s.get("state")) for s in samples),
        _spent(states),
        _text(states[-1].get("waits_in"), 64) if states else "",
        spot_of(_worker_frames(found)) if found else None,
    )


def _worker_frames(dump: Dump) -> tuple[Frame, ...]:
    """The frames of a loader worker above its loop; a forked one keeps its parent's below."""
    frames = dump.main.frames if dump.main else ()
    loop = [i for i, f in enumerate(frames) if f.function.endswith("_worker_loop")]
    return frames[: loop[0]] if loop else frames


def _letter(state: Any) -> str:
    """One letter; X where the process was gone."""
    letter = state.get("letter") if isinstance(state, dict) else None
    return letter if isinstance(letter, str) and len(letter) == 1 and letter.isalpha() else "X"


def _spent(states: Sequence[Plain]) -> float | None:
    told = [n for s in states if (n := _number(s.get("cpu"))) is not None]
    return max(0.0, told[-1] - told[0]) if len(told) > 1 else None


def _gpu(row: Plain) -> GpuUse:
    return GpuUse(
        index=_whole(row.get("index")) or 0,
        name=_text(row.get("name"), 80),
        pids=tuple(n for p in _list(row, "pids") if (n := _whole(p)) is not None),
        utilisation=_numbers(row, "utilisation"),
        power=_numbers(row, "power"),
        power_limit=_number(row.get("power_limit")),
        clock=_numbers(row, "clock"),
        clock_max=_number(row.get("clock_max")),
        throttle=tuple(_text(t, 40) for t in _list(row, "throttle")[:16]),
    )


def _tables(row: Plain) -> dict[str, tuple[Mapping[str, str], ...]]:
    probing = row.get("probing")
    tables = probing.get("tables") if isinstance(probing, dict) else None
    found: dict[str, tuple[Mapping[str, str], ...]] = {}
    for name, rows in (tables if isinstance(tables, dict) else {}).items():
        plain = [r for r in rows if isinstance(r, dict)] if isinstance(rows, list) else []
        found[_text(name, 40)] = tuple(
            {_text(k, 60): _text(v, 200) for k, v in r.items()} for r in plain[:500]
        )
    return found


# --- dumps as files ---------------------------------------------------------------------------


def of_dumps(dumps: Sequence[tuple[Dump, int | None, str]]) -> Stacks:
    """The fact of saved dumps: (dump, rank if known, file). Several of one process are samples."""
    groups: dict[tuple[str, int], list[tuple[Dump, int | None, str]]] = {}
    for item in dumps:
        dump, rank, file = item
        key = ("rank", rank) if rank is not None else (file if not dump.pid else "pid", dump.pid)
        groups.setdefault(key, []).append(item)
    ranks = []
    for items in groups.values():
        dump, rank, file = items[-1]
        source = Source(file=file, line=dump.line, rank=rank)
        found = [d for d, _, _ in items]
        ranks.append(_of_dumps(found, pid=dump.pid, rank=rank, command=dump.command, source=source))
    return Stacks(tuple(sorted(ranks, key=lambda r: (r.rank is None, r.rank or 0, r.pid))))


def _of_dumps(found: Sequence[Dump], *, source: Source, **more: Any) -> RankStack:
    mains = [m for d in found if (m := d.main) is not None]
    last = mains[-1] if mains else Thread("", ())
    still = all(m.frames == last.frames for m in mains) if len(mains) > 1 else None
    text = shown(last.frames[0]) if last.frames else ""
    return RankStack(
        spots=tuple(spot_of(m.frames) for m in mains),
        frames=last.frames,
        source=Source(file=source.file, line=source.line, rank=source.rank, text=text),
        still=still,
        gil_holder=_gil(found),
        **more,
    )


def _gil(found: Sequence[Dump]) -> str:
    """A thread that is not the main one and held the GIL every time."""
    names = [next((t.name or "?" for t in d.threads if t.owns_gil), "") for d in found]
    name = names[0] if len(set(names)) == 1 and len(names) > 1 else ""
    return "" if name == "MainThread" else name


# --- plain values -----------------------------------------------------------------------------


def _list(row: Plain, name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


def _whole(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62:
        return value
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e18:
        return float(value)
    return None


def _numbers(row: Plain, name: str) -> tuple[float, ...]:
    return tuple(n for v in _list(row, name)[:MAX_SAMPLES] if (n := _number(v)) is not None)


def _text(value: Any, limit: int) -> str:
    return one_line(value[:limit]) if isinstance(value, str) else ""
