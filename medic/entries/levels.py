"""The words of the knowledge as numbers: the only place where one becomes the other.

Chosen by simulation: see docs/engine.md.
"""

from __future__ import annotations

PRIOR = {"common": 16.0, "occasional": 4.0, "rare": 1.0, "rarer": 0.25}
HIGHER = {"rare": "occasional", "occasional": "common", "common": "common"}
LOWER = {"common": "occasional", "occasional": "rare", "rare": "rarer"}
NONE_PRIOR = 0.10
OTHERWISE = {"never": 0.003, "rarely": 0.03, "sometimes": 0.12, "often": 0.35}
# Of one cause's own words among those of hundreds: together they are seen of a third of the
# unrelated cases at most.
TELLTALE_OTHERWISE = {"never": 0.0003, "rarely": 0.003}
# A message that nothing else prints is seen of about half of its cause's cases; a strong one has
# a second cause, which links it too, and is as rare among all others.
TELLTALE_WEIGHT = {"confirms": 3000.0, "strong": 100.0}
WEIGHT = {
    "confirms": 300.0,
    "strong": 10.0,
    "weak": 3.0,
    "against": 1 / 3,
    "strongly-against": 1 / 10,
    "rules-out": 1 / 200,
}
TELLTALE_TOLD = 30.0  # where a person says it
# A cause that prints words of its own, in a case whose failing lines are there without them.
TELLTALE_UNSEEN = 0.3
SHOWN = {"always": 0.93, "usually": 0.6, "sometimes": 0.15, "rarely": 0.03}
UNLISTED = 0.004
NONE_SHOWS = (0.01, 0.9)
# The log ratio of the cause that a description is most like: measured over reports, see
# docs/engine.md.
STRONGEST = 8.0
# Of it, what may help to call a cause established: to be like a description is no observation.
LIKE_SHARE = 0.4
