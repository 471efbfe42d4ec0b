"""Data files as a person reads them: what they hold, how long the samples are, what is odd."""

from __future__ import annotations

from medic.facts import DataFile, DataNote, DataSets
from medic.facts.memory import scaled
from medic.i18n import Text, joined, plain
from medic.report.bars import bar

BAR = 36
MOST_NOTES = 10
MOST_COLUMNS = 8
_SPLITS = {"train": Text("training", "训练集"), "validation": Text("validation", "验证集")}


def lines(data: DataSets) -> list[str]:
    """All files, and what was compared between them."""
    rows = [row for file in data.files for row in _file(file)]
    return [*rows, str(data.compared)] if data.compared else rows


def _file(file: DataFile) -> list[str]:
    part = file.sampled or Text("all of it", "全部")
    words = Text(
        "{file}: {format}, {shape}, {split}; {records} records ({part}), {size}",
        "{file}：{format}，{shape}，{split}；{records} 条记录（{part}），{size}",
    )
    head = words.fill(
        file=file.file,
        format=file.format,
        shape=file.shape,
        split=_SPLITS[file.split],
        records=f"{file.records:,}",
        part=part,
        size=scaled(file.size),
    )
    rows = [str(head)]
    if file.columns:
        names = [f"{n} {t}" for n, t in list(file.columns.items())[:MOST_COLUMNS]]
        more = ", …" if len(file.columns) > MOST_COLUMNS else ""
        columns = Text("columns: {names}", "列：{names}").fill(names=", ".join(names) + more)
        rows.append(f"  {columns}")
    rows += [*_lengths(file), *_counts(file)]
    rows += [f"  ! {_note(note)}" for note in file.notes[:MOST_NOTES]]
    return rows


def _lengths(file: DataFile) -> list[str]:
    """The distribution of lengths; a mark stands beside bins beyond the sequence length."""
    if not any(file.lengths):
        return []
    words = Text(
        "tokens a sample ({unit}): median {median}, longest {longest}",
        "每条样本的 token 数（{unit}）：中位数 {median}，最长 {longest}",
    )
    head = words.fill(
        unit=file.unit or "", median=f"{file.median or 0:,}", longest=f"{file.longest or 0:,}"
    )
    rows = [f"  {head}"]
    most = max(file.lengths)
    ends = [*file.bins[1:], max(64, 2 * file.bins[-1])]
    first = next(n for n, count in enumerate(file.lengths) if count)
    shown = list(zip(file.bins, ends, file.lengths, strict=True))[first:]
    for start, end, count in shown:
        mark = ""
        if file.limit and start >= file.limit:
            mark = "  >"
        elif file.limit and start < file.limit < end:
            mark = f"  | {Text('sequence length', '序列长度')} {file.limit:,}"
        label = f"{start:,}-{end - 1:,}"
        rows.append(f"  {label:>14} {bar(count / most, BAR):<{BAR}} {count:,}{mark}")
    if file.limit:
        rows += _beyond(file, file.limit)
    return rows


def _beyond(file: DataFile, limit: int) -> list[str]:
    """What the sequence length cuts off."""
    words = Text(
        "longer than {limit} tokens: {count} of {records} samples",
        "超过 {limit} 个 token：{records} 条样本中有 {count} 条",
    )
    count = f"{file.beyond_limit:,}"
    rows = [words.fill(limit=f"{limit:,}", count=count, records=f"{file.records:,}")]
    if file.no_answer_left:
        lost = Text(
            "cut at {limit} tokens, {count} samples keep nothing of their answer: nothing of them is trained",
            "截断到 {limit} 个 token 后，有 {count} 条样本的回答全部丢失，不参与训练",
        )
        rows.append(lost.fill(limit=f"{limit:,}", count=f"{file.no_answer_left:,}"))
    return [f"  {row}" for row in rows]


def _counts(file: DataFile) -> list[str]:
    rows = []
    if file.largest_id is not None:
        words = Text("largest id {id} at {place}", "最大 id {id}，位于 {place}")
        rows.append("  " + str(words.fill(id=f"{file.largest_id:,}", place=file.id_place)))
    if file.duplicates:
        words = Text("repeated word for word: {count}", "逐字重复：{count} 条")
        rows.append("  " + str(words.fill(count=f"{file.duplicates:,}")))
    if len(file.labels) > 1:
        total = sum(file.labels.values())
        shares = [f"{name} {count / total:.0%}" for name, count in file.labels.items()]
        labels = Text("labels: {shares}", "标签：{shares}").fill(shares=", ".join(shares))
        rows.append(f"  {labels}")
    return rows


def _note(note: DataNote) -> str:
    words = Text("{n} x {what}: {places}", "{n} 处{what}：{places}")
    places = joined(p if isinstance(p, Text) else plain(p) for p in note.places)
    filled = words.fill(n=f"{note.count:,}", what=note.words, places=places)
    return str(filled)
