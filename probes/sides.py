"""Words by which a key or a file says that it is of training or of evaluation."""

from __future__ import annotations

from medic.text.patterns import regex

TRAINING = regex(r"(?<![a-z])train(?:ing)?(?![a-z])")
HELD_OUT = regex(r"(?<![a-z])(?:val|valid|validation|dev|eval|evaluation|test|held_?out)(?![a-z])")
