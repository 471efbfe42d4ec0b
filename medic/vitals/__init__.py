"""The five rows to watch while a run trains, each from what the run has logged so far.

A row is ok, not ok, or not seen: what was not logged is never ok. Thresholds: the checks' own
(knowledge/checks), so that this and a diagnosis cannot disagree.
"""

from medic.vitals.scene import Vital, Vitals
from medic.vitals.take import take

__all__ = ["Vital", "Vitals", "take"]
