"""Remedy + run config -> new values of canonical fields, with the arithmetic behind them."""

from medic.changes.experiments import Trial, trials
from medic.changes.known import MissingError
from medic.changes.plan import AS_IS, Plan, compute, estimates_memory
from medic.changes.tokens import tokens_told

__all__ = [
    "AS_IS",
    "MissingError",
    "Plan",
    "Trial",
    "compute",
    "estimates_memory",
    "tokens_told",
    "trials",
]
