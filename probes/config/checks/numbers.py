"""What several checks need: numbers that are known, and how the user came to state them."""

from __future__ import annotations

from medic.run_config import RunConfig

# A plan and its arithmetic may differ by rounding: one step, or half a percent.
TOLERANCE = 0.005
_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))


def whole(config: RunConfig, *names: str) -> list[int]:
    """The fields as integers. Raises ValueError if one is not a whole number."""
    found = [config.integer(name) for name in names]
    if None in found:
        raise ValueError(names)
    return [value for value in found if value is not None]


def independent(config: RunConfig, *names: str) -> tuple[str, ...]:
    """Of the fields those that only follow from others: arithmetic on them proves nothing."""
    origins = {name: config.origin(name) for name in names}
    return tuple(n for n, o in origins.items() if o is None or o.source == "derived")


def unstated(config: RunConfig, *names: str) -> tuple[str, ...]:
    """Of the fields those that nobody wrote down."""
    return tuple(name for name in names if not config.stated(name))


def product(values: list[int]) -> int:
    result = 1
    for value in values:
        result *= value
    return result


def differs(configured: float, expected: float) -> bool:
    """Beyond one unit and beyond ``TOLERANCE`` of what is expected."""
    return abs(configured - expected) > max(1.0, TOLERANCE * expected)


def percent(part: float, whole_number: float) -> str:
    share = 100 * part / whole_number
    return f"{share:.0f}%" if share >= 10 else f"{share:.2g}%"


def sized(number: float) -> str:
    """6700000000 as 6.7B."""
    for size, letter in _SCALES:
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


def constant_schedule(config: RunConfig) -> bool:
    """A schedule that neither warms up nor decays, as transformers names it."""
    return config.get("lr_schedule") == "constant"
