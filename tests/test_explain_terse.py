"""Short lines and bare names as an engineer pastes them: what is told first."""

from __future__ import annotations

import pytest

from medic.explain import find
from medic.explain.arguments import argument
from medic.index.knowledge import Index, load


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Argument list too long", "command-line-too-long"),
        ("bash: /usr/bin/python: Argument list too long", "command-line-too-long"),
        ("参数列表过长", "command-line-too-long"),
        ("bash: ./train.sh: 权限不够", "script-not-executable"),
        ("./run.sh 权限不够", "script-not-executable"),
        ("undefined symbol", "undefined-symbol"),
        ("未定义符号", "undefined-symbol"),
        ("Name or service not known", "errno-name-resolution"),
        ("Temporary failure in name resolution", "errno-name-resolution"),
        ("域名解析失败", "errno-name-resolution"),
        ("TypeError: 'NoneType' object is not subscriptable", "none-is-used"),
        ("RecursionError: maximum recursion depth exceeded", "recursion-limit"),
        ("AssertionError", "bare-assertion"),
        ("断言失败", "bare-assertion"),
        ("StopIteration", "iterator-exhausted"),
        ("exitcode: 1", "exit-code-1"),
        ("loss is 0.0", "loss-is-zero"),
        ("打开的文件过多", "too-many-open-files"),
        ("syntax error near unexpected token", "shell-unexpected-token"),
        ("unbound variable", "shell-unbound-variable"),
        ("bad substitution", "shell-bad-substitution"),
        ("Exec format error", "errno-enoexec"),
        ("Text file busy", "errno-etxtbsy"),
        ("Is a directory", "errno-eisdir"),
        ("FileExistsError", "errno-eexist"),
        ("terminate called after throwing an instance of", "thrown-in-native-code"),
        ("401 Client Error: Unauthorized", "http-refused"),
        ("SSLError certificate verify failed", "certificate-not-trusted"),
        ("beta", "beta-of-the-trainer"),
        ("beta 是什么", "beta-of-the-trainer"),
        ("delta", "delta-of-grpo"),
        ("template 是什么意思", "template-name"),
        # beside them what was told before
        ("Permission denied", "path-not-found"),
        ("DPO beta", "dpo-beta"),
        ("Connection refused", "network-unreachable"),
        ("exit code -9", "signal-sigkill"),
        (
            "ImportError: /x.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs",
            "import-fails",
        ),
    ],
)
def test_a_short_line_is_told_of(index: Index, line: str, name: str) -> None:
    assert find(line, index)[0].name == name


@pytest.mark.parametrize("asked", ["gamma", "gamma 是什么", "what is gamma?", "--gamma"])
def test_an_argument_is_found_in_a_question(index: Index, asked: str) -> None:
    told = argument(asked, index)
    assert told is not None
    assert told["name"] == "gamma"
    assert "verl (algorithm.gamma)" in told["frameworks"]


@pytest.mark.parametrize("asked", ["the gamma of my curve falls", "lora_rnk", "what is"])
def test_what_is_no_argument_is_none(index: Index, asked: str) -> None:
    assert argument(asked, index) is None
