"""Which model a module loads, and how."""

from __future__ import annotations

import ast

from medic.syntax.python_reader import Reader
from medic.syntax.python_scopes import Scopes, last
from medic.syntax.python_values import Group, Known, Result, dotted

_TRAINER = "Trainer"
_LOADS = ("CausalLM.from_pretrained", "LanguageModel.from_pretrained")
_UNSLOTH, _BY_UNSLOTH = "LanguageModel.from_pretrained", "use_unsloth"
_MODEL = "model_name_or_path"
_MODEL_ARGUMENTS = ("pretrained_model_name_or_path", "model_name")  # the latter is Unsloth's
_DTYPE = "torch_dtype"
# The setting: the dtype that the frozen copy beside the trained model is loaded in.
REFERENCE_DTYPE = "reference_torch_dtype"
_LOADING = {
    "dtype": _DTYPE,
    _DTYPE: _DTYPE,
    "attn_implementation": "attn_implementation",
    "load_in_4bit": "load_in_4bit",
    "load_in_8bit": "load_in_8bit",
    "max_seq_length": "max_seq_length",
}


def put_model(run: Group, reader: Reader, module: ast.Module, made: list[ast.Call]) -> None:
    """The name of the one model that the module loads (``AutoModelForCausalLM.from_pretrained``,
    ``SFTTrainer(model="…")``), and how it is loaded."""
    loads = [n for n in made if dotted(n.func).endswith(_LOADS)]
    loaded = [n.args[0] for n in loads if n.args]
    loaded += [k.value for n in loads for k in n.keywords if k.arg in _MODEL_ARGUMENTS]
    trainers = [n for n in made if dotted(n.func).endswith(_TRAINER)]
    loaded += [k.value for n in trainers for k in n.keywords if k.arg == "model"]
    scopes = Scopes(reader, module)
    _put_loading(run, scopes, loads, trainers)
    found = [scopes.value(node) for node in loaded]
    names = {v.value: v for v in found if isinstance(v, Known) and isinstance(v.value, str)}
    if len(names) == 1 and _MODEL not in run.settings:
        (value,) = names.values()
        run.settings[_MODEL] = (value.node, value)


def _put_loading(
    run: Group, scopes: Scopes, loads: list[ast.Call], trainers: list[ast.Call]
) -> None:
    """How the trained model is loaded, by the names that a trainer's configuration has for it: what all
    of its loads say. Where it cannot be told which one is trained, what all loads say."""
    if len(loads) == 1 and dotted(loads[0].func).endswith(_UNSLOTH):
        run.settings.setdefault(_BY_UNSLOTH, (loads[0].func, Known(value=True, node=loads[0].func)))
    trained = _handed(scopes, loads, trainers, "model") or loads
    for name, value in _alike(scopes, trained).items():
        run.settings.setdefault(name, (value.node, value))
    reference = _handed(scopes, loads, trainers, "ref_model")
    held = _alike(scopes, reference).get(_DTYPE)
    if held is not None:
        run.settings.setdefault(REFERENCE_DTYPE, (held.node, held))


def _handed(
    scopes: Scopes, loads: list[ast.Call], trainers: list[ast.Call], argument: str
) -> list[ast.Call]:
    """The loads that are bound to what trainers take as this argument."""
    given = {
        last(k.value): k.value for call in trainers for k in call.keywords if k.arg == argument
    }
    if len(given) != 1:
        return []
    ((name, value),) = given.items()
    return [one for one in loads if one is value or (name and name in scopes.bound_to(one).split())]


def _alike(scopes: Scopes, loads: list[ast.Call]) -> dict[str, Known]:
    """By name what each of these loads says, and says alike."""
    each = [_said(scopes, one) for one in loads]
    found: dict[str, Known] = {}
    for name in each[0] if each else ():
        values = [said.get(name) for said in each]
        first = values[0]
        if isinstance(first, Known) and all(
            isinstance(v, Known) and v.value == first.value for v in values
        ):
            found[name] = first
    return found


def _said(scopes: Scopes, load: ast.Call) -> dict[str, Result]:
    """Arguments of a load, also those of a dictionary that it unpacks (``**model_kwargs``)."""
    said: dict[str, Result] = {}
    for keyword in load.keywords:
        value = scopes.value(keyword.value)
        if keyword.arg in _LOADING:
            said.setdefault(_LOADING[keyword.arg], value)
        elif keyword.arg is None and isinstance(value, Group):
            for argument, (_, inner) in value.settings.items():
                if argument in _LOADING:
                    said.setdefault(_LOADING[argument], inner)
    return said
