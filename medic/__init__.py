"""medic: an offline expert system for broken LLM training runs."""

__version__ = "0.1.0"
