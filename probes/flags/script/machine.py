"""What the parts that read a script's source ask of one another."""

from __future__ import annotations

import ast
from typing import Protocol

from .values import Arguments, ClickCommand, Field, Function, Parser, Scope, Value

MAX_TEXT = 10_000  # characters of a text that is put together
MAX_ITEMS = 5_000  # items of a list that is put together


class OutOfSteps(Exception):  # noqa: N818 - a limit, no error
    """The script took more steps than it may."""


class Machine(Protocol):
    """Reads statements and expressions with what is known of their values; runs nothing."""

    parsers: list[Parser]
    commands: list[ClickCommand]
    foreign: list[str]  # other command line libraries that the script calls

    def step(self) -> None:
        """Counts one step. Raises OutOfSteps."""
        ...

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value: ...
    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None: ...
    def call(self, function: Value, arguments: Arguments) -> Value: ...
    def enter(self, function: Function, arguments: Arguments) -> Value: ...
    def fields_of(self, scope: Scope) -> list[Field]:
        """The fields that a class body has declared so far."""
        ...

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> str: ...
    def define_class(self, node: ast.ClassDef, scope: Scope) -> str: ...
    def import_names(self, node: ast.Import, scope: Scope) -> str: ...
    def import_from(self, node: ast.ImportFrom, scope: Scope) -> str: ...
