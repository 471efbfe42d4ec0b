"""What the column of a row is called: names of losses and of what stands beside them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from medic.text.patterns import regex

from .metric_names import canonical
from .row_fields import MEAN

STEPS = frozenset(
    (  # noqa: SIM905
        "step steps iter iters iteration it i batch update updates upd u global_step gstep "
        "train_step training_step train_iter n_iter iter_num optim_step opt_step minibatch mb "
    ).split()
)
EPOCHS = frozenset({"epoch", "epochs", "ep", "e"})
# Counts of other things: a row of them is no row of one training's steps.
OTHERS = frozenset(
    (  # noqa: SIM905
        "trial fold layer expert head block seed sample request shard chunk attempt file param "
        "query prompt test_case task "
    ).split()
)
_HELD = r"(?:val|valid|validation|dev|eval|evaluation|test|held_?out|holdout|vl)"
_TRAIN = r"(?:train|trn|tr|training)"
_WORN = (
    r"(?:avg|mean|ave|running|smooth|smoothed|ema|batch|step|cur|current|total|global|raw|last|log)"
)
_LOSS = r"(?:loss|losses|nll|ce|xent|xe|cross_?entropy(?:_loss)?|ce_loss|nll_loss|xent_loss|lm_loss|mlm_loss)"
_TRAINED = regex(
    rf"(?:{_WORN}_)*(?:{_TRAIN}_?)?(?:{_WORN}_)*{_LOSS}(?:_(?:{_TRAIN}|{_WORN}))*$|t_?loss$"
)
_HELD_LOSS = regex(
    rf"(?:{_WORN}_)*{_HELD}_?(?:{_WORN}_)*{_LOSS}(?:_{_WORN})*$|{_LOSS}_{_HELD}$|v_?loss$"
)
_PART = regex(r"(?:[a-z][a-z\d]*_){1,3}loss$|loss_[a-z][a-z\d_]*$|l_[a-z]{2,8}$")
# Terms beside the objective, and the two sides of an adversarial training.
_ASIDE = regex(
    r"aux|balance|router|moe|z_loss|loss_z|kl|reg|entropy|value|critic|vf|policy|actor|pg_|penalty|"
    r"scale|weight|best|min|prev|old|ref|stop|(?:^|_)[dg]_?loss|loss_[dg]\b|disc|gen_|adv|g_loss"
)
_WEAK = frozenset({"train", "trn", "tr", "training", "l", "lm", "obj", "cost", "objective"})
_WEAK_HELD = regex(rf"{_HELD}$|v$")
_PPL = regex(rf"(?:(?P<of>{_HELD}|{_TRAIN})_)?(?:ppl|perplexity)$")
_BITS = regex(rf"(?:(?P<of>{_HELD}|{_TRAIN})_)?(?:bpb|bpc|bits_per_(?:byte|char|character))$")
_HELD_WORD = regex(rf"(?i)(?<![\w/.-]){_HELD}(?![\w/-]|\.\w)")
_TRAIN_WORD = regex(rf"(?i)(?<![\w/.-]){_TRAIN}(?![\w-])")
_NORMS = frozenset({"gnorm", "gn", "g_norm", "grad", "gradnorm", "gnrm", "grad_l2", "norm", "g"})
_RATES = frozenset({"lrate", "\u03b7", "lr0", "lr_0", "step_lr", "cur_lr"})
_STEP_TIMES = frozenset(
    "dt t time ms ms_step ms_it s_it sec_step s_step took per_step step iter it".split()  # noqa: SIM905
)
_REWARDS = frozenset(
    ["return", "returns", "mean_return", "avg_return", "episode_return", "ep_return", "ep_rew_mean"]
)
_TIME_UNIT = regex(r"(ms|s|sec|secs|seconds)(?:/(?:it|iter|iteration|step|batch|update))?$")
_TIME_NAME = regex(r"(ms|s|sec|secs)_(?:per_)?(?:it|iter|iteration|step|batch|update)$")
_RATE_UNIT = regex(r"(?:it|its|iters?|steps?|batch|batches|updates?)/s(?:ec)?$")
_TOKENS = regex(r"([km]?)(?:tok|toks|token|tokens|words?)/s(?:ec(?:ond)?)?$")
_SAMPLES = regex(
    r"([km]?)(?:samples?|imgs?|images?|ex|examples?|seqs?|sequences?)/s(?:ec(?:ond)?)?$"
)
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6}
STRONG, PARTLY, WEAK = 3, 2, 1


class Role(NamedTuple):
    """``metric`` is canonical; ``sure``: STRONG for a name that only a loss has, PARTLY for one term,
    WEAK for a word that names a split or a size, too. ``form``: how the value tells the metric."""

    metric: str
    sure: int = STRONG
    form: str = ""


def metric_of(form: str, value: float) -> float:
    """The loss in nats of a perplexity or of bits; any other value as it is."""
    if form == "ppl":
        return math.log(value) if value > 0 else math.nan
    return value * math.log(2) if form == "bits" else value


@lru_cache(maxsize=4096)
def role_of(name: str, unit: str) -> Role | None:
    """What a column is by its name and the unit behind its numbers; None if neither tells."""
    if name in EPOCHS:
        return Role("epoch")
    if by_unit := _by_unit(name, unit):
        return by_unit
    if name == MEAN or name in STEPS or unit:
        return None
    if loss := _loss(name):
        return loss
    known = canonical(name)
    if known is not None and known[0] != "step" and known[1] == 1.0:
        return Role(known[0], WEAK if name == "norm" else STRONG)
    if name in _NORMS:
        return Role("grad_norm", WEAK)
    if name in _RATES:
        return Role("learning_rate")
    if name in _REWARDS:
        return Role("reward", WEAK)
    if time := _TIME_NAME.match(name):
        return Role("step_time", STRONG, time[1])
    return Role("step_time", WEAK) if name == "dt" else None


def _by_unit(name: str, unit: str) -> Role | None:
    if time := _TIME_UNIT.match(unit):
        if "/" in unit or name in _STEP_TIMES or not name:
            return Role("step_time", STRONG if "/" in unit else WEAK, time[1])
        return None
    if _RATE_UNIT.match(unit):
        return Role("step_time", STRONG, "rate")
    if tokens := _TOKENS.match(unit):
        return Role("tokens_per_s", STRONG, tokens[1])
    samples = _SAMPLES.match(unit)
    return Role("samples_per_s", STRONG, samples[1]) if samples else None


def _loss(name: str) -> Role | None:
    if _TRAINED.match(name):
        return Role("loss")
    if _HELD_LOSS.match(name):
        return Role("eval_loss")
    for pattern, form in ((_PPL, "ppl"), (_BITS, "bits")):
        if found := pattern.match(name):
            held = found["of"] is not None and _WEAK_HELD.match(found["of"])
            return Role("eval_loss" if held else "loss", PARTLY, form)
    if name in _WEAK:
        return Role("loss", WEAK)
    if _WEAK_HELD.match(name):
        return Role("eval_loss", WEAK)
    if _PART.match(name) and not _ASIDE.search(name) and canonical(name) is None:
        return Role("loss", PARTLY, "part")
    return None


def scaled(role: Role, value: float) -> float:
    """The value in the metric's unit: seconds, tokens a second, nats."""
    if role.metric == "step_time":
        if role.form == "rate":
            return 1 / value if value > 0 else math.nan
        return value / 1000 if role.form == "ms" else value
    if role.metric in ("tokens_per_s", "samples_per_s"):
        return value * _THOUSANDS.get(role.form, 1.0)
    return metric_of(role.form, value)


def of_evaluation(text: str) -> bool:
    """Whether the words of a row, up to its first number of a loss, say that it is of an evaluation."""
    return _HELD_WORD.search(text) is not None and _TRAIN_WORD.search(text) is None
