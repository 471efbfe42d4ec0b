"""Learning rates, multiplied as decimals: 3e-05 x 10 is 0.0003."""

from __future__ import annotations

from decimal import Decimal

from medic.changes.broken_rate import broke, half_of
from medic.changes.known import Computed, ImpossibleError, Known
from medic.facts import Curve
from medic.i18n import Text
from medic.learning_rates import adam_like, highest, kind_of, parameters, possible, usual
from medic.run_config import OVERRIDDEN

# The floor of a cosine in GPT-3 and LLaMA; above it a schedule hardly decays.
FLOOR_SHARE = "0.1"
_SLIP = 10  # times the highest published rate: no study of rates goes there with Adam
_PLACES = 12
_SMALL = 3e8  # parameters of the first row of published rates, whose top small models do take


def _times(known: Known, field: str, factor: str) -> Computed:
    old = known.number(field)
    return Computed(_product(old, factor), Text(f"{old:.4g} x {factor}", f"{old:.4g} x {factor}"))


def _product(number: float, factor: str) -> float:
    return float(Decimal(repr(number)) * Decimal(factor))


def half_learning_rate(known: Known, field: str) -> Computed:
    """Half the peak, or the highest published for the size if half is still above that, and at most
    half of the rate at which the loss broke; the rate that was meant where the minus of its exponent
    is missing.

    A rate that is far beyond all published ones is a slip, not a choice: the top of the range is
    not what was meant. Raises ImpossibleError for it, unless one place of the point alone is usual.
    """
    if (meant := _lost_minus(known, field) or _overridden(known, field)) is not None:
        return meant
    found = _half(known, field)
    at = broke(known.fact(Curve), known.config)
    most = half_of(at.rate) if at is not None else 0.0
    if at is None or not isinstance(found.value, float) or not 0 < most < found.value:
        return found
    shown = {"step": f"{at.step:,}", "rate": f"{at.rate:.4g}"}
    why = Text(
        "half of the {rate} at which the loss was lowest, at step {step}",
        "loss 在第 {step} 步最低，当时学习率为 {rate}，取其一半",
    )
    return Computed(most, why.fill(shown))


def _half(known: Known, field: str) -> Computed:
    half = _times(known, field, "0.5")
    high = highest(known.config)
    if not adam_like(known.config) or not isinstance(half.value, float) or half.value <= high:
        return half
    # The top of a row of sizes is that of its smallest model: ten times it is a slip as well.
    sized = (parameters(known.config) or 0) > _SMALL
    of_row = sized and kind_of(known.config) in ("pretraining", "unknown")
    if half.value > high * _SLIP or (of_row and known.number(field) >= high * _SLIP):
        return _other_place(known, field, half.value)
    by_size = kind_of(known.config) == "pretraining" or high < usual(known.config).high
    whose = Text(" for this size", "该规模") if by_size else Text("", "")
    return Computed(
        high,
        Text(
            f"half would be {half.value:.4g}; published{whose.en}: at most {high:.4g}",
            f"减半仍为 {half.value:.4g}；{whose.zh}公开发表的最高值为 {high:.4g}",
        ),
    )


def _other_place(known: Known, field: str, half: float) -> Computed:
    """3.0 for 3e-4: the digits at the one place that is usual for the run. Raises ImpossibleError."""
    old, range_ = Decimal(repr(known.number(field))), usual(known.config)
    places = (float(old.scaleb(-n)) for n in range(1, _PLACES))
    usual_ones = [rate for rate in places if range_.low <= rate <= range_.high]
    if len(usual_ones) != 1:
        raise ImpossibleError(
            Text(
                f"half would be {half:.4g}, published: at most {range_.high:.4g}; write the rate that "
                "was meant",
                f"减半仍为 {half:.4g}，公开发表的最高值为 {range_.high:.4g}；请写入原本想用的学习率",
            )
        )
    shown = f"{float(old):.4g}", f"{usual_ones[0]:.4g}"
    return Computed(
        usual_ones[0],
        Text(
            f"of the digits of {shown[0]} only {shown[1]} is a usual rate here",
            f"按 {shown[0]} 的数字移动小数点，只有 {shown[1]} 落在常用范围内",
        ),
    )


def _lost_minus(known: Known, field: str) -> Computed | None:
    """3e4 for 3e-4: a rate that no optimizer takes, and a usual one with the other sign."""
    old = Decimal(repr(known.number(field)))
    power, taken = old.adjusted(), possible(known.config)
    if power < 1 or not adam_like(known.config):
        return None
    meant = float(old.scaleb(-2 * power))
    if not taken.low <= meant <= taken.high:
        return None
    shown = f"{float(old):.4g}", f"{meant:.4g}"
    return Computed(
        meant,
        Text(
            f"{shown[0]} is {shown[1]} without the minus of its exponent",
            f"{shown[0]} 疑为 {shown[1]} 漏写了指数的负号",
        ),
    )


def _overridden(known: Known, field: str) -> Computed | None:
    """What another place states that this one overrides, where that is a published rate and this is
    none: a trial left on a command line."""
    value, range_ = known.config.values.get(field), usual(known.config)
    if value is None or not adam_like(known.config):
        return None
    low, high = range_.low, range_.high
    for other, origin in value.also:
        fits = isinstance(other, float) and low <= other <= high
        mine = isinstance(value.value, float) and low <= value.value <= high
        if origin.note == OVERRIDDEN and fits and not mine:
            why = Text("as {place} states it", "{place} 中写的值")
            return Computed(other, why.fill(place=origin.where()))
    return None


def minimum_below_peak(known: Known, field: str) -> Computed:
    """A stated minimum above a tenth of the peak becomes that tenth; others stay."""
    old, peak = known.config.number(field), known.number("learning_rate")
    tenth = _product(peak, FLOOR_SHARE)
    if not known.config.stated(field) or old is None or old <= tenth:
        return Computed(known.config.get(field), Text("as it is", "不变"))
    return Computed(tenth, Text(f"{FLOOR_SHARE} x {peak:.4g}", f"{FLOOR_SHARE} x {peak:.4g}"))


def tenfold_learning_rate(known: Known, field: str) -> Computed:
    """Ten times the peak. Raises ImpossibleError where that is still below what is published for
    the run: nobody knows then which rate was meant."""
    if (meant := _overridden(known, field)) is not None:
        return meant
    ten, range_ = _times(known, field, "10"), usual(known.config)
    if adam_like(known.config) and isinstance(ten.value, float) and ten.value < range_.low:
        raise ImpossibleError(
            Text(
                f"10 times it would be {ten.value:.4g}, published: {range_.low:.4g} to"
                f" {range_.high:.4g}; write the rate that was meant",
                f"乘以 10 也只有 {ten.value:.4g}，公开发表的范围为 {range_.low:.4g} 至"
                f" {range_.high:.4g}；请写出本来要用的学习率",
            )
        )
    return ten
