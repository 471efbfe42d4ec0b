"""Faults of values that only the tree of a file shows: blocks, lists, words that a loader converts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Document, GivenFile
from medic.i18n import Text
from medic.learning_rates import adam_like
from medic.probe import Finding
from medic.run_config import NOBODYS, Origin, RunConfig, Setting, Span

from .callbacks import checkpoint_counts
from .keys import Framework, Keys
from .parted_numbers import parted
from .published import CROSSED
from .setting_faults import beyond, fault, impossible, rewritten
from .value_types import declared_single
from .word_faults import NOT_TAKEN

_ONE = Text("one number", "是一个数，而不是列表或一组键")
_BETAS = Text("a pair of numbers from 0 to below 1", "是一对不小于 0 且小于 1 的数")
_BARE = Text(
    '{key}: {value} without quotes is false to the YAML loader, and {key} takes the word "no"',
    '{key}：不加引号的 {value} 会被 YAML 读成 false，而 {key} 只接受字符串 "no"',
)
_QUOTED = Text("the word, in quotes", "加上引号，作为字符串")


def of_documents(
    documents: Sequence[tuple[GivenFile, Document, Framework]],
    keys: Mapping[str, Keys],
    config: RunConfig,
    told: set[Span | None],
) -> Iterator[Finding]:
    """What only the blocks and lists of a file show; ``told`` takes the places."""
    for _, document, framework in documents:
        yield from parted(document, framework.name)
        if framework.name == "lightning":
            yield from checkpoint_counts(document)
        from .betas import crossed_betas, odd_betas

        if framework.name in NOBODYS or framework.name not in keys:
            for pair, limit in crossed_betas(document, framework.name):
                if adam_like(config):
                    yield beyond(pair, CROSSED.fill(limit=f"{limit:g}"))
            continue
        from .shapes import shapes

        own = keys[framework.name]
        for pair, limit in crossed_betas(document, framework.name):
            if adam_like(config):
                yield beyond(pair, CROSSED.fill(limit=f"{limit:g}"))
        for beta in odd_betas(document, framework.name):
            yield impossible(beta, _BETAS)
        for several in shapes(document, own, declared_single(own, keys)):
            told.add(several.origin.span)
            yield impossible(several, _ONE)
        yield from _words_read_as_false(document, framework, keys)


def _words_read_as_false(
    document: Document, framework: Framework, keys: Mapping[str, Keys]
) -> Iterator[Finding]:
    """``eval_strategy: no``: PyYAML and OmegaConf read False, which is no IntervalStrategy to
    transformers (training_args.py __post_init__, utils/generic.py ExplicitEnum)."""
    if document.root is None or document.syntax != "yaml":
        return
    entries = [framework, *(keys[n].framework for n in framework.builds_on if n in keys)]
    worded = {
        key
        for entry in entries
        for rule in entry.rules
        if rule.cause == NOT_TAKEN
        for key, condition in rule.where.items()
        if "no" in getattr(condition, "unlike", ())
    }
    for key, node in document.root.items:
        named = key.raw if key.value is None else str(key.value)
        bare = node.kind == "scalar" and not node.quoted and node.raw.lower() == "no"
        if named in worded and bare:
            origin = Origin("file", node.span, document.syntax, (named,), named, framework.name)
            setting = Setting((named,), node.raw, origin)
            what = _BARE.fill(key=named, value=node.raw)
            repair = rewritten(setting, "no", _QUOTED, safe=True)
            yield fault(NOT_TAKEN, setting, node.raw, {"what": what, "closed": True}, repair)
