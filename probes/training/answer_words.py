"""A reward that looks for another mark of the answer than the prompt asks for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, calls_in, dotted, last

NEVER = "reward-parser-never-matches"
_OTHER_MARK = Text(
    "{function}() looks for {sought}, and the prompt (line {line}) asks for {asked}: an answer in the "
    "form that is asked for gets no reward",
    "{function}() 查找的是 {sought}，而提示词（第 {line} 行）要求的是 {asked}：按要求格式作答得不到奖励",
)
MIN_WORDS = 4  # of a text that asks for something
_NO_PROMPTS = frozenset(
    """
    search match fullmatch findall finditer compile sub split replace print info warning debug error
    add_argument field startswith endswith find
    """.split()  # noqa: SIM905
)
_TRAINERS = frozenset(("GRPOTrainer", "RLOOTrainer", "OnlineDPOTrainer"))
_MATCHES = frozenset(("search", "match", "fullmatch", "findall", "finditer", "compile"))
# How answers are marked: a tag, \boxed{}, and the #### of GSM8K.
_TAG = regex(r"</?(answer|solution|result|final_answer|output)>")
_BOXED = regex(r"\\+boxed")
_HASHES = regex(r"####")


def other_marks(code: Code) -> Iterator[Fault]:
    """One mark in all prompts, another in all patterns of the reward functions."""
    rewards = [f for name in sorted(_rewards(code)) if (f := code.functions.get(name)) is not None]
    if not rewards or len(rewards) != len(_rewards(code)):
        return
    inside = {id(n) for f in rewards for n in ast.walk(f)}
    asked: dict[str, ast.AST] = {}
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Constant) and id(node) not in inside and _is_prompt(code, node):
            asked.update(dict.fromkeys(_marks(str(node.value)), node))
    for function in rewards:
        sought = {mark: n for n in _patterns(code, function) for mark in _marks(str(n.value))}
        words = {
            mark
            for n in ast.walk(function)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
            for mark in _marks(n.value)
        }
        if len(sought) == len(asked) == 1 and not (set(sought) | words) & asked.keys():
            (mark, node), (other, where) = sought.popitem(), next(iter(asked.items()))
            values = {"function": function.name, "sought": mark, "asked": other}
            yield Fault(NEVER, _OTHER_MARK.fill({**values, "line": _line(where)}), node)
            return


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _rewards(code: Code) -> set[str]:
    """The names of the only reward functions; empty where one is not a function of a name."""
    for call in code.calls:
        if last(call.func) not in _TRAINERS:
            continue
        given = next((w.value for w in call.keywords if w.arg == "reward_funcs"), None)
        several = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
        names = {dotted(one) for one in several}
        return names if "" not in names else set()
    return set()


def _marks(text: str) -> set[str]:
    found = {f"<{m.group(1)}>" for m in _TAG.finditer(text)}
    found |= {"\\boxed{}"} if _BOXED.search(text) else set()
    return found | ({"####"} if _HASHES.search(text) else set())


def _patterns(code: Code, function: ast.FunctionDef) -> Iterator[ast.Constant]:
    """The patterns that a function tries, those that are compiled under a name too."""
    names = {dotted(n) for n in ast.walk(function) if isinstance(n, ast.Name)}
    compiled = [n.value for name in names for n in code.assigned.get(name, ())]
    for part in (function, *compiled):
        for call in calls_in(part):
            given = call.args[0] if call.args and last(call.func) in _MATCHES else None
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                yield given


def _is_prompt(code: Code, node: ast.Constant) -> bool:
    """Whether a text has words, and is neither a docstring nor given to what searches or prints."""
    if not isinstance(node.value, str) or len(node.value.split()) < MIN_WORDS:
        return False
    for one in code.around(node):
        if isinstance(one, ast.Call) and last(one.func) in _NO_PROMPTS:
            return False
        if isinstance(one, ast.stmt):
            return not (isinstance(one, ast.Expr) and one.value is node)
    return True
