"""A secret of the case stands in no output with --redact, in whatever form it is laid out."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main
from medic.facts import Source
from medic.i18n import Text
from medic.redact.hide import Redactor
from medic.redact.whole import redacted, redacted_talk

HEX = "0123456789abcdef" * 2 + "01234567"
SECRETS = {  # as it is written: what may be read of it nowhere
    f"WANDB_API_KEY={HEX}": HEX,
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "api_key=zzzTOP_SECRET*zzz12345": "zzzTOP_SECRET*zzz12345",
    "password=hunter2_x": "hunter2_x",
    'DB_PASSWORD="open_se same"': "open_se",
    "Authorization: Bearer ab_cd#ef123456": "ab_cd#ef123456",
    "https://ana:s3_cret@git.example.org/x": "s3_cret",
    "gh" + "p_0123456789abcdef0123": "p_0123456789abcdef0123",
}
WELL = "step_time=12 tokens_per_second=41234 eos_token_id: 2 [rank_0]"
LOG = "".join(f"RuntimeError: CUDA out of memory {words}\n" for words in SECRETS)
Run = Callable[..., str]


def bare(text: str) -> str:
    """The text without what escapes it, on one line: a secret is read in it in whatever form."""
    return re.sub(r"[\\\s]|&\w+;", "", text)


def shown(text: str) -> list[str]:
    return [secret for secret in SECRETS.values() if secret.replace(" ", "") in bare(text)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*words: str, stdin: str = "") -> str:
        pipe = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", pipe)
        main(list(words))
        both = capsys.readouterr()
        return both.out + both.err

    return call


@pytest.mark.parametrize("words", SECRETS)
def test_a_diagnosis_shows_no_secret(run: Run, tmp_path: Path, words: str) -> None:
    log = tmp_path / "train.log"
    log.write_text(f"RuntimeError: CUDA out of memory {words}\n{WELL}\n")
    assert shown(run("diagnose", str(log), "--json"))
    for form in ("text", "json", "markdown"):
        assert not shown(run("diagnose", str(log), "--redact", "--format", form)), form


def test_a_kept_talk_shows_no_secret(run: Run, tmp_path: Path) -> None:
    run("app", "--plain", str(tmp_path), stdin=LOG + WELL)
    assert shown(run("show"))
    for command in ("show", "replay"):
        told = run(command, "--redact")
        assert "CUDA out of memory" in told
        assert not shown(told), command
    assert not shown(run("sessions", "--redact", "--json"))


@pytest.mark.parametrize("form", [["probe"], ["probe", "--json"], ["lint"], ["lint", "--json"]])
def test_other_reports_show_no_secret(run: Run, tmp_path: Path, form: list[str]) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "run.yaml").write_text(f"learning_rate: -1\nwandb_api_key: {HEX}\nlr_x_y: {HEX}_\n")
    assert not shown(run(*form, str(tmp_path), "--redact"))


def test_a_bundle_holds_no_secret(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    run("collect", str(tmp_path / "train.log"), "-o", str(tmp_path / "b.tar.gz"))
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        texts = [tar.extractfile(one).read().decode() for one in tar if one.isfile()]  # type: ignore[union-attr]
    assert not any(map(shown, texts))
    assert any("CUDA out of memory" in text for text in texts)


def test_a_key_over_several_lines_of_a_talk_is_hidden() -> None:
    rows = [
        "x",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIabc_def",
        "-----END RSA PRIVATE KEY-----",
        "y",
    ]
    record = {"who": "you", "lines": [{"text": row, "mark": ""} for row in rows]}
    told = [line["text"] for line in redacted_talk(record, Redactor().as_read)["lines"]]
    assert told == ["x", "<key1>", "", "", "y"]


def test_what_is_no_secret_stays_as_it_is() -> None:
    data = {"a": [WELL, 1, None, Text("a_b", "甲_乙")], "b": Source("x.log", 3, text=WELL)}
    assert redacted(data, Redactor().as_read) == data


def test_what_tells_it_is_pointed_at_behind_a_secret() -> None:
    text = "password=hunter2hunter2 CUDA out of memory"
    line = redacted(Source("x.log", text=text, telling=(24, 42)), Redactor().as_read)
    assert line.text[slice(*line.telling)] == "CUDA out of memory"
