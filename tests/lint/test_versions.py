"""Rules that only some versions have, and where the version is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from medic.probes.config.pins import fits, noted, pinned
from medic.probes.config.releases import LONG

from medic.case.collect import collect
from medic.facts import Release, Source
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintReport

INDEX = load()
UNKNOWN_KEY, RENAMED = "misspelt-config-key", "argument-renamed-in-library"
TEXT = (
    "output_dir: out\n"
    "per_device_train_batch_size: 2\n"
    "learning_rate: 0.00001\n"
    "evaluation_strategy: steps\n"
    "no_cuda: false\n"
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed where the tests run says nothing."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PATH"):
        monkeypatch.setenv(name, "")


def linted(tmp_path: Path, text: str = TEXT, **beside: str) -> LintReport:
    for name, content in beside.items():
        (tmp_path / name.replace("__", ".")).write_text(content, "utf-8")
    (tmp_path / "config.yaml").write_text(text, "utf-8")
    return lint(collect([str(tmp_path / "config.yaml")]), INDEX)


def found(report: LintReport) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in report.findings]


def test_without_a_version_a_rename_says_for_which_it_holds(tmp_path: Path) -> None:
    report = linted(tmp_path)
    assert found(report) == [(RENAMED, 4), (RENAMED, 5)]
    assert "holds for transformers >=4.51; not known which version" in report.findings[0].message.en
    assert "未知实际使用的版本" in report.findings[0].message.zh
    assert report.run_config.framework_version == ""


@pytest.mark.parametrize(
    ("pins", "wanted"),
    [
        ("transformers==4.40.2\n", []),
        ("transformers==4.57.1\n", [(UNKNOWN_KEY, 4)]),
        ("torch\ntransformers[torch]>=5.0,<6  # new\n", [(UNKNOWN_KEY, 4), (UNKNOWN_KEY, 5)]),
        ("transformers~=4.40.1\n", []),
        ("transformers~=4.40.0\n", []),
        ("transformers>=4.40\n", [(RENAMED, 4), (RENAMED, 5)]),
        ("git+https://example.org/a/transformers.git@v4.40.0\n", []),
    ],
)
def test_pinned_versions_decide(tmp_path: Path, pins: str, wanted: list[tuple[str, int]]) -> None:
    assert found(linted(tmp_path, requirements__txt=pins)) == wanted


def test_pins_that_differ_tell_nothing(tmp_path: Path) -> None:
    (tmp_path / "requirements-docs.txt").write_text("transformers==4.40.1\n", "utf-8")
    report = linted(tmp_path, requirements__txt="transformers==5.1.0\n")
    assert found(report) == [(RENAMED, 4), (RENAMED, 5)]


def test_an_exact_pin_comes_before_a_range(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = [\n  "transformers>=4.30",\n]\n', "utf-8"
    )
    assert found(linted(tmp_path, requirements__txt="transformers==4.40.1\n")) == []


def test_the_place_of_the_version_is_told(tmp_path: Path) -> None:
    report = linted(tmp_path, requirements__txt="torch\ntransformers==5.1.0\n")
    assert "(transformers 5.1.0, " in report.findings[0].message.en
    assert "requirements.txt:2" in report.findings[0].message.en
    assert report.run_config.framework_version == "5.1.0"


def test_the_environment_beside_the_files_comes_first(tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    (site / "transformers-4.40.1.dist-info").mkdir(parents=True)
    assert found(linted(tmp_path, requirements__txt="transformers==5.1.0\n")) == []


def test_a_comment_and_a_field_tell_it(tmp_path: Path) -> None:
    assert found(linted(tmp_path, "# for transformers 4.40.1\n" + TEXT)) == []
    assert found(linted(tmp_path, TEXT + 'transformers_version: "4.40.1"\n')) == []


def test_a_key_of_a_later_version(tmp_path: Path) -> None:
    text = TEXT.replace("evaluation_strategy", "eval_strategy")
    assert (UNKNOWN_KEY, 4) in found(linted(tmp_path, text, requirements__txt="transformers==4.38"))
    assert found(linted(tmp_path, text, requirements__txt="transformers==4.46.0\n")) == []
    assert found(linted(tmp_path, text, requirements__txt="\n")) == [(RENAMED, 5)]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("trl==0.21.0", ("trl", "0.21.0", "0.21.0", "")),
        ("  - deepspeed=0.15.1", ("deepspeed", "0.15.1", "0.15.1", "")),
        ('    "transformers>=4.51,<5",', ("transformers", "4.51", "", "5")),
        ('transformers = "^4.57"', ("transformers", "4.57", "", "5")),
        ('transformers = "^4.0.0"', ("transformers", "4.0.0", "", "5")),
        ('trl = "^0.20.0"', ("trl", "0.20.0", "", "0.21")),
        ('trl = "^0.0.3"', ("trl", "0.0.3", "", "0.0.4")),
        ('trl = "^0.0"', ("trl", "0.0", "", "0.1")),
        ('trl = "^0"', ("trl", "0", "", "1")),
        ("transformers~=4.40.0", ("transformers", "4.40.0", "", "4.41")),
        ("transformers~=4.40.2", ("transformers", "4.40.2", "", "4.41")),
        ("transformers~=4.40", ("transformers", "4.40", "", "5")),
        ("transformers~=4.40.0rc1", ("transformers", "4.40.0rc1", "", "4.41")),
        ("ms_swift<=3.5.0", ("ms-swift", "", "3.5.0", "")),
        ("torch==2.6.*", ("torch", "", "", "")),
        ("transformers-stream-generator==0.0.5", None),
        ("transformers", None),
        ("# transformers==4.0", None),
    ],
)
def test_lines_of_requirements(line: str, wanted: tuple[str, str, str, str] | None) -> None:
    told = [pin[:4] for pin in pinned([line])]
    assert told == ([wanted] if wanted and any(wanted[1:]) else [])


def test_lock_files() -> None:
    lines = ["[[package]]", 'name = "trl"', 'version = "1.2.0"', 'name = "x"', 'version = "9.9"']
    assert [pin[:2] for pin in pinned(lines)] == [("trl", "1.2.0")]


@pytest.mark.parametrize(
    "line", ["lr: 1e-4 # as in transformers", "# see transformers/4.5/x", "x: 1"]
)
def test_a_comment_without_a_version_tells_none(line: str) -> None:
    assert not list(noted([line]))


@pytest.mark.parametrize(
    ("spec", "low", "high", "below", "wanted"),
    [
        (">=5.0", "5.0.0", "5.0.0", "", True),
        (">=5.0", "4.57.1", "4.57.1", "", False),
        (">=5.0", "4.40", "", "", None),
        (">=5.0", "", "", "5", False),
        ("<4.41", "4.40.9", "4.40.9", "", True),
        ("<4.41", "4.41", "", "", False),
        (">=4.46,<5.0", "4.50", "4.50", "", True),
        (">=4.46,<5.0", "5.2", "5.2", "", False),
        (">=4.9", "4.10", "4.10", "", True),
        (">=5.0", "5.0.0.dev0", "5.0.0.dev0", "", False),
        (">=5.0", "5.0.0", "", "", True),
        (">=4.51", "4.40.0", "", "4.41", False),
    ],
)
def test_what_fits(spec: str, low: str, high: str, below: str, wanted: bool | None) -> None:
    assert fits(spec, Release(low, high, Source(), below)) is wanted


@pytest.mark.parametrize(
    ("optim", "version", "fires"),
    [
        ("adamw_torch_fusd", "4.57.3", True),
        ("adamw_torch_fusd", "", True),
        ("some_new_optim", "5.40.0", False),
        ("adamw_hf", "4.46.3", False),
        ("adamw_hf", "4.57.3", True),
        ("stable_adamw", "4.51.3", True),
        ("stable_adamw", "4.57.3", False),
        ("stable_adamw", "", False),
        ("grokadamw", "4.40.2", True),
    ],
)
def test_the_optimizers_of_a_version(tmp_path: Path, optim: str, version: str, fires: bool) -> None:
    pins = f"transformers=={version}\n" if version else "\n"
    text = "\n".join(TEXT.splitlines()[:3]) + f"\noptim: {optim}\n"
    wanted = [("flag-value-not-accepted", 4)] if fires else []
    assert found(linted(tmp_path, text, requirements__txt=pins)) == wanted


def test_a_key_that_the_version_does_not_have_yet(tmp_path: Path) -> None:
    text = "\n".join(TEXT.splitlines()[:3]) + "\nuse_liger_kernel: true\n"
    pins = "transformers==4.40.1\n"
    assert found(linted(tmp_path, text, requirements__txt=pins)) == [(UNKNOWN_KEY, 4)]
    assert found(linted(tmp_path, text, requirements__txt="\n")) == []


@pytest.mark.parametrize(("pins", "fires"), [("0.20.0", True), ("0.12.1", False), ("", False)])
def test_a_batch_ramp_that_nothing_reads(tmp_path: Path, pins: str, fires: bool) -> None:
    text = (
        "MODEL_ARGS:\n  --micro-batch-size: 2\n  --global-batch-size: 64\n"
        "  --rampup-batch-size: 16 16 10000\n  --train-samples: 100000\n  --lr-decay-style: cosine\n"
    )
    asked = f"megatron-core=={pins}\n" if pins else "\n"
    report = linted(tmp_path, text, requirements__txt=asked)
    assert (("option-without-effect", 4) in found(report)) is fires


@pytest.mark.parametrize(("blanks", "read"), [(1, True), (LONG, False), (500_000, False)])
def test_of_a_line_so_much_is_read(tmp_path: Path, blanks: int, read: bool) -> None:
    wanted = [] if read else [(RENAMED, 4), (RENAMED, 5)]
    pin = " " * blanks + "transformers==4.40.1\n"
    assert found(linted(tmp_path, requirements__txt=pin)) == wanted
    assert found(linted(tmp_path, TEXT + "#" + pin, requirements__txt="\n")) == wanted
