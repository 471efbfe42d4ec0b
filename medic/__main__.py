"""``python -m medic``."""

import sys

from medic.commands import program

sys.exit(program())
