"""The probe of single values: what no number of the kind can be, words that a key does not take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Releases, Repair
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import FIELDS, MORE, NOBODYS, PLAIN, RunConfig, Setting, Span
from medic.text.patterns import regex

from ..flags.forks import forks_of
from .bounds import BY_FIELD, BY_NAME, COUNTS, FAR_BEYOND, RANK, RANKED, RULED, STATED, Bounds
from .callbacks import EXCLUDE
from .document_faults import of_documents
from .documents import read_documents
from .keys import Framework, Key, Keys
from .needs_another import NEEDS_ANOTHER, NO_EFFECT, needs_another
from .parted_numbers import OTHERWISE
from .published import CROSSED, crossed_pair, far, greedy
from .published import NAME as BEYOND
from .readers.document import listed, words_in_lists
from .reading import recogniser
from .setting_faults import IMPOSSIBLE, beyond, fault, impossible, rewritten
from .several import of_each
from .unseen import unseen_in_value
from .value_kinds import (
    INTERVALS,
    letter_for_zero,
    no_number,
    not_finite,
    number_and_comma,
    part_of_count,
    switch_for_number,
    whole_in_digits,
    with_sign,
)
from .value_types import wrong_type
from .values import as_number, read_scalar
from .whole_numbers import whole_with_dot
from .word_faults import NOT_TAKEN, in_fork, rules_it, switch_fault, word_fault

_GLUED = regex(r"\w--[A-Za-z]")  # a flag that is a part of the value is told as such
_NUMBER = Text("a number", "是数字")
_DIGITS_MAX = 300  # a float holds no more
_TOO_LONG = Text(
    "a number that a run can count to (this has {n} digits)", "是程序能处理的数（现有 {n} 位）"
)
_BELOW = Text(
    "below num_machines, {n}: ranks count from 0", "小于 num_machines（{n}）：编号从 0 开始"
)
_FINITE = Text("a finite number", "是有限的数")
_WHOLE = Text("a whole number", "是整数")
_IN_DIGITS = Text(
    "a whole number in digits alone: the parser of the flag takes no other",
    "是只用数字写出的整数：该参数的解析器不接受其他写法",
)
_DIGITS = Text("the same number in digits", "改为只用数字的写法，数值不变")
_WHOLE_OR_SHARE = Text(
    "a whole number from 1 on, or a share between 0 and 1",
    "是不小于 1 的整数，或 0 与 1 之间的比例",
)
_CLIP = Text(
    "{key} {value}: clipping is off below 0, as with 0",
    "{key} 为 {value}：小于 0 与 0 一样，即关闭裁剪",
)
_UNSEEN = Text(
    "{key}: a character that is not seen, or a blank that is none ({code}), belongs to the value",
    "{key}：取值里有不可见字符或不是普通空格的空白（{code}），它会成为取值的一部分",
)
_WITHOUT = Text("the value as it looks", "去掉不可见字符，取值如所见")
_SAMPLED = Text(
    "above 0: without sampling all completions of a prompt are the same",
    "大于 0：不采样时同一 prompt 的所有回答都相同",
)
_TYPED = ("json", "toml")  # told with the types of their values
_NONE = ("None", "none", "null", "Null")


def run(look: Look) -> Iterator[Finding | Skip]:
    yield from of_each(look.fact(RunConfig), lambda config: _judged(look, config))


def _judged(look: Look, config: RunConfig) -> Iterator[Finding]:
    reader = recogniser(look.frameworks)
    keys = {one.framework.name: one for one in reader.keys}
    shared = {PLAIN: reader.plain, **keys}
    entries: Mapping[str, Framework] = {f.name: f for f in look.frameworks}
    stated = frozenset(setting.path[-1] for setting in config.settings)
    documents = list(read_documents(look, config))
    releases = look.fact(Releases).packages if look.has(Releases) else {}
    forked = forks_of(look.frameworks, config, releases)
    told: set[Span | None] = set()
    yield from of_documents(documents, keys, config, told)
    if (rank := _rank_beyond(config)) is not None:
        yield rank
    yield from needs_another(config)
    in_lists = [s for _, document, framework in documents for s in listed(document, framework)]
    words = [s for _, document, framework in documents for s in words_in_lists(document, framework)]
    lists = {(word.path, _file(word)) for word in words}
    texts = {p.span for _, d, _ in documents for p in d.problems if p.kind == "number-as-text"}
    for setting in (*config.settings, *in_lists):
        if setting.origin.span is None or setting.path == (MORE,) or setting.value is None:
            continue
        found = _of_unseen(setting) or _of_number(
            setting, shared.get(setting.origin.framework), config
        )
        each = (setting.path, _file(setting)) in lists  # of each word below
        if found is None and not each:
            found = word_fault(setting, entries, stated)
            if setting.origin.framework in forked:
                found = in_fork(found)
        found = found or switch_fault(setting, entries)
        if found is None and setting.origin.span not in texts:
            found = _whole_with_dot(setting, shared.get(setting.origin.framework))
        if found is None and setting.origin.span not in told:
            allowed = wrong_type(setting, keys)
            found = impossible(setting, allowed) if allowed is not None else None
        found = found or _of_the_usual(setting, config, entries, stated)
        if found is not None:
            yield found
    for word in words:
        if (found := word_fault(word, entries, stated)) is not None:
            yield found


def _whole_with_dot(setting: Setting, keys: Keys | None) -> Finding | None:
    if keys is None or not isinstance(setting.value, float):
        return None
    fields = {key.field for key in _keys(setting, keys)}
    return whole_with_dot(setting, fields, keys.framework.reads)


def _file(setting: Setting) -> str:
    return setting.origin.span.file if setting.origin.span is not None else ""


def _of_the_usual(
    setting: Setting, config: RunConfig, entries: Mapping[str, Framework], stated: frozenset[str]
) -> Finding | None:
    """A number that is far from all that is published, or that makes all completions the same."""
    if greedy(setting, config):
        ruled = rules_it(setting, entries[setting.origin.framework], stated)
        return None if ruled else impossible(setting, _SAMPLED)
    limit = crossed_pair(setting, config)
    usual = far(setting, config) if limit is None else CROSSED.fill(limit=f"{limit:g}")
    return beyond(setting, usual) if usual is not None else None


def _rank_beyond(config: RunConfig) -> Finding | None:
    """Ranks of machines count from 0; with one machine accelerate does not read its rank."""
    rank, machines = (
        config.setting(name, "accelerate") for name in ("machine_rank", "num_machines")
    )
    if rank is None or machines is None or rank.origin.span is None:
        return None
    numbers = [one.value for one in (rank, machines)]
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        return None
    (at, of) = (int(str(n)) for n in numbers)
    return impossible(rank, _BELOW.fill(n=of)) if at >= of > 1 else None


def _of_unseen(setting: Setting) -> Finding | None:
    """A character that is not seen, or a blank that is none, as part of a value."""
    found = unseen_in_value(setting.value)
    if found is None or setting.origin.syntax == "shell":  # told with all slips of a script
        return None
    code, seen = found
    what = _UNSEEN.fill(key=setting.origin.key, code=code)
    read = read_scalar(seen)
    whole = isinstance(read, float) and seen.isdecimal()
    repair = rewritten(setting, int(seen) if whole else read, _WITHOUT, safe=False)
    return fault(NOT_TAKEN, setting, seen, {"what": what}, repair)


def _of_number(setting: Setting, keys: Keys | None, config: RunConfig) -> Finding | None:
    """One finding at most: text, a part, or beyond its bounds."""
    value, name = setting.value, setting.path[-1]
    fields = {key.field for key in _keys(setting, keys) if _plain_number(key)}
    field = next(iter(fields)) if len(fields) == 1 else COUNTS.get(name, "")
    known = setting.origin.framework not in NOBODYS
    reads = keys.framework.reads if keys is not None else ()
    comma = known and setting.origin.syntax == "yaml" and number_and_comma(value, name)
    if letter_for_zero(value, name) or comma:
        return impossible(setting, _NUMBER)
    in_file = known and bool(field) and setting.origin.syntax != "shell"
    if in_file and isinstance(value, str) and value.isdecimal() and len(value) > _DIGITS_MAX:
        return impossible(setting, _TOO_LONG.fill(n=len(value)))
    if not_finite(value, field):
        return impossible(setting, _FINITE)
    if _no_number(setting, field, reads, known=known) and not _GLUED.search(str(value)):
        return impossible(setting, _NUMBER)
    if field and known and part_of_count(value, field, whole_warmup="whole-warmup" in reads):
        words = _WHOLE_OR_SHARE if field in INTERVALS else _WHOLE
        return impossible(setting, words, _warmup(setting, field, keys, config))
    if "typed-flags" in reads and setting.origin.key.startswith("--"):
        iterations = "whole-warmup" in reads and not name.endswith("_steps")  # transformers' names
        whole = whole_in_digits(setting.written, field, whole_warmup=iterations)
        if whole is not None:
            repair = rewritten(setting, str(whole), _DIGITS, safe=True)  # not in the old style
            return impossible(setting, _IN_DIGITS, repair)
    number = None if isinstance(value, bool) else as_number(value)
    if number is None:
        return None
    if field == "gradient_clip" and number < 0 and known:
        what = _CLIP.fill(key=setting.origin.key, value=value)
        return fault(NO_EFFECT, setting, setting.value, {"what": what})
    if field in RULED.get(setting.origin.framework, ()):
        return None
    bounds = BY_NAME.get(name) if known or number != -1 else None
    bounds = bounds or _bounds(setting, field, number, known=known)
    if bounds is None or bounds.allow(number) or _told(config, field, number):
        return None
    if not _belongs(setting, bounds, known=known):
        return None
    return impossible(setting, bounds.words, _warmup(setting, field, keys, config))


def _no_number(setting: Setting, field: str, reads: Sequence[str], *, known: bool) -> bool:
    """Text, a switch or nothing where a number is asked; a flag without a value is told elsewhere."""
    value, origin = setting.value, setting.origin
    if not field or with_sign(value, field):
        return bool(field)
    if not known:
        return False
    if origin.syntax == "shell" and origin.key.startswith("--") and str(value) in _NONE:
        return "typed-flags" in reads and FIELDS[field][0] in (int, float)
    if switch_for_number(value, field):
        return origin.syntax not in _TYPED and origin.span != origin.key_span
    return no_number(value, field)


def _bounds(setting: Setting, field: str, number: float, *, known: bool) -> Bounds | None:
    """Of a name that no framework defines only what is beyond any meaning."""
    if field == "lora_rank" and setting.origin.framework in RANKED:
        return RANK
    return BY_FIELD.get(field) if known or number < -1 or number > FAR_BEYOND else None


def _belongs(setting: Setting, bounds: Bounds, *, known: bool) -> bool:
    """A block that names something else may mean something else: quantization eps, ppo lr."""
    if known or bounds is not BY_NAME.get("eps"):
        return True
    blocks = setting.path[:-1]
    own = setting.path[-1] != "eps" and (not blocks or blocks[-1].startswith("train"))
    return own or "optim" in "".join(blocks)


def _told(config: RunConfig, field: str, number: float) -> bool:
    """Whether the check of canonical fields tells it: those know no number below zero."""
    told = field in STATED and not STATED[field].allow(number)
    here = field != "warmup_ratio" or config.nobodys
    return told and here and number >= 0 and config.number(field) == number


def _plain_number(key: Key) -> bool:
    return key.true_means is None and key.false_means is None and not key.values


def _keys(setting: Setting, keys: Keys | None) -> list[Key]:
    if keys is None:
        return []
    flag = setting.origin.syntax == "shell" and "." not in setting.origin.key
    found = keys.find_flag(setting.origin.key) if flag else keys.find(setting.path)
    return [key for _, key in found]


def _warmup(setting: Setting, field: str, keys: Keys | None, config: RunConfig) -> Repair | None:
    number = as_number(setting.value)
    if keys is None or number is None or isinstance(setting.value, bool):
        return None
    from .warmup_units import other_unit

    return other_unit(setting, field, number, keys.framework, config)


PROBE = Probe(
    name="config-values",
    title=Text("single values", "单个配置值"),
    tells=(IMPOSSIBLE, NOT_TAKEN, NO_EFFECT, NEEDS_ANOTHER, OTHERWISE, BEYOND, EXCLUDE),
    run=run,
    needs=(RunConfig,),
    wants=(Releases,),
    seconds=0.02,
    limit_seconds=5,
)
