"""A process group of gloo in a program that trains on GPUs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, last

GLOO = "gloo-between-gpus"
_GLOO = Text(
    "{call} in a program that puts its model on a GPU: gradients go through host memory and TCP",
    "{call} 出现在把模型放到 GPU 上的程序里：梯度要经过主机内存和 TCP",
)
# A model that stands on a GPU whatever the machine, and what makes groups of several kinds.
_ON_GPU = ("torch.cuda.set_device(", ".cuda(", "device_ids=[")
_OTHERS = ("nccl", "new_group", "is_available", "init_device_mesh")


def backends(code: Code) -> Iterator[Fault]:
    if any(word in code.text for word in _OTHERS) or not any(w in code.text for w in _ON_GPU):
        return
    if not code.backwards:
        return
    for call in code.calls:
        if last(call.func) != "init_process_group" or any(
            isinstance(one, (ast.If, ast.Try)) for one in code.around(call)
        ):
            continue
        words = {word.arg: word.value for word in call.keywords}
        given = words.get("backend") or (call.args[0] if call.args else None)
        if isinstance(given, ast.Constant) and given.value == "gloo":
            yield Fault(GLOO, _GLOO.fill(call=ast.unparse(call)), call)
            return
