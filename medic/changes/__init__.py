"""Remedy + run config -> new values of canonical fields, with the arithmetic behind them."""

from medic.changes.plan import Plan, compute

__all__ = ["Plan", "compute"]
