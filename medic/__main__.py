"""``python -m medic``."""

import sys

from medic.commands import main

sys.exit(main())
