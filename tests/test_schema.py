"""A bad knowledge file is told at file:line, with the name that was meant."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import get_type_hints

import pytest

import medic.entries
from medic.entries.decode import _hint, decode
from medic.errors import KnowledgeError
from medic.index.knowledge import load
from medic.records import names_of
from medic.schema.compiling import compile_knowledge

ROOT = Path(__file__).resolve().parents[1]

CAUSE = """name: gpu-on-fire
code: TST-001
since: 0.1.0
title: {en: The GPU burns, zh: GPU 起火}
family: test
why: {en: heat, zh: 过热}
prior: {single-node: rare, cluster: rare}
shows:
  - {symptom: smoke, level: always}
told-by: []
remedies: [use-water]
sources: [{document: a test}]
"""
SYMPTOM = """name: smoke
family: test
title: {en: smoke, zh: 冒烟}
phrases: {en: [a, b, c, d, e], zh: [一, 二, 三, 四, 五]}
"""
REMEDY = """name: use-water
title: {en: Use water, zh: 浇水}
kind: command
safe: false
costs: {minutes: 1, say: {en: a GPU, zh: 一块 GPU}}
success: usually
do: {en: pour, zh: 浇}
worked-if: {gone: smoke}
"""


def folder(tmp_path: Path, **changed: str) -> Path:
    texts = {
        "causes/test/gpu-on-fire": CAUSE,
        "symptoms/smoke": SYMPTOM,
        "remedies/use-water": REMEDY,
    }
    for name, text in {**texts, **changed}.items():
        file = tmp_path / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path


def test_a_whole_set_compiles(tmp_path: Path) -> None:
    compiled = compile_knowledge([folder(tmp_path)])
    assert set(compiled["causes"]) == {"gpu-on-fire"}


BAD = {
    "unknown symptom": (CAUSE.replace("smoke", "smoek"), 9, "smoke"),
    "level typo": (CAUSE.replace("always", "alwys"), 9, "always"),
    "unknown key": (CAUSE + "remedy: [x]\n", 13, "remedies"),
    "unknown remedy": (CAUSE.replace("use-water", "use-watr"), 11, "use-water"),
    "one language": (CAUSE.replace(", zh: 过热", ""), 6, ""),
    "placeholders differ": (CAUSE.replace("en: heat", "en: '{x} heat'"), 6, "x"),
    "an alias": (CAUSE.replace("{document: a test}", "&a {document: t}, *a"), 12, ""),
    "a tag": (CAUSE.replace("en: heat", "en: !!python/name:os.system"), 6, ""),
    "a tag of YAML's own": (CAUSE.replace("en: heat", "en: !!set {heat}"), 6, "tags"),
    "a list as a key": (CAUSE + "? [a]\n: b\n", 13, "plain name"),
    "a merge": (CAUSE + "<<: {name: x}\n", 13, "plain name"),
    "no mapping": ("- a\n", 1, ""),
    "a key twice": (CAUSE + "told-by: []\n", 13, "told-by"),
    "a nested key twice": (
        CAUSE.replace("level: always", "level: always, level: rarely"),
        9,
        "level",
    ),
    "not YAML": (CAUSE + "x: [\n", 14, ""),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_the_line(tmp_path: Path, name: str) -> None:
    text, line, hint = BAD[name]
    with pytest.raises(KnowledgeError) as caught:
        compile_knowledge([folder(tmp_path, **{"causes/test/gpu-on-fire": text})])
    assert caught.value.at.startswith(str(tmp_path))
    assert int(caught.value.at.rpartition(":")[2]) == line
    assert hint in caught.value.en


CHECK = """name: colour
family: test
title: {en: Its colour, zh: 颜色}
outcomes:
  grey: {normal: true, title: {en: grey, zh: 灰}}
  black:
    otherwise: rarely
    title: {en: black, zh: 黑}
    applies-when: {zero: {min: 1}}
ask:
  say: {en: Which colour?, zh: 什么颜色？}
  how: {en: look, zh: 看}
  applies-when: {gpus: {min: 2}}
"""


@pytest.mark.parametrize(("fact", "line"), [("zero", 9), ("gpus", 13)])
def test_a_check_applies_by_facts_that_exist(tmp_path: Path, fact: str, line: int) -> None:
    where = folder(tmp_path, **{"checks/colour": CHECK})
    assert compile_knowledge([where])["checks"]
    folder(tmp_path, **{"checks/colour": CHECK.replace(f"{{{fact}:", f"{{{fact}s:")})
    with pytest.raises(KnowledgeError, match=f"did you mean.*{fact}") as caught:
        compile_knowledge([where])
    assert int(caught.value.at.rpartition(":")[2]) == line


def test_two_entries_of_one_name(tmp_path: Path) -> None:
    where = folder(tmp_path, **{"causes/other/gpu-on-fire": CAUSE})
    with pytest.raises(KnowledgeError, match="also defined"):
        compile_knowledge([where])


def test_a_code_is_never_shared(tmp_path: Path) -> None:
    other = CAUSE.replace("gpu-on-fire", "gpu-in-water")
    with pytest.raises(KnowledgeError, match="code also of"):
        compile_knowledge([folder(tmp_path, **{"causes/test/gpu-in-water": other})])


LINT = """lint:
  severity: warning
  message: {en: hot, zh: 热}
  then: {en: it melts, zh: 熔化}
"""


def test_a_lint_check_has_a_name_of_its_own(tmp_path: Path) -> None:
    symptom = SYMPTOM.replace("name: smoke", "name: gpu-on-fire")
    changed = {"causes/test/gpu-on-fire": CAUSE + LINT, "symptoms/gpu-on-fire": symptom}
    with pytest.raises(KnowledgeError, match="lint check shares the name of symptoms/gpu-on-fire"):
        compile_knowledge([folder(tmp_path, **changed)])


def test_annotations_of_entries_are_read_as_typing_reads_them() -> None:
    for module in iter_modules(medic.entries.__path__, "medic.entries."):
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and names_of(kind):
                read = {name: _hint(kind, name) for name in names_of(kind)}
                assert read == get_type_hints(kind)


def test_compiled_entries_decode_to_what_was_validated() -> None:
    index = load()
    from medic.entries import Cause
    from medic.schema.compiling import load as load_entries

    entries = load_entries([ROOT / "knowledge"])
    for name in index.causes:
        entry = replace(entries["causes"][name], reports={})  # they live on in the words
        assert decode(Cause, index.raw["causes"][name]) == entry
    for kind in ("symptoms", "remedies", "frameworks"):
        for name, entry in entries[kind].items():
            assert getattr(index, kind)[name] == entry


FRAMEWORK = """name: fireworks
title: Fireworks
recognise: {any-keys: [[fuse]]}
keys: [{key: fuse, field: learning_rate}]
known: [spark]
"""


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("traits: [leaves-exceptions]\nnearly: {warmup_ratio: spark}", ""),
        ("traits: [leaves-exception]", "leaves-exception"),
        ("overrides: hidra", "hydra"),
        ("hands-on: [firework]", "firework"),
        ("nearly: {warmup_ratios: spark}", "warmup_ratios"),
        ("nearly: {warmup_ratio: sparks}", "sparks"),
    ],
)
def test_what_an_entry_says_of_its_framework_is_known(tmp_path: Path, more: str, says: str) -> None:
    root = folder(tmp_path, **{"frameworks/fireworks": f"{FRAMEWORK}{more}\n"})
    if not says:
        assert compile_knowledge([root])
        return
    with pytest.raises(KnowledgeError, match=says):
        compile_knowledge([root])
