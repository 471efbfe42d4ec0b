"""The order in which a training loop gets its data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, dotted, last

ORDER, EXCLUDE = "data-order-repeats", "options-exclude-each-other"
_NO_EPOCH = Text(
    "{sampler}.set_epoch(epoch) is called nowhere: every epoch has the same order",
    "全文没有调用 {sampler}.set_epoch(epoch)：每个 epoch 的顺序都相同",
)
_SHUFFLES = Text(
    "shuffle=True beside a sampler: DataLoader refuses it",
    "同时给了 sampler 与 shuffle=True：DataLoader 会报错",
)


def samplers(code: Code) -> Iterator[Fault]:
    for call in code.calls:
        if last(call.func) != "DataLoader":
            continue
        words = {one.arg: one.value for one in call.keywords}
        sampler = dotted(words.get("sampler"))
        made = code.assigned.get(sampler, ())
        if len(made) != 1 or not isinstance(made[0].value, ast.Call):
            continue
        if not last(made[0].value.func).endswith("Sampler"):
            continue  # a function may make none
        shuffle = words.get("shuffle")
        if isinstance(shuffle, ast.Constant) and shuffle.value is True:
            yield Fault(EXCLUDE, _SHUFFLES, call)
        if last(made[0].value.func) == "DistributedSampler":
            yield from _same_order(code, call, sampler, made[0].value)


def in_order(code: Code) -> ast.Call | None:
    """The ``DataLoader(…, shuffle=False)`` that a training loop goes through; None where something
    else draws the samples, or the loader is made in another way."""
    for loop in code.training_loops:
        source = loop.iter if isinstance(loop, ast.For) else None
        names = {dotted(n) for n in ast.walk(source)} if source is not None else set()
        for name in sorted(names - {""}):
            made = code.assigned.get(name, ())
            call = made[0].value if len(made) == 1 else None
            if isinstance(call, ast.Call) and last(call.func) == "DataLoader" and _plain(call):
                return call
    return None


def _plain(loader: ast.Call) -> bool:
    words = {one.arg: one.value for one in loader.keywords}
    shuffle = words.get("shuffle", ast.Constant(False))
    still = isinstance(shuffle, ast.Constant) and shuffle.value is False
    return still and len(loader.args) < 3 and not {"sampler", "batch_sampler", None} & words.keys()


def _same_order(code: Code, call: ast.Call, sampler: str, made: ast.Call) -> Iterator[Fault]:
    still = any(k.arg in ("shuffle", None) and not _may_shuffle(k) for k in made.keywords)
    parent = code.parents[call]
    loader = dotted(parent.targets[0]) if isinstance(parent, ast.Assign) else ""
    if (
        still
        or len(made.args) > 3
        or not loader
        or "set_epoch" in code.text
        or len(code.assigned.get(loader, ())) != 1
    ):
        return
    if not _only_read(code, loader) or len(list(code.uses(sampler))) != 1:
        return
    for loop in code.training_loops:
        source = loop.iter if isinstance(loop, ast.For) else None
        again = code.loops(loop)
        if source is not None and loader in {dotted(n) for n in ast.walk(source)} and again:
            yield Fault(ORDER, _NO_EPOCH.fill(sampler=sampler), again[-1])
            return
    anew = _begun_anew(code, loader)
    if anew is not None:
        yield Fault(ORDER, _NO_EPOCH.fill(sampler=sampler), anew)


def _begun_anew(code: Code, loader: str) -> ast.Call | None:
    """The ``iter(loader)`` of a training that goes by steps and begins the data again once they are
    at an end: in an ``except StopIteration``, inside of a loop that trains."""
    for call in code.calls:
        if dotted(call.func) != "iter" or [dotted(one) for one in call.args] != [loader]:
            continue
        ended = any(
            isinstance(one, ast.ExceptHandler) and last(one.type) == "StopIteration"
            for one in code.around(call)
        )
        around = code.loops(call)
        if ended and any(loop in around for loop in code.training_loops):
            return call
    return None


def _only_read(code: Code, loader: str) -> bool:
    """Whether a loader is only gone through: nothing wraps it that may shuffle it itself."""
    for node in code.uses(loader):
        parent = code.parents[node]
        named = isinstance(parent, ast.Call) and last(parent.func) in (
            "enumerate",
            "len",
            "tqdm",
            "iter",
        )
        if not (named or isinstance(parent, (ast.For, ast.comprehension))):
            return False
    return True


def _may_shuffle(word: ast.keyword) -> bool:
    """``shuffle=True``, and ``config.get("shuffle", True)``: on unless somebody turns it off."""
    value = word.value
    if isinstance(value, ast.Call) and last(value.func) == "get" and len(value.args) == 2:
        value = value.args[1]
    return word.arg == "shuffle" and isinstance(value, ast.Constant) and value.value is True
