"""What lies beside a checkpoint, or does not: pointers, shards, tied heads, adapters at their start."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from medic.probes.checkpoint import change, diffing, index
from medic.probes.checkpoint.renaming import find_rule
from medic.probes.checkpoint.units import gather

from medic.facts import GivenFile
from medic.probe import Finding
from medic.report.checkpoint_text import diff_lines


def unit(path: Path) -> Any:
    return gather([GivenFile(str(path), path.name, "checkpoint")])[0]


def judged(look: Any) -> list[str]:
    found = [f for f in index.run(look) if isinstance(f, Finding)]
    return [f"{f.outcome} {f.value['reason']}".strip() for f in found]


@pytest.mark.parametrize(
    ("pointer", "said", "folder", "outcome"),
    [
        ("latest", "global_step200", "global_step100", "broken latest names global_step200"),
        ("latest", "global_step100", "global_step100", "whole"),
        ("latest", "see the wiki page", "global_step100", "whole"),
        ("latest_checkpointed_iteration.txt", "200", "iter_0000100", "broken latest_checkpointed"),
        ("latest_checkpointed_iteration.txt", "100", "iter_0000100", "whole"),
        ("latest_checkpointed_iteration.txt", "release", "iter_0000100", "whole"),
    ],
)
def test_a_pointer_to_a_folder(
    files: Any, make_look: Any, pointer: str, said: str, folder: str, outcome: str
) -> None:
    path = files.zip(f"{folder}/mp_rank_00_model_states.pt", {"module": {"w": files.T((2,))}})
    (path.parents[1] / pointer).write_text(said)
    (found,) = judged(make_look(path))
    assert found.startswith(outcome)


def test_what_an_index_names_and_is_not_there_is_told(files: Any, make_look: Any) -> None:
    part = files.safetensors("b/model-00001-of-00002.safetensors", {"a": (2,)})
    names = {"a": part.name, "b": "model-00002-of-00002.safetensors"}
    listed = files.index("b/model.safetensors.index.json", names)
    whole = files.safetensors("a/model.safetensors", {"a": (2,), "b": (2,)})
    found = diffing.diff(make_look(whole, listed), unit(whole), unit(listed))
    assert any("model-00002-of-00002" in row for row in diff_lines(found))
    found = diffing.diff(make_look(whole, part), unit(whole), unit(whole))
    assert not any("on disk" in row for row in diff_lines(found))


def head(path: Path, *, tied: bool, **tensors: tuple[float, ...]) -> Path:
    """A safetensors file with these numbers, and a config beside it."""
    at, header, data = 0, {}, b""
    for name, numbers in tensors.items():
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        offsets = [at, len(data)]
        shape = [len(numbers) // 2, 2]
        header[name.replace("__", ".")] = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
        at = len(data)
    raw = json.dumps(header).encode()
    path.parent.mkdir()
    path.write_bytes(struct.pack("<Q", len(raw)) + raw + data)
    (path.parent / "config.json").write_text(json.dumps({"tie_word_embeddings": tied}))
    return path


@pytest.mark.parametrize("tied", [True, False])
def test_a_tied_head_is_not_lacking(tmp_path: Path, make_look: Any, tied: bool) -> None:
    embedding = (1.0, 2.0, 3.0, 4.0)
    one = head(tmp_path / "a/m.safetensors", tied=tied, embed__weight=embedding)
    two = head(
        tmp_path / "b/m.safetensors",
        tied=False,
        embed__weight=embedding,
        lm_head__weight=(9.0,) * 4,
    )
    found = diffing.diff(make_look(one, two), unit(one), unit(two))
    assert found.tied == (("A",) if tied else ())


def test_the_adapters_name_is_no_other_model() -> None:
    plain = [f"m.{n}.lora_{x}.weight" for n in range(3) for x in "AB"]
    named = [n.replace(".weight", ".default.weight") for n in plain]
    assert set(find_rule(named, plain).mapping(named, plain).values()) == set(plain)
    assert set(find_rule(plain, named).mapping(plain, named).values()) == set(named)


@pytest.mark.parametrize(
    ("folder", "second", "outcome"),
    [
        ("out", (0.0, -0.0), "adapter-at-start"),
        ("out", (0.0, 0.1), ""),
        ("checkpoint-0", (0.0, 0.0), ""),
    ],
)
def test_an_adapter_that_adds_nothing(
    tmp_path: Path, make_look: Any, folder: str, second: tuple[float, ...], outcome: str
) -> None:
    path = head(
        tmp_path / folder / "adapter_model.safetensors",
        tied=False, m__lora_A__weight=(1.0, 2.0), m__lora_B__weight=second,
    )  # fmt: skip
    found = [f for f in change.run(make_look(path)) if isinstance(f, Finding)]
    assert [f.outcome for f in found if f.name == "checkpoint-change"] == [outcome] * bool(outcome)
