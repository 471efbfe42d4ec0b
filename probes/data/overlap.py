"""Text that is on two sides: training and validation, training and a benchmark."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from medic.records import dataclass, field
from medic.text.safetext import one_line

from .records import Record
from .tally import Tally

PERMUTATIONS = 64
NEAR = 0.8  # Jaccard of 5-word shingles: the usual threshold for near-duplicates
SHINGLE = 5
MAX_VALIDATION = 300
MAX_TRAINING = 2_000
SECONDS = 4.0
SHORTEST = 8  # words of a benchmark item: fewer are common phrases
MAX_ITEMS = 50_000
SHOWN = 3
# A Chinese, Japanese or Korean character counts as a word.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|[^\W_\u2e80-\u9fff\uac00-\ud7af]+")


@dataclass(frozen=True)
class Shared:
    """Validation texts that training has too. ``near``: of ``near_of``, None if not compared."""

    exact: int
    of: int
    near: int | None = None
    near_of: int = 0
    examples: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def between(training: Sequence[Tally], validation: Sequence[Tally]) -> Shared | None:
    """What the two sides share word for word, and nearly, of what was read of them."""
    theirs: set[int] = set()
    for tally in training:
        theirs.update(tally.hashes)
    mine = [(h, n) for tally in validation for h, n in tally.hashes.items()]
    if not theirs or not mine:
        return None
    exact = sum(n for h, n in mine if h in theirs)
    near = _near(training, validation, theirs)
    found, count, examples = near or (None, 0, ())
    return Shared(exact, sum(n for _, n in mine), found, count, tuple(examples))


def _near(
    training: Sequence[Tally], validation: Sequence[Tally], known: set[int]
) -> tuple[int, int, list[str]] | None:
    """(near-duplicates, validation texts compared, examples); None without datasketch."""
    try:
        from datasketch import MinHashLSH
    except ImportError:
        return None
    from .tally import digest

    end = time.monotonic() + SECONDS
    index = MinHashLSH(threshold=NEAR, num_perm=PERMUTATIONS)
    texts = [kept for tally in training for kept in tally.kept]
    for number, (place, text) in enumerate(_spread(texts, MAX_TRAINING)):
        if time.monotonic() > end - SECONDS / 3:
            break
        sketch = _sketch(text)
        if sketch is not None:
            index.insert(f"{number} {place}", sketch, check_duplication=False)
    mine = [kept for tally in validation for kept in tally.kept if digest(kept[1]) not in known]
    found, count, examples = 0, 0, list[str]()
    for place, text in _spread(mine, MAX_VALIDATION):
        if time.monotonic() > end:
            break
        sketch = _sketch(text)
        count += 1
        hits = index.query(sketch) if sketch is not None else []
        if hits:
            found += 1
            if len(examples) < SHOWN:
                at = str(hits[0]).partition(" ")[2]
                examples.append(f"{place} ~ {at}: {one_line(text, 50)}")
    return found, count, examples


def _spread(texts: list[tuple[str, str]], count: int) -> Iterator[tuple[str, str]]:
    if len(texts) <= count:
        yield from texts
        return
    for n in range(count):
        yield texts[n * len(texts) // count]


def _sketch(text: str) -> Any:
    """The MinHash of a text's shingles; None for one of too few words."""
    from datasketch import MinHash

    found = words(text)
    if len(found) < 3 * SHINGLE:
        return None
    sketch = MinHash(num_perm=PERMUTATIONS)
    shingles = {" ".join(found[n : n + SHINGLE]) for n in range(len(found) - SHINGLE + 1)}
    sketch.update_batch([s.encode("utf-8", "surrogatepass") for s in shingles])
    return sketch


@dataclass
class Benchmark:
    """n-grams of benchmark items; an item of fewer words counts as a whole."""

    size: int
    grams: dict[int, dict[int, int]] = field(default_factory=dict)  # words -> hash -> item
    items: int = 0
    found: set[int] = field(default_factory=set)
    examples: list[str] = field(default_factory=list)

    def learn(self, texts: Iterable[str]) -> None:
        for text in texts:
            if self.items >= MAX_ITEMS:
                return
            found = words(text)
            size = min(self.size, len(found))
            if size < SHORTEST:
                continue
            known = self.grams.setdefault(size, {})
            for n in range(len(found) - size + 1):
                known.setdefault(hash(tuple(found[n : n + size])), self.items)
            self.items += 1

    def watch(self, record: Record, file: str, place: str) -> None:
        """Looks for the items in one training record."""
        found = words(record.text)
        for size, known in self.grams.items():
            for n in range(len(found) - size + 1):
                item = known.get(hash(tuple(found[n : n + size])))
                if item is None or item in self.found:
                    continue
                self.found.add(item)
                if len(self.examples) < SHOWN:
                    shown = one_line(" ".join(found[n : n + size]), 80)
                    self.examples.append(f"{file} {place}: {shown}")
