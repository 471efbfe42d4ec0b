"""A run against one that worked: the first differences in configuration, data, versions, node and
curve, each with both places."""

from medic.baseline.compare import compared, observed

__all__ = ["compared", "observed"]
