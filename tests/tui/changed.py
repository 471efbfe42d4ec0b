"""Texts of a run before and after a change, and logs that came later."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

Drive = Callable[..., None]
BEFORE = "model: small\nmicro_batch_size: 8\nseq_length: 4096\n"
AFTER = BEFORE.replace("8", "4")
AGAIN = "step 1 loss 2.1\nCUDA out of memory\n"  # the log of another run that failed the same way
FURTHER = "step 1 loss 2.0\nstep 2 loss 1.9\n"  # of a run that is past where it failed


def written_later(file: Path, text: str) -> None:
    """A log of a run that began after the change."""
    file.write_text(text)
    later = time.time() + 60
    os.utime(file, (later, later))
