"""What ``value.name`` stands for."""

from __future__ import annotations

from typing import Any

from medic.records import replace

from .values import (
    UNKNOWN,
    Class,
    External,
    Field,
    Function,
    Instance,
    Method,
    Module,
    Parser,
    Remainder,
    Subparsers,
    Subscripted,
    Super,
    Value,
)

_CONSTANTS: dict[str, Any] = {
    "argparse.REMAINDER": "...",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "argparse.PARSER": "A...",
    "argparse.SUPPRESS": "==SUPPRESS==",
}


def imported(name: str) -> Value:
    """A name of a package that is not given."""
    return _CONSTANTS.get(name, External(name))


def attribute(value: Value, name: str) -> Value:
    """The attribute of a value, or UNKNOWN."""
    if isinstance(value, External):
        return imported(f"{value.name}.{name}")
    if isinstance(value, Module):
        return value.scope.names.get(name, UNKNOWN)
    if isinstance(value, Super):
        return _super_attribute(value, name)
    if isinstance(value, (Instance, Parser)):
        return _object_attribute(value, name)
    if isinstance(value, Class):
        return _class_attribute(value, name)
    if isinstance(value, Field):
        return _field_attribute(value, name)
    if isinstance(value, Subscripted):
        return {"__origin__": value.origin, "__args__": value.arguments}.get(name, UNKNOWN)
    if isinstance(value, Function):
        return value.node.name if name == "__name__" and hasattr(value.node, "name") else UNKNOWN
    if isinstance(value, (str, list, tuple, dict, Subparsers, Remainder)) or value is UNKNOWN:
        return Method(value, name)
    return UNKNOWN


def bound(found: Value, owner: Value) -> Value:
    """A function found in a class, as a method of ``owner`` (an object or a class)."""
    if not isinstance(found, Function) or found.kind == "staticmethod":
        return found
    if found.kind == "property":
        return UNKNOWN
    if found.kind == "classmethod" and not isinstance(owner, Class):
        owner = owner.of
    elif found.kind == "plain" and isinstance(owner, Class):
        return found
    return replace(found, owner=owner)


def _object_attribute(value: Instance | Parser, name: str) -> Value:
    if name in value.attributes:
        return value.attributes[name]
    if name == "__class__" and value.of is not None:
        return value.of
    if name == "__dict__" and isinstance(value, Instance):
        return value.attributes
    found = value.of.find(name) if value.of is not None else UNKNOWN
    if found is not UNKNOWN:
        return bound(found, value)
    if isinstance(value, Instance) and name == "__dataclass_fields__":
        return _class_attribute(value.of, name)
    return Method(value, name) if isinstance(value, Parser) else UNKNOWN


def _super_attribute(value: Super, name: str) -> Value:
    owner = value.owner.of if isinstance(value.owner, (Instance, Parser)) else None
    order = owner.lineage() if isinstance(owner, Class) else []
    before = order[: order.index(value.of)] if value.of in order else []
    for one in reversed(before):
        if name in one.scope.names:
            return bound(one.scope.names[name], value.owner)
    return Method(value.owner, name) if isinstance(value.owner, Parser) else UNKNOWN


def _class_attribute(value: Class, name: str) -> Value:
    if name in ("__dataclass_fields__", "model_fields", "__fields__"):
        return {f.name: f for f in value.fields()} if value.closed() else UNKNOWN
    if name == "__annotations__":
        return {f.name: f.type for f in value.own_fields}
    if name == "__name__":
        return value.name
    return bound(value.find(name), value)


def _field_attribute(value: Field, name: str) -> Value:
    return {
        "name": value.name,
        "type": value.type,
        "annotation": value.hint,
        "default": value.default,
        "default_factory": value.factory,
        "metadata": value.metadata,
        "init": value.init,
    }.get(name, UNKNOWN)
