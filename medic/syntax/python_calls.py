"""The calls of a module, and what is known where they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.syntax.python_reader import Reader
from medic.syntax.python_scopes import Scopes, last
from medic.syntax.python_values import Known, Result, Unknown, dotted

_CONFIGS = ("LlamaConfig", "MistralConfig", "Qwen2Config", "Qwen3Config", "GPT2Config", "Phi3Config",
            "GemmaConfig", "Olmo2Config")  # fmt: skip


def makes_model(call: ast.Call) -> bool:
    name = dotted(call.func)
    return name.endswith(("CausalLM.from_pretrained", "CausalLM.from_config", "ForCausalLM"))


class Calls:
    """Calls of a module, with what is known where they stand."""

    def __init__(self, reader: Reader, module: ast.Module, calls: list[ast.Call]) -> None:
        self.module, self.calls = module, calls
        self.scopes = Scopes(reader, module)

    def named(self, *names: str) -> list[ast.Call]:
        return [c for c in self.calls if last(c.func) in names]

    def value(self, node: ast.expr) -> Result:
        return self.scopes.value(node)

    def argument(self, call: ast.Call, name: str, place: int | None = None) -> Result | None:
        """Of a call, by its name or its place; None where it is not given."""
        for keyword in call.keywords:
            if keyword.arg == name:
                return self.value(keyword.value)
        if place is not None and len(call.args) > place:
            return self.value(call.args[place])
        return None

    def sizes(self) -> Iterator[tuple[str, Result]]:
        """Of a model that is made from a configuration of transformers."""
        made = self.named(*_CONFIGS)
        for call in made if len(made) == 1 else ():
            for keyword in call.keywords:
                if keyword.arg:
                    yield keyword.arg, self.value(keyword.value)
            kind = last(call.func).removesuffix("Config").lower()
            yield "model_type", Known(kind, call.func)


def one(found: list[Result]) -> Result | None:
    """The value that all of them are; unknown where they differ or one is."""
    if not found:
        return None
    same = {v.value for v in found if isinstance(v, Known)}
    if len(same) == 1 and all(isinstance(v, Known) for v in found):
        return found[0]
    return Unknown(found[0].node)
