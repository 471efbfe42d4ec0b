"""medic checkpoint diff and remap as a user calls them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from medic.commands import main
from medic.report.schemas import SCHEMAS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path) -> Run:
    def call(*words: str, lang: str = "en") -> tuple[int, str, str]:
        code = main([*words, "--lang", lang])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def save(path: Path, *names: str) -> str:
    """A safetensors file of one number a tensor."""
    entries = {
        n: {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]}
        for i, n in enumerate(names)
    }
    head = json.dumps(entries).encode()
    data = b"".join(struct.pack("<f", i) for i in range(len(names)))
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)
    return str(path)


def test_the_plan_comes_first_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    source, to = (
        save(tmp_path / "in.safetensors", "module.a", "module.b"),
        tmp_path / "o.safetensors",
    )
    code, out, _ = run("checkpoint", "remap", source, str(to), "--dry-run")
    assert code == 0
    assert "module.a -> a" in out
    assert not to.exists()
    code, out, _ = run("checkpoint", "remap", source, str(to))
    assert code == 0
    assert "written" in out
    code, out, err = run("checkpoint", "remap", source, str(to))
    assert code == 2
    assert "nothing is overwritten" in err


def test_what_cannot_be_mapped_is_told(run: Run, tmp_path: Path) -> None:
    source = save(tmp_path / "in.safetensors", "module.a", "module.extra")
    like = save(tmp_path / "like.safetensors", "a", "b")
    to = tmp_path / "out.safetensors"
    code, out, _ = run("checkpoint", "remap", source, str(to), "--like", like, "--json")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMAS["checkpoint-remap"])
    assert code == 1
    assert [t["name"] for t in found["tensors"]] == ["a"]
    assert [m["name"] for m in found["missing"]] == ["b"]
    assert [m["name"] for m in found["left_out"]] == ["module.extra"]
    assert found["written"] == to.stat().st_size


def test_two_checkpoints_side_by_side(run: Run, tmp_path: Path) -> None:
    a, b = save(tmp_path / "a.safetensors", "module.w"), save(tmp_path / "b.safetensors", "w")
    code, out, _ = run("checkpoint", "diff", a, b)
    assert code == 1
    assert 'removeprefix("module.")' in out
    assert "values are not compared" in out
    same = save(tmp_path / "same.safetensors", "w")
    code, out, _ = run("checkpoint", "diff", b, same)
    assert code == 0
    assert "names and shapes agree (values are not compared)" in out
    assert run("checkpoint", "diff", a, a)[0] == 0
    jsonschema.validate(
        json.loads(run("checkpoint", "diff", a, b, "--json")[1]), SCHEMAS["checkpoint-diff"]
    )
    code, out, _ = run("checkpoint", "diff", a, b, lang="zh")
    assert "改名后参数名和形状一致（未比较数值）" in out


def weights(path: Path, head: float | None, embedding: str = "model.embed_tokens.weight") -> str:
    """A safetensors file of two layers, an embedding of ones and a head of ``head``."""
    values = {f"model.layers.{i}.mlp.up_proj.weight": 0.5 for i in range(2)} | {embedding: 1.0}
    values |= {} if head is None else {"lm_head.weight": head}
    entries = {
        n: {"dtype": "F32", "shape": [4, 2], "data_offsets": [32 * i, 32 * i + 32]}
        for i, n in enumerate(values)
    }
    text = json.dumps(entries).encode()
    data = b"".join(struct.pack("<8f", *[value] * 8) for value in values.values())
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return str(path)


@pytest.mark.parametrize("embedding", ["model.embed_tokens.weight", "transformer.wte.weight"])
def test_a_head_of_its_own_is_missed_and_a_tied_one_is_not(
    run: Run, tmp_path: Path, embedding: str
) -> None:
    own = weights(tmp_path / "own" / "a.safetensors", 3.0, embedding)
    same = weights(tmp_path / "same" / "a.safetensors", 1.0, embedding)
    none = weights(tmp_path / "none" / "a.safetensors", None, embedding)
    code, out, _ = run("checkpoint", "diff", own, none)
    assert (code, "only in A (1):\n    lm_head.weight" in out, "no matter" in out) == (
        1,
        True,
        False,
    )
    code, out, _ = run("checkpoint", "diff", none, own)
    assert (code, "only in B (1):\n    lm_head.weight" in out) == (1, True)
    code, out, _ = run("checkpoint", "diff", same, none)
    assert (code, "tied head" in out) == (0, True)
    (tmp_path / "none" / "config.json").write_text('{"tie_word_embeddings": true}')
    assert run("checkpoint", "diff", own, none)[0] == 1, "the head that is there would be lost"
    (tmp_path / "own" / "config.json").write_text('{"tie_word_embeddings": true}')
    assert run("checkpoint", "diff", own, none)[0] == 0


def test_what_is_no_checkpoint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "a.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    good = save(tmp_path / "b.safetensors", "w")
    for path, words in (("run.log", "no checkpoint"), ("a.safetensors", "git-lfs pointer")):
        code, _, err = run("checkpoint", "diff", str(tmp_path / path), good)
        assert code == 2
        assert words in err


def test_the_broken_one_of_two_is_named(run: Run, tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.safetensors", "w")
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(Path(whole).read_bytes()[:20])
    for pair in ((whole, str(broken)), (str(broken), whole)):
        code, _, err = run("checkpoint", "diff", *pair)
        assert code == 2
        assert "broken.safetensors: " in err
        assert "whole.safetensors" not in err


def test_the_broken_shard_is_named(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "model-00001-of-00002.safetensors", "a")
    save(tmp_path / "model-00002-of-00002.safetensors", "b")
    bad = tmp_path / "model-00002-of-00002.safetensors"
    bad.write_bytes(bad.read_bytes()[:20])
    to = str(tmp_path / "out.safetensors")
    code, _, err = run("checkpoint", "remap", str(tmp_path), to, "--add", "x.")
    assert code == 2
    assert "model-00002-of-00002.safetensors: " in err


@pytest.mark.parametrize(("strip", "told"), [("zzz.", "starts with zzz."), ("model.a", "model.a")])
def test_a_start_that_cannot_go_is_refused(run: Run, tmp_path: Path, strip: str, told: str) -> None:
    source = save(tmp_path / "in.safetensors", "model.a", "model.b")
    to = tmp_path / "out.safetensors"
    code, _, err = run("checkpoint", "remap", source, str(to), "--strip", strip)
    assert code == 2
    assert told in err
    assert "nothing is written" in err
    assert not to.exists()


def header_of(path: Path) -> dict[str, object]:
    raw = path.read_bytes()
    found = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert isinstance(found, dict)
    return found


def with_words(path: Path, **words: str) -> None:
    """Puts words beside the tensors into a safetensors file."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    head = json.dumps({"__metadata__": words, **json.loads(raw[8 : 8 + length])}).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + raw[8 + length :])


def test_what_the_header_says_beside_the_tensors_is_kept(run: Run, tmp_path: Path) -> None:
    source, to = tmp_path / "in.safetensors", tmp_path / "o.safetensors"
    save(source, "module.a")
    with_words(source, format="pt", step="1200", lineage="run-7")
    assert run("checkpoint", "remap", str(source), str(to))[0] == 0
    assert header_of(to)["__metadata__"] == {"format": "pt", "step": "1200", "lineage": "run-7"}
    again = tmp_path / "again.safetensors"
    assert run("checkpoint", "remap", str(source), str(again), "--like", str(to))[0] == 0
    assert header_of(again)["__metadata__"] == header_of(to)["__metadata__"]


def test_a_copy_always_names_its_format(run: Run, tmp_path: Path) -> None:
    source, to = save(tmp_path / "in.safetensors", "module.a"), tmp_path / "o.safetensors"
    assert run("checkpoint", "remap", source, str(to))[0] == 0
    assert header_of(to)["__metadata__"] == {"format": "pt"}


def test_shards_that_say_different_things_are_told(run: Run, tmp_path: Path) -> None:
    names = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    for i, name in enumerate(names):
        save(tmp_path / name, f"module.t{i}")
        with_words(tmp_path / name, format="pt", part=str(i))
    index = {"weight_map": {f"module.t{i}": name for i, name in enumerate(names)}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    to = tmp_path.parent / f"{tmp_path.name}-out.safetensors"
    code, out, _ = run("checkpoint", "remap", str(tmp_path), str(to))
    assert code == 0
    assert "differ in part: the copy says 0" in out
    assert header_of(to)["__metadata__"] == {"format": "pt", "part": "0"}


@pytest.mark.parametrize(
    "names", [("a", "module.a"), ("module.a", "a"), ("module.a", "_orig_mod.a")]
)
def test_two_names_that_become_one_are_refused(
    run: Run, tmp_path: Path, names: tuple[str, ...]
) -> None:
    source, to = save(tmp_path / "in.safetensors", *names, "b"), tmp_path / "o.safetensors"
    code, _, err = run("checkpoint", "remap", source, str(to))
    assert code == 2
    assert f"{names[0]} and {names[1]} would both become a: nothing is written" in err
    assert len(err.strip().splitlines()) == 1
    assert not to.exists()


def test_a_broken_checkpoint_alone_is_a_finding(run: Run, tmp_path: Path) -> None:
    """Nothing else can be read of it; that it is broken was."""
    (tmp_path / "__0_0.distcp").write_bytes(b"x" * 100)
    code, out, _ = run("diagnose", str(tmp_path))
    assert code == 1
    assert "no .metadata beside the shards" in " ".join(out.split())
    (tmp_path / "__0_0.distcp").unlink()
    (tmp_path / "notes.pt").write_bytes(b"x" * 100)
    code, _, err = run("diagnose", str(tmp_path))
    assert (code, "nothing could be read" in err) == (2, True)
