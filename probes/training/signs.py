"""Terms of a loss that pull the wrong way: what is to be small is subtracted, or the reverse."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from medic.i18n import Text
from medic.records import dataclass
from medic.text.patterns import regex

from .code import Code, Fault, at, dotted, last
from .flow import Held, held, owner, returned

SIGN = "loss-term-has-wrong-sign"
_WHATS = {
    "kl": Text(
        "{term} is subtracted from the loss: minimising it drives the two distributions apart",
        "loss 减去了 {term}：最小化时两个分布反而被推开",
    ),
    "entropy": Text(
        "{term} is added to the loss: minimising it drives the entropy to zero",
        "loss 加上了 {term}：最小化时熵被压到零",
    ),
    "advantage": Text(
        "{term} has no minus: minimising it makes what was rewarded less likely",
        "{term} 前没有负号：最小化时得到奖励的行为反而更不可能",
    ),
    "loss": Text(
        "{term} is a loss, and its negative is minimised: the model learns to be wrong",
        "{term} 本身就是 loss，却在最小化它的相反数：模型学着出错",
    ),
    "preference": Text(
        "{term} is the rejected answer above the chosen one: minimising the loss prefers the rejected",
        "{term} 是 rejected 高于 chosen 的差：最小化 loss 时偏好的是 rejected",
    ),
}
_ENTROPY = regex(r"(?i)^(?:\w+_)?(?:ent|entropy)(?:_mean|_bonus)?$")
_KL = regex(r"(?i)^(?:\w+_)?kld?(?:_loss|_div|_mean|_penalty|_term)?$")
_ADVANTAGE = regex(r"(?i)^(?:a|adv|advs|advantages?|gae)$")
_CHANCE = regex(r"(?i)^(?:lp|logp|logps|log_probs?|logprobs?|new_logp\w*|ratio|ratios|r_t)$")
_REWARDS = regex(r"(?i)^(?:r|g|rew|rewards?|returns?|scores?|ret|q_?values?)$")
_CHOSEN, _REJECTED = regex(r"(?i)chosen|win|preferred|\bcho\b"), regex(r"(?i)reject|lose|\brej\b")
_REFERENCE = regex(r"(?i)ref")
_POSITIVE = frozenset(("cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "nll_loss"))
_SAME = frozenset("mean sum clamp clip item squeeze float flatten view reshape detach".split())  # noqa: SIM905
# Where a loss is raised, or an entropy lowered, on purpose.
_MEANT = regex(
    r"(?i)unlearn|forget|adversar|ascent|maximi[sz]e\s*=\s*True|gradient_?revers|attack|tent\b|"
    r"entropy_minimi|discriminator|minimax"
)
_REINFORCES = regex(r"(?i)advantage|\badv\b|reward")
_DEPTH = 6


@dataclass(frozen=True)
class Term:
    """A part of a sum: +1 or -1, and what it is."""

    sign: int
    node: ast.AST


def signs(code: Code) -> Iterator[Fault]:
    if _MEANT.search(code.text):
        return
    for call in sorted(code.calls, key=at):
        if last(call.func) != "backward" or not isinstance(call.func, ast.Attribute):
            continue
        loss: ast.AST = call.args[0] if call.args else call.func.value
        if isinstance(loss, ast.Call) and last(loss.func) == "scale" and loss.args:
            loss = loss.args[0]
        terms = list(_terms(code, loss, 1, _DEPTH))
        for term in terms:
            kind = _wrong(code, term)
            if kind and (kind != "loss" or len(terms) == 1):  # a second term may be there to repel
                what = _WHATS[kind].fill(term=_short(term.node))
                yield Fault(SIGN, what, term.node)
                return


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."


def _terms(code: Code, node: ast.AST, sign: int, depth: int) -> Iterator[Term]:
    """The parts of a sum, through names, minus signs, constant factors and what divides them."""
    if depth == 0:
        return
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from _terms(code, node.operand, -sign, depth)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _terms(code, node.left, sign, depth)
        right = -sign if isinstance(node.op, ast.Sub) else sign
        yield from _terms(code, node.right, right, depth)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield from _terms(code, node.left, sign, depth)
    elif (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and _factor(node) is not None
    ):
        factor, rest = _factor(node) or (1, node)
        yield from _terms(code, rest, sign * factor, depth)
    elif isinstance(node, ast.Name) and not _known(node.id):
        found = held(code, node.id, node)
        if found is None or found.element is not None:
            yield Term(sign, node)
        else:
            yield from _terms(code, found.value, sign, depth - 1)
    elif (inner := _averaged(node)) is not None:
        yield from _terms(code, inner, sign, depth - 1)
    else:
        yield Term(sign, node)


def _known(name: str) -> bool:
    """A name that says what it is: what it is made of says less."""
    named = bool(_CHOSEN.search(name)) != bool(_REJECTED.search(name))
    return named or bool(_ENTROPY.match(name) or _KL.match(name))


def _averaged(node: ast.AST) -> ast.AST | None:
    """What a mean, or a change of form, is taken of."""
    return owner(node) if isinstance(node, ast.Call) and last(node.func) in _SAME else None


def _factor(node: ast.BinOp) -> tuple[int, ast.AST] | None:
    """(its sign, the rest) of a product with a number or a coefficient: ``cfg["kl_coef"] * kl``."""
    for one, rest in ((node.left, node.right), (node.right, node.left)):
        value = one.operand if isinstance(one, ast.UnaryOp) else one
        words = ("coef", "beta", "weight", "alpha", "lambda", "lam", "scale")
        number = isinstance(value, ast.Constant) and isinstance(value.value, (int, float))
        if number or any(word in ast.unparse(value).lower() for word in words):
            negative = isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub)
            return (-1 if negative else 1), rest
    return None


# --- what a term is -------------------------------------------------------------------------


def _wrong(code: Code, term: Term) -> str:
    """What is wrong with the sign of a term; "" where nothing is, or it cannot be told."""
    name = _name(term.node)
    if _KL.match(name) and term.sign < 0 and _is_positive(code, term.node, _spread):
        return "kl"
    if _ENTROPY.match(name) and term.sign > 0 and _REINFORCES.search(code.text):
        return "entropy" if _is_positive(code, term.node, _disorder) else ""
    if term.sign > 0 and _rewards(code, term.node):
        return "advantage"
    if isinstance(term.node, ast.Call):
        if term.sign < 0 and last(term.node.func) in _POSITIVE:
            return "loss"
        if term.sign < 0 and _spread(term.node):
            return "kl"
        if term.sign > 0 and _disorder(term.node) and _REINFORCES.search(code.text):
            return "entropy"
        if term.sign < 0 and last(term.node.func) == "logsigmoid" and _reversed(code, term.node):
            return "preference"
    return ""


def _name(node: ast.AST) -> str:
    node = _stripped(node)
    return node.id if isinstance(node, ast.Name) else ""


def _is_positive(code: Code, node: ast.AST, judge: Callable[[ast.AST], bool]) -> bool:
    """Whether what a name holds is the quantity itself, not its negative."""
    node = _stripped(node)
    found = held(code, node.id, node) if isinstance(node, ast.Name) else None
    values = _values(code, found) if found is not None else []
    return bool(values) and all(judge(one) for one in values)


def _values(code: Code, found: Held) -> list[ast.AST]:
    """What it is set to, or what the function of this module returns for it."""
    if found.element is None and not isinstance(found.value, ast.Call):
        return [found.value]
    call = found.value
    own = code.functions.get(dotted(call.func)) if isinstance(call, ast.Call) else None
    if own is not None:
        return returned(own, found.element)
    return [call] if found.element is None else []


def _stripped(node: ast.AST) -> ast.AST:
    while (inner := _averaged(node)) is not None:
        node = inner
    return node


def _spread(node: ast.AST) -> bool:
    """A divergence that cannot be negative: a library's, or ``exp(d) - d - 1`` (Schulman's k3)."""
    node = _stripped(node)
    if isinstance(node, ast.Call):
        return last(node.func) in ("kl_div", "kl_divergence")
    if _of_latents(node):
        return True
    parts = list(_plain(node, 1))
    grows = any(s > 0 and isinstance(n, ast.Call) and last(n.func) == "exp" for s, n in parts)
    less = any(s < 0 and isinstance(n, ast.Constant) and n.value == 1 for s, n in parts)
    return grows and less and len(parts) == 3


def _of_latents(node: ast.AST) -> bool:
    """``-0.5 * sum(1 + logvar - mu**2 - logvar.exp())``, of a Gaussian to the unit one (Kingma and
    Welling 2013, appendix B)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        node = node.left
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    factor, inner = ast.unparse(node.left), _stripped(node.right)
    parts = [(sign, ast.unparse(one)) for sign, one in _plain(inner, 1)]
    less = any(sign < 0 and "exp" in text for sign, text in parts)
    return factor.startswith("-") and (1, "1") in parts and less


def _plain(node: ast.AST, sign: int) -> Iterator[tuple[int, ast.AST]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _plain(node.left, sign)
        yield from _plain(node.right, -sign if isinstance(node.op, ast.Sub) else sign)
    else:
        yield sign, node


def _disorder(node: ast.AST) -> bool:
    """``dist.entropy()``, or minus the sum of ``p * log p``."""
    node = _stripped(node)
    if isinstance(node, ast.Call):
        return last(node.func) == "entropy" and not node.args
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
        return False
    inner = _stripped(node.operand)
    return isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult)


def _rewards(code: Code, node: ast.AST) -> bool:
    """``(logp * adv)`` and the clipped ``min(ratio * adv, ...)``, where the advantage grows with
    the reward."""
    node = _stripped(node)
    if isinstance(node, ast.Call) and last(node.func) in ("min", "minimum") and len(node.args) == 2:
        return all(_rewards(code, one) for one in node.args)
    if isinstance(node, ast.Name):
        found = held(code, node.id, node)
        return found is not None and found.element is None and _rewards(code, found.value)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    sides = [(node.left, node.right), (node.right, node.left)]
    return any(_chances(a) and _grows(code, b, _DEPTH) for a, b in sides)


def _chances(node: ast.AST) -> bool:
    """Whether a factor is a log probability, or a ratio of probabilities, or made of one."""
    names = [last(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
    return any(_CHANCE.match(name) for name in names)


def _grows(code: Code, node: ast.AST, depth: int) -> bool:
    """Whether an advantage is the reward, less something, over something."""
    node = _stripped(node)
    if isinstance(node, ast.Subscript):
        return _grows(code, node.value, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Div)):
        return _grows(code, node.left, depth)
    if isinstance(node, ast.Name) and depth:
        if _REWARDS.match(node.id):
            return True
        found = held(code, node.id, node) if _ADVANTAGE.match(node.id) else None
        return found is not None and found.element is None and _grows(code, found.value, depth - 1)
    return False


def _reversed(code: Code, call: ast.Call) -> bool:
    """Whether the margin of ``logsigmoid`` rises with the rejected answer and falls with the chosen."""
    sides: dict[int, set[str]] = {1: set(), -1: set()}
    for term in _terms(code, call.args[0], 1, _DEPTH) if call.args else ():
        for name in (
            last(n) for n in ast.walk(term.node) if isinstance(n, (ast.Name, ast.Attribute))
        ):
            if _CHOSEN.search(name):
                sides[-term.sign if _REFERENCE.search(name) else term.sign].add("chosen")
            if _REJECTED.search(name):
                sides[-term.sign if _REFERENCE.search(name) else term.sign].add("rejected")
    return sides == {1: {"rejected"}, -1: {"chosen"}}
