"""Remedy + run config -> new values of canonical fields, with the arithmetic behind them."""

from medic.changes.experiments import Trial, trials
from medic.changes.known import MissingError
from medic.changes.plan import Plan, compute
from medic.changes.tokens import tokens_told

__all__ = ["MissingError", "Plan", "Trial", "compute", "tokens_told", "trials"]
