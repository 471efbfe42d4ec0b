"""What the data files say: one outcome of each check over all files that were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from medic.facts import DataFile, DataNote, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Skip

from .files import split_of
from .fits import fits
from .kinds import kind_words
from .noted import MIN_RECORDS, noted, place, share, source
from .pairs import pairs
from .read import Read

BROKEN = (
    "broken-line",
    "open-quote",
    "bad-cell",
    "more-cells",
    "not-utf-8",
    "no-object",
    "not-an-image",
    "empty-member",
    "member-lacks",
    "id-is-no-number",
)
CUT = (
    "no-records",
    "pointer",
    "zeros",
    "cut-off",
    "bad-index",
    "bin-cut-off",
    "bin-missing",
    "missing-shard",
    "zero-run",
)
EMPTY = ("empty", "null-word", "control-only", "empty-answer")
GARBLED = ("garbled", "base64-like", "binary-like")
MIN_CLASS_ROWS = 100
MAX_CLASSES = 50
_TEXTS = ("text", "prompt-answer", "chat", "preference", "labelled", "prompt")


def findings(look: Look, reads: Sequence[Read], vocabulary: int | None) -> Iterator[Any]:
    facts = [r.fact for r in reads]
    yield _files(facts)
    texts = [f for f in facts if f.shape in _TEXTS and f.records]
    if texts:
        yield _texts(look, texts)
        yield _columns(facts)
    chats = [f for f in texts if f.shape == "chat"]
    if chats:
        yield _roles(chats)
    yield from pairs([f for f in facts if f.shape == "preference" and f.records])
    yield from fits(look, [f for f in facts if f.records])
    yield from _ids(facts, vocabulary)
    yield from _classes(look, facts)
    if texts:
        yield _repeated(look, texts)


def _value(found: Sequence[tuple[DataFile, DataNote]], records: int) -> dict[str, Any]:
    """Counts and the first place, for the words of an outcome."""
    count = sum(n.count for _, n in found)
    fact, note = max(found, key=lambda f: f[1].count)
    return {
        "count": f"{count:,}",
        "records": f"{records:,}",
        "share": share(count, records),
        "file": fact.file,
        "place": place(note),
        "kind": kind_words(note.kind),
    }


def _files(facts: Sequence[DataFile]) -> Finding:
    training = [f for f in facts if f.split != "validation"]
    if (none := noted(training, ("no-records",))) and not any(f.records for f in training):
        return Finding("data-file", "empty", _value(none, 0), source(*none[0]))
    for kinds, outcome in ((CUT, "cut-off"), (BROKEN, "broken-records")):
        found = noted(facts, kinds)
        if found:
            value = _value(found, sum(f.records for f in facts))
            return Finding("data-file", outcome, value, source(*found[0]))
    return Finding("data-file", "readable", source=source(facts[0]))


def _texts(look: Look, facts: Sequence[DataFile]) -> Finding:
    records = sum(f.records for f in facts)
    empty, garbled = noted(facts, EMPTY), noted(facts, GARBLED)
    counts = [sum(n.count for _, n in found) for found in (empty, garbled)]
    most = empty if counts[0] >= counts[1] else garbled
    bad = sum(counts)
    if bad >= look.threshold("largely-unusable-share") * records and bad:
        return Finding(
            "data-texts", "largely-unusable", _merged(empty, garbled, records), _first(most)
        )
    for found, count, outcome in (
        (garbled, counts[1], "some-garbled"),
        (empty, counts[0], "some-empty"),
    ):
        if found and count >= look.threshold("unusable-share") * records:
            return Finding("data-texts", outcome, _value(found, records), _first(found))
    return Finding("data-texts", "usable", source=source(facts[0]))


def _merged(
    empty: list[tuple[DataFile, DataNote]], garbled: list[tuple[DataFile, DataNote]], records: int
) -> dict[str, Any]:
    return _value([*empty, *garbled], records)


def _first(found: Sequence[tuple[DataFile, DataNote]]) -> Source:
    return source(*max(found, key=lambda f: f[1].count))


def _columns(facts: Sequence[DataFile]) -> Finding:
    """Types that differ inside of a file, or columns that differ between the files of a split."""
    found = noted(facts, ("type",))
    if found:
        value = _value(found, sum(f.records for f in facts))
        value["column"] = found[0][1].kind.partition(": ")[2]
        return Finding("data-columns", "types-differ", value, source(*found[0]))
    apart = noted(facts, ("columns-apart",))
    if apart:
        value = _value(apart, sum(f.records for f in facts))
        return Finding("data-columns", "rows-differ", value, source(*apart[0]))
    for split in ("train", "validation"):
        sides = [f for f in facts if f.split == split and f.format != "tar" and f.columns]
        for format_ in {f.format for f in sides}:
            finding = _other_columns([f for f in sides if f.format == format_])
            if finding is not None:
                return finding
    return Finding("data-columns", "uniform", source=source(facts[0]))


def _other_columns(files: Sequence[DataFile]) -> Finding | None:
    """Files of one set in one folder that lack columns which the first one has, or add some."""
    first = files[0]
    own = _top(first)
    folder = first.file.rpartition("/")[0]
    for other in files[1:]:
        if other.file.rpartition("/")[0] != folder or other.shape != first.shape:
            continue
        more, fewer = sorted(_top(other) - own), sorted(own - _top(other))
        if more or fewer:
            value = {
                "file": other.file,
                "other": first.file,
                "more": ", ".join(more[:5]) or "-",
                "fewer": ", ".join(fewer[:5]) or "-",
            }
            return Finding("data-columns", "files-differ", value, source(other))
    return None


def _top(fact: DataFile) -> set[str]:
    return {name for name in fact.columns if "[]." not in name}


def _roles(chats: Sequence[DataFile]) -> Finding:
    found = noted(chats, ("roles",))
    if not found:
        return Finding("conversation-roles", "in-order", source=source(chats[0]))
    value = _value(found, sum(f.records for f in chats))
    return Finding("conversation-roles", "out-of-order", value, source(*found[0]))


def _ids(facts: Sequence[DataFile], vocabulary: int | None) -> Iterator[Finding | Skip]:
    largest = [f for f in facts if f.largest_id is not None]
    if not largest:
        return
    if vocabulary is None:
        yield Skip(Text("the vocabulary size of the model", "模型的词表大小"), check="token-ids")
        return
    worst = max(largest, key=lambda f: f.largest_id or 0)
    negative = noted(largest, ("negative-id",))
    value = {
        "largest": f"{worst.largest_id:,}",
        "vocabulary": f"{vocabulary:,}",
        "place": worst.id_place,
        "file": worst.file,
    }
    if negative:
        fact, note = negative[0]
        place = str(note.places[0]) if note.places else ""
        value |= {"largest": place.rpartition(": ")[2] or "-1", "place": place, "file": fact.file}
    bad = negative or (worst.largest_id or 0) >= vocabulary
    outcome = "beyond-vocabulary" if bad else "within-vocabulary"
    yield Finding("token-ids", outcome, value, Source(str(value["file"]), text=str(value["place"])))


def _classes(look: Look, facts: Sequence[DataFile]) -> Iterator[Finding]:
    counts: Counter[str] = Counter()
    files = [f for f in facts if f.labels and split_of(f.file) == "train"]
    for fact in files:
        counts.update(fact.labels)
    total = sum(counts.values())
    if not 2 <= len(counts) <= MAX_CLASSES or total < MIN_CLASS_ROWS:
        return
    name, most = counts.most_common(1)[0]
    rare, least = counts.most_common()[-1]
    value = {
        "label": name, "share": share(most, total), "classes": len(counts),
        "rare": rare, "rare_count": f"{least:,}", "file": files[0].file,
    }  # fmt: skip
    skewed = most >= look.threshold("dominant-share") * total
    outcome = "one-class-dominates" if skewed else "balanced"
    yield Finding("class-balance", outcome, value, source(files[0]))


def _repeated(look: Look, facts: Sequence[DataFile]) -> Finding:
    files = [f for f in facts if f.split == "train"] or list(facts)
    records, twice = sum(f.records for f in files), sum(f.duplicates for f in files)
    worst = max(files, key=lambda f: f.duplicates)
    value = {
        "count": f"{twice:,}", "records": f"{records:,}", "share": share(twice, records),
        "file": worst.file,
    }  # fmt: skip
    many = records >= MIN_RECORDS and twice >= look.threshold("repeated-share") * records
    return Finding("repeated-samples", "many" if many else "few", value, source(worst))
