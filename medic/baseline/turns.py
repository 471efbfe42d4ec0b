"""Differences that are the turn of a known fault: a rate that was raised, a switch that was set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from medic.facts import Difference, Source
from medic.probe import Finding

CHECK = "turned-since-good"
# A change of less is no turn. Rates and batches are near their best over a wide range (DeepSeek LLM,
# arXiv 2401.02954, section 3.1), and are searched by factors of 2 and more: this is a third of such a step.
FACTOR = 1.25
STEP = 2.0  # a whole one, for what only a larger change of tells: the clip, the warmup
# Runs that differ in more are two runs, and no one of them stands out (by judgement, not measured).
MOST = 4
_ON = frozenset(("1", "true", "yes", "on"))
_TURN = Callable[[str, str], str]  # (value that worked, value now) -> outcome, "" for none


def turns(differences: Iterable[Difference]) -> list[Finding]:
    """A finding for each difference that is a turn; none where there are too many of them."""
    found = [(outcome, one) for one in differences if (outcome := turn_of(one))]
    if len({outcome for outcome, _ in found}) > MOST:
        return []
    first = dict(reversed(found))
    return [_finding(outcome, first[outcome]) for outcome in first]


def turn_of(one: Difference) -> str:
    """The outcome of ``turned-since-good`` that a difference is; "" where it is none."""
    if one.kind not in ("config", "node"):
        return ""
    name = one.name.lstrip("-").rpartition(".")[2]
    turn = _TURNS.get(name) or _TURNS.get(name.lower())
    return turn(one.good, one.now) if turn is not None else ""


def _finding(outcome: str, one: Difference) -> Finding:
    told = f"{one.name} {one.good or '-'} -> {one.now or '-'}"
    places = [place for place in (one.now_at, one.good_at) if place.file]
    source = places[0] if places else Source()
    return Finding(CHECK, outcome, {"told": told}, source, tuple(places[1:]))


def _ratio(good: str, now: str) -> float | None:
    try:
        before, after = float(good.replace(",", "")), float(now.replace(",", ""))
    except ValueError:
        return None
    return after / before if before > 0 and after > 0 else None


def _moved(up: str = "", down: str = "") -> _TURN:
    """By the ratio of two numbers."""

    def turn(good: str, now: str) -> str:
        ratio = _ratio(good, now)
        if ratio is None or 1 / FACTOR < ratio < FACTOR:
            return ""
        return up if ratio > 1 else down

    return turn


def _clip(good: str, now: str) -> str:
    """Looser, or off; where it is no longer stated the framework's own holds."""
    ratio = _ratio(good, now)
    off = now.strip().lower() in ("0", "0.0", "none", "null", "false")
    return "clip-loosened" if off or (ratio is not None and ratio >= STEP) else ""


def _warmup(good: str, now: str) -> str:
    ratio = _ratio(good, now)
    gone = now.strip() in ("", "0", "0.0")
    return "warmup-shortened" if gone or (ratio is not None and ratio <= 1 / STEP) else ""


def _words(table: Mapping[str, str], *, off: str = "") -> _TURN:
    """By the word that is set now; ``off``: where a switch was turned off."""

    def turn(good: str, now: str) -> str:
        value, before = now.strip().lower(), good.strip().lower()
        if value in ("", "false", "0", "none") and before not in ("", "false", "0", "none"):
            return off
        return table.get(value, "")

    return turn


def _set(outcome: str) -> _TURN:
    return _words(dict.fromkeys(_ON, outcome))


_SAVES = _moved(down="saves-more-often")
_TURNS: dict[str, _TURN] = {
    "learning_rate": _moved("rate-raised", "rate-lowered"),
    "warmup_steps": _warmup,
    "warmup_ratio": _warmup,
    "decay_steps": _moved(down="decay-shortened"),
    "weight_decay": _moved("weight-decay-raised"),
    "adam_beta2": lambda good, now: "beta2-raised" if (_ratio(good, now) or 0) > 1 else "",
    "gradient_clip": _clip,
    "precision": _words({"fp16": "to-fp16", "fp32": "to-fp32"}),
    "micro_batch_size": _moved("micro-batch-raised", "micro-batch-lowered"),
    "sequence_length": _moved("sequence-raised"),
    "zero_stage": lambda good, now: (
        ("sharded-deeper" if now > good else "sharded-less")
        if good.isdecimal() and now.isdecimal()
        else ""
    ),
    "optimizer_offload": _words(
        {"cpu": "offload-set", "nvme": "offload-set"}, off="offload-removed"
    ),
    "activation_checkpointing": _words(
        dict.fromkeys(_ON, "recompute-set"), off="recompute-removed"
    ),
    "attention": _words({"eager": "attention-unfused"}),
    "epochs": _moved("epochs-raised"),
    "num_workers": lambda good, now: (
        "workers-lowered"
        if good.strip() and now == "0"
        else _moved(down="workers-lowered")(good, now)
    ),
    "save_interval": _SAVES,
    "eval_interval": _SAVES,
    "CUDA_LAUNCH_BLOCKING": _set("debug-set"),
    "TORCH_DISTRIBUTED_DEBUG": _words({"detail": "debug-set"}),
    "detect_anomaly": _set("debug-set"),
    "NCCL_IB_DISABLE": _set("rdma-lost"),
    "NCCL network": _words({"socket": "rdma-lost"}),
    "NCCL_P2P_DISABLE": _set("peer-to-peer-off"),
}
