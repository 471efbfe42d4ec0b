"""Values as findings tell them."""

from __future__ import annotations

from medic.i18n import Text

_LONG = 120  # a value of more characters is told by its beginning
_HUGE = Text("a number of more than 300 digits", "超过 300 位的数")


def short(value: object) -> object:
    """A value as it is told: of a very long one its beginning and its length."""
    if isinstance(value, int) and not -(10**_LONG) < value < 10**_LONG:
        return f"{value:.3e}" if abs(value) < 10**300 else _HUGE
    if isinstance(value, str) and len(value) > _LONG:
        return Text("{w}… ({n} characters)", "{w}……（共 {n} 个字符）").fill(
            w=value[: _LONG // 2], n=len(value)
        )
    return value
