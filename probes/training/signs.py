"""Terms of a loss that pull the wrong way: what is to be small is subtracted, or the reverse."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from medic.i18n import Text
from medic.records import dataclass
from medic.text.patterns import regex

from .advantages import averaged, slope, stripped
from .code import Code, Fault, at, dotted, last
from .flow import Held, held, returned
from .preferences import named, turned

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
    "falls": Text(
        "the advantage in {term} is the mean less the reward: it falls as the reward rises, and what "
        "earned more is made less likely",
        "{term} 里的优势是“均值减奖励”：奖励越高优势越低，得分高的回答反而更不可能",
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
_POSITIVE = frozenset(("cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "nll_loss"))
# Where a loss is raised, or an entropy lowered, on purpose.
_MEANT = regex(
    r"(?i)unlearn|forget|adversar|ascent|maximi[sz]e\s*=\s*True|gradient_?revers|attack|\btent\b|"
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
        value = _set_to(code, node)
        if value is None:
            yield Term(sign, node)
        else:
            yield from _terms(code, value, sign, depth - 1)
    elif (inner := averaged(node)) is not None:
        yield from _terms(code, inner, sign, depth - 1)
    else:
        yield Term(sign, node)


def _set_to(code: Code, node: ast.Name) -> ast.AST | None:
    """What a name holds; of a loss also what the function of this module returns for it."""
    found = held(code, node.id, node)
    if found is None:
        return None
    values = _values(code, found) if "loss" in node.id.lower() else []
    if len(values) == 1:
        return values[0]
    return found.value if found.element is None else None


def _known(name: str) -> bool:
    """A name that says what it is: what it is made of says less."""
    return len(named(name)) == 1 or bool(_ENTROPY.match(name) or _KL.match(name))


def _factor(node: ast.BinOp) -> tuple[int, ast.AST] | None:
    """(its sign, the rest) of a product with a number or a coefficient: ``cfg["kl_coef"] * kl``."""
    for one, rest in ((node.left, node.right), (node.right, node.left)):
        value = one.operand if isinstance(one, ast.UnaryOp) else one
        words = ("coef", "beta", "weight", "alpha", "lambda", "lam", "scale", "mask")
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            continue  # the terms themselves
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
    rises = slope(code, term.node)
    if rises * term.sign > 0:
        return "advantage" if rises > 0 else "falls"
    if isinstance(term.node, ast.Call):
        if term.sign < 0 and last(term.node.func) in _POSITIVE:
            return "loss"
        if term.sign < 0 and _spread(term.node):
            return "kl"
        if term.sign > 0 and _disorder(term.node) and _REINFORCES.search(code.text):
            return "entropy"
        if term.sign < 0 and last(term.node.func) == "logsigmoid":
            parts = [t for arg in term.node.args[:1] for t in _terms(code, arg, 1, _DEPTH)]
            return "preference" if turned(code, ((t.sign, t.node) for t in parts)) else ""
    return ""


def _name(node: ast.AST) -> str:
    node = stripped(node)
    return node.id if isinstance(node, ast.Name) else ""


def _is_positive(code: Code, node: ast.AST, judge: Callable[[ast.AST], bool]) -> bool:
    """Whether what a name holds is the quantity itself, not its negative."""
    node = stripped(node)
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


def _spread(node: ast.AST) -> bool:
    """A divergence that cannot be negative: a library's, or ``exp(d) - d - 1`` (Schulman's k3)."""
    node = stripped(node)
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
    factor, inner = ast.unparse(node.left), stripped(node.right)
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
    node = stripped(node)
    if isinstance(node, ast.Call):
        return last(node.func) == "entropy" and not node.args
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
        return False
    inner = stripped(node.operand)
    return isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult)
