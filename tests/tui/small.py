"""A small knowledge and small probes for the app's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import Hit, LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import Finding, Probe, Skip
from medic.records import replace
from medic.run_config import Change, Origin, RunConfig, Span, Value


def text(en: str, zh: str) -> dict[str, str]:
    return {"en": en, "zh": zh}


def ask(en: str, zh: str, minutes: float = 1.0) -> dict[str, Any]:
    return {"say": text(en, zh), "how": text(f"how: {en}", f"怎么查:{zh}"), "minutes": minutes}


def cause(name: str, code: str, en: str, zh: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "code": code,
        "since": "0.1.0",
        "title": text(en, zh),
        "family": "memory",
        "why": text(f"why {en}", f"为何{zh}"),
        "prior": {"single-node": "common"},
        "shows": [{"symptom": "cuda-out-of-memory", "level": "always"}],
        "remedies": [f"fix-{name}"],
        "sources": [],
        **more,
    }


def remedy(name: str, en: str, zh: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": text(en, zh),
        "kind": "config",
        "safe": True,
        "costs": {"minutes": 5, "say": text("one restart", "重启一次")},
        "success": "usually",
        "do": text(en, zh),
        "worked_if": {"gone": "cuda-out-of-memory"},
        **more,
    }


def tells(check: str, outcome: str, weight: str) -> dict[str, str]:
    return {"check": check, "outcome": outcome, "weight": weight}


def symptom(name: str, en: str, zh: str, **more: Any) -> dict[str, Any]:
    phrases = {"en": [en.lower()], "zh": [zh]}
    return {"name": name, "family": name, "title": text(en, zh), "phrases": phrases, **more}


RAW: dict[str, Any] = {
    "symptoms": {
        "cuda-out-of-memory": symptom(
            "cuda-out-of-memory",
            "CUDA out of memory",
            "显存不足",
            signatures=[
                {
                    "id": "oom",
                    "pattern": "CUDA out of memory",
                    "role": "root",
                    "match": ["CUDA out of memory"],
                }
            ],
        ),
        "training-hangs": symptom(
            "training-hangs",
            "Training hangs",
            "训练卡住",
            ask=ask("Does it hang?", "训练是否卡住?"),
        ),
    },
    "checks": {
        "oom-shortfall": {
            "name": "oom-shortfall",
            "family": "numbers",
            "title": text("Who holds the memory", "显存被谁占用"),
            "outcomes": {
                "no-message": {"title": text("no memory message", "没有显存报错"), "normal": True},
                "genuine-need": {
                    "title": text("this process needs it", "本进程确实需要"),
                    "otherwise": "sometimes",
                },
                "other-process": {
                    "title": text("another process holds it", "被其他进程占用"),
                    "otherwise": "never",
                },
            },
            "ask": ask("What do the numbers of the message say?", "报错里的数字说明什么?"),
        }
    },
    "causes": {
        "micro-batch-too-large": cause(
            "micro-batch-too-large",
            "MEM-001",
            "The micro batch does not fit",
            "单卡微批次放不进显存",
            told_by=[
                tells("oom-shortfall", "genuine-need", "strong"),
                tells("oom-shortfall", "other-process", "rules-out"),
            ],
            lint={
                "severity": "error",
                "message": text(
                    "needs {estimate} on a {capacity} GPU", "需要 {estimate},显存 {capacity}"
                ),
                "then": text("the first step fails", "第一步就会失败"),
            },
            do_not=[{"say": text("empty the cache every step", "每步清空缓存")}],
        ),
        "gpu-held-by-another-process": cause(
            "gpu-held-by-another-process",
            "MEM-003",
            "Another process holds the GPU",
            "其他进程占用了 GPU",
            told_by=[
                tells("oom-shortfall", "other-process", "confirms"),
                tells("oom-shortfall", "genuine-need", "rules-out"),
            ],
        ),
        "total-steps-mismatch": cause(
            "total-steps-mismatch",
            "SCH-001",
            "total_steps does not match",
            "总步数与 token 数不符",
            family="schedule",
            shows=[{"symptom": "training-hangs", "level": "rarely"}],
            prior={"single-node": "rare"},
            lint={
                "severity": "warning",
                "message": text(
                    "{configured} steps, not {expected}", "配置 {configured} 步,应为 {expected}"
                ),
                "then": text("the decay ends early", "衰减过早结束"),
            },
        ),
    },
    "remedies": {
        "fix-micro-batch-too-large": remedy(
            "fix-micro-batch-too-large",
            "Halve the micro batch",
            "微批次减半",
            changes={"micro_batch_size": {"set": 4}},
            check=text("20 steps pass", "跑过 20 步"),
        ),
        "fix-gpu-held-by-another-process": remedy(
            "fix-gpu-held-by-another-process",
            "End the other process",
            "结束其他进程",
            kind="command",
            command="nvidia-smi --query-compute-apps=pid,used_memory --format=csv",
        ),
        "fix-total-steps-mismatch": remedy(
            "fix-total-steps-mismatch",
            "Set total_steps",
            "修正总步数",
            changes={"total_steps": {"set": 200}},
        ),
    },
    "procedures": {
        "two-steps": {
            "name": "two-steps",
            "title": text("Two steps", "两步"),
            "steps": [
                {
                    "name": "alone",
                    "do": text("Try it alone.", "单独试。"),
                    "outcomes": {"fails": "read", "runs": "done"},
                },
                {
                    "name": "read",
                    "do": text("Read the message.", "读报错。"),
                    "outcomes": {"memory": "micro-batch-too-large", "other": "done"},
                },
            ],
        }
    },
    "frameworks": {},
    "models": {},
    "gpus": {},
    "terms": {},
}


def _logs(look: Any) -> Iterator[Any]:
    hits, steps = [], []
    for file in look.files("log"):
        for number, row in look.lines(file.path):
            if row.startswith("step "):
                at = Source(file.name, number, 0, text=row)
                steps.append(StepLine(int(row.split()[1]), {}, at))
            if "CUDA out of memory" in row:
                source = Source(file.name, number, 0, text=row)
                order = (0.0, 0, number)
                hits.append(Hit("oom", "cuda-out-of-memory", "root", source, {}, order))
    if hits or steps:
        last = max((s.step for s in steps), default=None)
        found = LogHits(tuple(hits), tuple(steps), last_step=last)
        yield replace(found, ended="badly") if hits else found


def _config(look: Any) -> Iterator[Any]:
    """The micro batch of the last file or paste; what is given by hand rules."""
    values = {}
    for file in sorted(look.files("config"), key=lambda f: f.name.startswith("<")):
        data = "\n".join(row for _, row in look.lines(file.path)).encode() + b"\n"
        start = data.index(b"micro_batch_size: ") + len("micro_batch_size: ")
        end = data.index(b"\n", start)
        line = data[:start].count(b"\n") + 1
        span = Span(file.path, start, end, line, 19, line, 20)
        path = ("micro_batch_size",)
        origin = Origin("file", span, "yaml", path, "micro_batch_size", "plain")
        values["micro_batch_size"] = Value(int(data[start:end]), origin)
        where = Source(file.name, line)
    for name, value in look.given.items():
        values[name] = Value(value, Origin("given", key=name))
    if not values:
        return
    yield RunConfig(values, files=tuple(file.path for file in look.files("config")))
    micro = values.get("micro_batch_size")
    if (
        micro is not None
        and isinstance(micro.value, int)
        and micro.value > 4
        and micro.origin.source == "file"
    ):
        change = Change("micro_batch_size", micro.value, 4, Text("halved", "减半"))
        told = {"estimate": "90 GiB", "capacity": "80 GiB"}
        yield Finding("micro-batch-too-large", "fires", told, where, changes=(change,))


def _gpu(look: Any) -> Iterator[Any]:
    yield Skip(Text("LogHits", "LogHits"))


def _broken(look: Any) -> Iterator[Any]:
    raise ValueError("[/bold] \x1b[31mbroken\x1b[0m")
    yield


def probe(name: str, run: Any, **more: Any) -> Probe:
    return Probe(name=name, tells=more.pop("tells", ()), run=run, **more)


PROBES = (
    probe("broken", _broken),
    probe("config", _config, tells=("micro-batch-too-large",), gives=(RunConfig,)),
    probe("gpu", _gpu),
    probe("logs", _logs, gives=(LogHits,)),
)
