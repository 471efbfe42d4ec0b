"""What the probes of this machine read, over folders made here, and the command itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from medic.probes import host_machine, host_places, host_python

from medic.commands import main
from medic.facts import Document, GivenFile, Launches, Machine, Places
from medic.report.schemas import SCHEMAS
from medic.run_config import Origin, RunConfig, Setting, Value
from medic.syntax import parse

Look = Callable[..., Any]


class Here:
    """As much of a Look as these probes ask for: facts, and the scripts of one folder."""

    def __init__(self, root: Path, facts: Sequence[Any]) -> None:
        self.root = root
        self.facts = {type(fact): fact for fact in facts}

    def fact(self, kind: type[Any]) -> Any:
        return self.facts[kind]

    def has(self, kind: type[Any]) -> bool:
        return kind in self.facts

    def files(self, *kinds: str) -> list[GivenFile]:
        return [GivenFile(str(p), p.name, "script") for p in self.root.glob("*.sh")]

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        yield from enumerate(Path(path).read_text("utf-8").splitlines(), 1)

    def parse(self, path: str) -> Document:
        return parse(Path(path).read_bytes(), path)


@pytest.fixture
def look(tmp_path: Path) -> Look:
    def make(files: dict[str, str] | None = None, facts: Sequence[Any] = ()) -> Here:
        for name, content in (files or {}).items():
            (tmp_path / name).write_text(content, "utf-8")
        return Here(tmp_path, facts)

    return make


def setting(key: str, value: str) -> Setting:
    return Setting((key,), value, Origin("file", key=key))


def places(look: Any) -> Places:
    (found,) = host_places.run(look)
    assert isinstance(found, Places)
    return found


def test_paths_that_are_read(look: Look, tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("{}\n")
    (tmp_path / "corpus_text_document.bin").write_text("")
    names = {
        "train_file": f"{tmp_path}/train.jsonl",
        "data_path": f"0.3 {tmp_path}/corpus_text_document 0.7 {tmp_path}/none",
        "dataset": "org/name",
        "tokenizer_path": f"{tmp_path}/$MODEL",
        "logging_dir": "/nowhere/logs",
        "data_cache_path": "/nowhere/cache",
        "eval_files": f"{tmp_path}/*.jsonl",
        "model_name_or_path": "s3://bucket/model",
    }
    config = RunConfig(settings=tuple(setting(k, v) for k, v in names.items()))
    found = {p.path: p.exists for p in places(look(facts=[config])).inputs}
    assert found == {
        f"{tmp_path}/train.jsonl": True,
        f"{tmp_path}/corpus_text_document": True,
        f"{tmp_path}/none": False,
        f"{tmp_path}/*.jsonl": True,
    }


@pytest.mark.parametrize(
    ("script", "path", "sure"),
    [
        ("python train.py\n", "./data/x.jsonl", True),
        ("cd $WORK && python train.py\n", "./data/x.jsonl", False),
        ("cd $WORK\n", "/data/x.jsonl", True),
        ("srun --container-image=a.sqsh python train.py\n", "/data/x.jsonl", False),
        ("docker run --rm a python train.py\n", "/data/x.jsonl", False),
    ],
)
def test_whether_this_folder_is_the_runs(look: Look, script: str, path: str, sure: bool) -> None:
    config = RunConfig(settings=(setting("train_file", path),))
    (place,) = places(look({"run.sh": script}, facts=[config])).inputs
    assert (place.exists, place.sure) == (False, sure)


def test_the_output_folder_is_looked_at_where_it_will_be(look: Look, tmp_path: Path) -> None:
    origin = Origin("file", key="save")
    config = RunConfig({"output_dir": Value(f"{tmp_path}/a/b", origin)})
    output = places(look(facts=[config])).output
    assert output is not None
    assert (output.exists, output.holder, output.writable) == (False, str(tmp_path), True)
    assert output.free is not None
    assert places(look(facts=[RunConfig({"output_dir": Value("$OUT/x", origin)})])).output is None


def environment(tmp_path: Path) -> dict[str, str]:
    """A virtual environment with a torch that was never installed."""
    site = tmp_path / "venv/lib/python3.11/site-packages"
    info = site / "torch-2.6.0+cu124.dist-info"
    for folder in (
        info,
        site / "torch",
        site / "flash_attn-2.7.4.dist-info",
        site / "six-1.dist-info",
    ):
        folder.mkdir(parents=True)
    (info / "METADATA").write_text(
        'Name: torch\nRequires-Dist: triton==3.2.0; platform_system == "Linux"\n'
    )
    (site / "torch/version.py").write_text(
        "from typing import Optional\ncuda: Optional[str] = '12.4'\n"
    )
    program = tmp_path / "venv/bin/python"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/base/bin\n")
    header = tmp_path / "base/include/python3.11/Python.h"
    header.parent.mkdir(parents=True)
    header.write_text("")
    return {"PATH": str(program.parent)}


def test_the_python_on_path_is_read_not_run(tmp_path: Path) -> None:
    found = host_python.find_python(environment(tmp_path))
    assert found.packages == {"flash-attn": "2.7.4", "torch": "2.6.0+cu124"}
    assert (found.torch_cuda, found.triton_pin, found.version) == ("12.4", "3.2.0", "3.11")
    assert found.headers == f"{tmp_path}/base/include/python3.11"


def pyenv(tmp_path: Path, version: str = "3.11.7") -> dict[str, str]:
    """A shim of pyenv and the version that it starts; the interpreter of a name ends elsewhere."""
    root = tmp_path / "pyenv"
    for folder in ("shims", "versions/3.11.7/bin", "versions/3.11.7/lib/python3.11/site-packages"):
        (root / folder).mkdir(parents=True)
    for file in ("shims/python", "versions/3.11.7/bin/python"):
        (root / file).write_text("#!/bin/sh\n")
        (root / file).chmod(0o755)
    (root / "version").write_text(f"{version}\n")
    (root / "versions/3.11.7/lib/python3.11/site-packages/torch-2.7.1.dist-info").mkdir()
    return {"PATH": f"{root}/shims"}


def test_the_python_behind_a_shim_is_the_one_that_runs(tmp_path: Path) -> None:
    path = pyenv(tmp_path)
    assert host_python.find_python(path).headers == ""
    header = tmp_path / "pyenv/versions/3.11.7/include/python3.11/Python.h"
    header.parent.mkdir(parents=True)
    header.write_text("")
    found = host_python.find_python(path)
    assert (found.headers, found.packages) == (str(header.parent), {"torch": "2.7.1"})


def test_a_shim_of_what_is_not_here_tells_nothing(tmp_path: Path) -> None:
    found = host_python.find_python(pyenv(tmp_path, "3.12.1"))
    assert (found.headers, found.packages) == (None, {})


def test_a_link_leads_to_the_headers(tmp_path: Path) -> None:
    real = tmp_path / "opt/bin/python3.11"
    header = tmp_path / "opt/include/python3.11/Python.h"
    for file in (real, header):
        file.parent.mkdir(parents=True)
        file.write_text("")
    real.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(real)
    assert host_python.find_python({"PATH": f"{tmp_path}/bin"}).headers == str(header.parent)


def test_this_machine(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_DEBUG", "WARN")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("WANDB_API_KEY", "secret")
    (machine,) = host_machine.run(look(facts=[Launches()]))
    assert isinstance(machine, Machine)
    names = {v.name: v.value for v in machine.variables}
    assert names["NCCL_DEBUG"] == "WARN"
    assert "secret" not in str(machine)
    assert {"n", "u"} <= set(machine.limits)


LAUNCH = """#!/bin/bash
export NCCL_TIMEOUT=3600
torchrun --nproc_per_node 1 --nnodes 1 --master_port 1 pretrain_gpt.py \\
  --micro-batch-size 4 --global-batch-size 4 --seq-length 64 --train-iters 10 \\
  --num-layers 2 --hidden-size 64 --num-attention-heads 4 --data-path {data}
"""


@pytest.mark.usefixtures("state")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "launch.sh"
    file.write_text(LAUNCH.format(data=tmp_path / "none"))
    assert main(["preflight", str(file), "--json", "--lang", "en"]) == 1
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, SCHEMAS["preflight"])
    jsonschema.validate(data["lint"], SCHEMAS["lint"])
    told = {(r["name"], r["state"], r["line"]) for r in data["results"]}
    assert ("variable", "not-ok", 2) in told
    assert ("data", "not-ok", 5) in told
    assert data["ok"] is False
    assert main(["preflight", str(file), "--exit-zero", "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert "异常      variable：NCCL_TIMEOUT=3600：没有程序读取它" in out
    assert f"{file}:2" in out
    assert main(["preflight", str(tmp_path / "nothing.sh")]) == 2
