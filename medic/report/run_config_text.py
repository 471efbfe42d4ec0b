"""``medic lint --show-run-config``: every canonical value, where it came from, and the figures."""

from __future__ import annotations

from typing import Any

from medic.facts import PrintedStart
from medic.i18n import Text, show
from medic.lint.figures import Figure, figures
from medic.records import replace
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.run_config import FIELDS, NOBODYS, Origin, RunConfig, Scalar, Value
from medic.text.safetext import columns

SCHEMA = "medic.run-config/1"
SAMPLES = Text(
    "the number of sequences in the data set (--set dataset_sequences=N)",
    "数据集的序列条数（--set dataset_sequences=N）",
)
_SAID = {"dataset_sequences": SAMPLES}


def with_printed(config: RunConfig, start: PrintedStart | None) -> RunConfig:
    """What the files leave to a default or do not say, as the run printed it."""
    values = dict(config.values)
    for name, (value, source) in (start.values if start else {}).items():
        if name in FIELDS and (name not in values or values[name].origin.source == "default"):
            values[name] = Value(value, Origin("printed", note=source.where()))
    return replace(config, values=values)


def full(console: Console, config: RunConfig, *, named: bool = False) -> None:
    """Values in the order of the fields, then what follows from them; ``named``: with its files."""
    blocks = Blocks(console)
    _head(console, config)
    if named:
        console.out(Text("  {f}", "  {f}").fill(f=", ".join((*config.files, *config.model_files))))
    rows = [
        (name, _shown(config.values[name].value, FIELDS[name][1]))
        for name in FIELDS
        if name in config.values
    ]
    wide = max((len(n) for n, _ in rows), default=0)
    right = min(28, max((columns(v) for _, v in rows), default=0))
    for name, value in rows:
        lead = f"  {name:<{wide}}  {value}" + " " * max(0, right - columns(value)) + "  "
        blocks.paragraph(str(origin(config.values[name])), " " * (wide + 6), lead)
    blocks.heading(Text("What follows from them", "由此可得"))
    for figure in figures(config):
        _figure(blocks, figure)


def _head(console: Console, config: RunConfig) -> None:
    name = " + ".join(dict.fromkeys((config.framework, *config.frameworks))).strip(" +")
    version = f" {config.framework_version}" if config.framework_version else ""
    unknown = Text("framework not recognised", "未识别出框架")
    title = Text("Run config: {n}", "运行配置：{n}").fill(n=f"{name}{version}" if name else unknown)
    console.styled(console.style(str(title), "bold"))
    if not config.values:
        console.out(Text("  no value known", "  没有可知的取值"))


def _figure(blocks: Blocks, figure: Figure) -> None:
    if figure.value is None:
        told = Text("not known: needs {n}", "未知：需要 {n}").fill(n=_needs(figure))
    else:
        number = _number(figure.value)
        how = f" = {figure.how}" if figure.how else ""
        told = Text(f"{number}{how}", f"{number}{how}")
    line = Text("{t}: {n}", "{t}：{n}").fill(t=figure.title, n=told)
    blocks.paragraph(line, "      ", "  ")


def _needs(figure: Figure) -> Text:
    said = [_SAID.get(n, Text(n, n)) for n in dict.fromkeys(figure.needs)]
    return Text(", ".join(s.en for s in said), "、".join(s.zh for s in said))


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,.4g}"


def _shown(value: Scalar, unit: str = "") -> str:
    if unit == "port" or value is None:
        return "null" if value is None else str(value)
    return show(value, "en")


def origin(value: Value) -> Text:
    """Where a value came from, and other places that state it otherwise."""
    told = _origin(value.origin)
    for other, place in value.also:
        if other != value.value and place.note != "overridden":
            more = Text("; but {v} at {p}", "；但 {p} 写的是 {v}").fill(
                v=_shown(other), p=place.where()
            )
            told = Text(told.en + more.en, told.zh + more.zh)
    return told


def _origin(one: Origin) -> Text:
    key = f" ({one.key})" if one.key else ""
    if one.source == "default":
        if one.framework in NOBODYS:  # the scripts that write it so name no program
            return Text("the usual default", "常见的默认值")
        return Text("default of {f}", "{f} 的默认值").fill(f=one.framework or one.note)
    if one.source == "derived":
        return Text("derived: {n}", "推导：{n}").fill(n=one.note)
    if one.source == "given":
        return Text("given: {n}", "手动给定：{n}").fill(n=one.note or one.key)
    if one.source == "printed":
        return Text("printed by the run, {w}", "运行时打印，{w}").fill(w=one.where() + key)
    return Text(one.where() + key, one.where() + key)


def json_data(config: RunConfig) -> dict[str, Any]:
    """The contract medic.run-config/1."""
    return {
        "schema": SCHEMA,
        "framework": config.framework,
        "framework_version": config.framework_version,
        "frameworks": list(config.frameworks),
        "files": [*config.files, *config.model_files],
        "values": {n: _value(n, config.values[n]) for n in FIELDS if n in config.values},
        "figures": [
            {
                "name": f.name,
                "unit": f.unit,
                "value": _whole(f.value),
                "how": f.how,
                "needs": list(dict.fromkeys(f.needs)),
            }
            for f in figures(config)
        ],
    }


def _whole(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


def _value(name: str, value: Value) -> dict[str, Any]:
    return {
        "value": value.value,
        "unit": FIELDS[name][1],
        **_place(value.origin),
        "also": [{"value": v, **_place(o)} for v, o in value.also],
    }


def _place(one: Origin) -> dict[str, Any]:
    span = one.span
    return {
        "source": one.source,
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "column": span.column if span else 0,
        "key": one.key,
        "framework": one.framework,
        "note": one.note,
    }
