"""One redacted file with all that a diagnosis elsewhere needs, and reading it there safely."""

from medic.bundle.make import Made, make
from medic.bundle.unpack import is_bundle, unpack

__all__ = ["Made", "is_bundle", "make", "unpack"]
