"""Flags of a launch against the parser of its script: what fires, what passes, what is repaired."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from medic.facts import Hit as LogHit
from medic.facts import LogHits, Source
from medic.i18n import Text

TRAIN = dedent(
    """
    import argparse

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--config", required=True)
        parser.add_argument("--output-dir")
        parser.add_argument("--training-lr", type=float)
        parser.add_argument("--training-micro-batch-size", type=int)
        parser.add_argument("--optimization-use-compile", action="store_true")
        parser.add_argument("--no-optimization-use-amp", action="store_false")
        args = parser.parse_args()

    main()
    """
)
USAGE = """\
usage: train.py [-h] --config CONFIG [--output-dir OUTPUT_DIR]
                [--training-lr TRAINING_LR]
                [--training-micro-batch-size TRAINING_MICRO_BATCH_SIZE]
                [--optimization-use-compile] [--no-optimization-use-amp]
"""


def _script(arguments: str) -> str:
    return f"torchrun --nproc_per_node=8 /data/llm/train.py --config a.yaml {arguments}\n"


def _log(message: str, prefix: str = "") -> str:
    text = USAGE + f"train.py: error: {message}\n"
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def _from_source(arguments: str) -> dict[str, str]:
    return {"train.py": TRAIN, "run.sh": _script(arguments)}


def test_misspelt_flag_from_source(flags: Any) -> None:
    seen = flags.see(_from_source("\\\n  --training-learning-rate 1e-4"))
    assert seen.outcomes == ("fires", "passes")
    value = seen.misspelt
    assert value["flag"] == "--training-learning-rate"
    assert value["meant"] == "--training-lr"
    assert value["script"] == "train.py"
    assert value["flags"] == ("--training-learning-rate",)
    assert value["where"] == "run.sh:2"
    assert seen.changes("misspelt-flag") == [
        ("flag:--training-learning-rate", "--training-learning-rate", "--training-lr")
    ]
    source = seen.findings["misspelt-flag"].source
    assert (source.file, source.line) == ("run.sh", 2)
    assert "--training-learning-rate" in source.text


@pytest.mark.parametrize("prefix", ["", "[default0]:", "[rank3]: ", "0: ", "[1,0]<stderr>:"])
@pytest.mark.parametrize("script", [True, False])
def test_misspelt_flag_from_the_log(flags: Any, prefix: str, script: bool) -> None:
    log = "start\n" + _log("unrecognized arguments: --training-learning-rate 1e-4", prefix)
    files = {"train.log": log}
    if script:
        files["run.sh"] = _script("--training-learning-rate 1e-4")
    seen = flags.see(files)
    assert seen.outcome("misspelt-flag") == "fires"
    assert seen.misspelt["meant"] == "--training-lr"
    assert seen.misspelt["where"] == "train.log:6" + (", run.sh:1" if script else "")
    assert seen.findings["misspelt-flag"].source.line == 6
    assert seen.refused == "unknown-flag"
    more = seen.findings["misspelt-flag"].more
    assert [m.where() for m in more] == (["run.sh:1"] if script else [])


def test_several_unknown_flags_are_one_finding(flags: Any) -> None:
    seen = flags.see(_from_source("--learning-rate 1 --foo --output_dir x --batch-size=4"))
    assert seen.misspelt["flags"] == ("--learning-rate", "--foo", "--output_dir", "--batch-size")
    assert seen.changes("misspelt-flag") == [
        ("flag:--learning-rate", "--learning-rate", "--training-lr"),
        ("flag:--output_dir", "--output_dir", "--output-dir"),
        ("flag:--batch-size", "--batch-size", "--training-micro-batch-size"),
    ]


def test_nothing_similar_says_what_there_is(flags: Any) -> None:
    seen = flags.see(_from_source("--wandb-project x"))
    assert "--output-dir" in str(seen.misspelt["exists"])
    assert isinstance(seen.misspelt["meant"], Text)
    assert "--output-dir" in seen.misspelt["meant"].en
    assert not seen.changes("misspelt-flag")


@pytest.mark.parametrize(
    ("arguments", "flag", "value", "correct", "changes"),
    [
        ("--optimization-use-compile true", "--optimization-use-compile", "true",
         "--optimization-use-compile", [("flag-value:--optimization-use-compile", "true", None)]),
        ("--optimization-use-compile=True", "--optimization-use-compile", "True",
         "--optimization-use-compile", [("flag-value:--optimization-use-compile", "True", None)]),
        ("--optimization-use-amp false", "--optimization-use-amp", "false",
         "--no-optimization-use-amp",
         [("flag-value:--optimization-use-amp", "false", "--no-optimization-use-amp")]),
        ("--optimization-use-amp True", "--optimization-use-amp", "True", None,
         [("flag-value:--optimization-use-amp", "True", None),
          ("flag:--optimization-use-amp", "--optimization-use-amp", None)]),
        ("--optimization-use-compile false", "--optimization-use-compile", "false", None,
         [("flag-value:--optimization-use-compile", "false", None),
          ("flag:--optimization-use-compile", "--optimization-use-compile", None)]),
        ("--no-optimization-use-amp true", "--no-optimization-use-amp", "true",
         "--no-optimization-use-amp", [("flag-value:--no-optimization-use-amp", "true", None)]),
        ("--no-optimization-use-compile false", "--no-optimization-use-compile", "false",
         "--optimization-use-compile",
         [("flag-value:--no-optimization-use-compile", "false", "--optimization-use-compile")]),
        ("--optimization-use-compile max-autotune", "--optimization-use-compile", "max-autotune",
         "--optimization-use-compile", []),
    ],
)  # fmt: skip
def test_switch_with_a_value(
    flags: Any, arguments: str, flag: str, value: str, correct: str | None, changes: list[Any]
) -> None:
    seen = flags.see(_from_source(arguments))
    assert seen.outcomes == ("passes", "fires")
    found = seen.switch
    assert (found["flag"], found["value"]) == (flag, value)
    if correct is None:
        assert isinstance(found["correct"], Text)
    else:
        assert found["correct"] == correct
    assert seen.changes("boolean-flag-with-value") == changes


def test_switch_with_its_negative(flags: Any) -> None:
    source = TRAIN.replace(
        '"--training-lr", type=float', '"--amp", action=argparse.BooleanOptionalAction'
    )
    files = {"train.py": source, "run.sh": _script("--amp false --training-micro-batch-size 1")}
    seen = flags.see(files)
    assert seen.switch["correct"] == "--no-amp"
    assert seen.changes("boolean-flag-with-value") == [("flag-value:--amp", "false", "--no-amp")]


@pytest.mark.parametrize(
    ("message", "flag", "value"),
    [
        ("unrecognized arguments: true", "--optimization-use-compile", "true"),
        ("argument --optimization-use-compile: ignored explicit argument 'true'",
         "--optimization-use-compile", "true"),
    ],
)  # fmt: skip
def test_switch_in_the_log(flags: Any, message: str, flag: str, value: str) -> None:
    sign = "=" if "explicit" in message else " "
    files = {"train.log": _log(message), "run.sh": _script(f"{flag}{sign}{value}")}
    seen = flags.see(files)
    assert seen.outcome("boolean-flag-with-value") == "fires"
    assert (seen.switch["flag"], seen.switch["value"]) == (flag, value)
    assert seen.findings["boolean-flag-with-value"].source.file == "train.log"
    assert seen.refused == "value-after-switch"
    assert seen.outcome("misspelt-flag") != "fires"


def test_a_switch_that_is_on_by_default_needs_no_flag(flags: Any) -> None:
    seen = flags.see(_from_source("--optimization-use-amp"))
    assert seen.outcomes == ("fires", "passes")
    assert seen.changes("misspelt-flag") == [
        ("flag:--optimization-use-amp", "--optimization-use-amp", None)
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        "--training-lr 1e-4 --optimization-use-compile --no-optimization-use-amp",
        "--training-lr=-1e-4 --output x",  # a unique beginning
        '--output-dir "$OUT" --training-lr $LR',
        "",
    ],
)
def test_passes(flags: Any, arguments: str) -> None:
    assert flags.see(_from_source(arguments)).outcomes == ("passes", "passes")


def test_words_that_only_the_shell_knows_leave_it_open(flags: Any) -> None:
    seen = flags.see(_from_source("--training-lr 1 $EXTRA_ARGS"))
    assert seen.outcomes == ("skipped", "skipped")
    assert flags.see(_from_source("$EXTRA_ARGS --lrr 1")).outcome("misspelt-flag") == "fires"


def test_abbreviations_may_be_off(flags: Any) -> None:
    files = _from_source("--output x")
    files["train.py"] = TRAIN.replace("ArgumentParser()", "ArgumentParser(allow_abbrev=False)")
    assert flags.see(files).misspelt["meant"] == "--output-dir"


def test_an_ambiguous_beginning_is_refused(flags: Any) -> None:
    seen = flags.see(_from_source("--training 1"))
    assert seen.outcome("misspelt-flag") == "fires"


def test_a_positional_argument_may_follow_a_switch(flags: Any) -> None:
    source = TRAIN.replace('"--config", required=True', '"config"')
    files = {"train.py": source, "run.sh": "python train.py --optimization-use-compile true\n"}
    assert flags.see(files).outcome("boolean-flag-with-value") == "passes"
    files["run.sh"] = "python train.py a.yaml --optimization-use-compile true\n"
    assert flags.see(files).outcome("boolean-flag-with-value") == "fires"


def test_ignored_flags_say_so(flags: Any) -> None:
    files = _from_source("--learning-rate 1 --optimization-use-compile false")
    files["train.py"] = TRAIN.replace("parse_args()", "parse_known_args()")
    seen = flags.see(files)
    assert "parse_known_args" in seen.misspelt["consequence"].en
    assert "parse_known_args" in seen.switch["consequence"].zh
    stops = flags.see(_from_source("--learning-rate 1")).misspelt["consequence"]
    assert "parse_known_args" not in stops.en


def test_hf_booleans_take_a_value(flags: Any) -> None:
    source = dedent(
        """
        from dataclasses import dataclass
        from transformers import HfArgumentParser

        @dataclass
        class Arguments:
            bf16: bool = False
            pack: bool = True
            learning_rate: float = 1e-4

        HfArgumentParser(Arguments).parse_args_into_dataclasses()
        """
    )
    good = "--bf16 True --pack False --no-pack --learning-rate 1"
    files = {"sft.py": source, "run.sh": f"deepspeed sft.py {good}\n"}
    assert flags.see(files).outcomes == ("passes", "passes")
    files["run.sh"] = "deepspeed sft.py --no_pack true --base_lr 1\n"
    seen = flags.see(files)
    assert seen.misspelt["meant"] == "--learning_rate"
    assert (seen.switch["flag"], seen.switch["correct"]) == ("--no_pack", "--no_pack")


def test_hf_leftovers_in_the_log(flags: Any) -> None:
    line = (
        "ValueError: Some specified arguments are not used by the HfArgumentParser: "
        "['--learning_rte', '2e-5', '--foo']"
    )
    seen = flags.see({"train.log": line + "\n", "run.sh": "python sft.py --learning_rte 2e-5\n"})
    assert seen.misspelt["flags"] == ("--learning_rte", "--foo")
    assert seen.misspelt["where"] == "train.log:1, run.sh:1"
    assert not seen.changes("misspelt-flag")  # which options there are is not known


def test_an_incomplete_parser_accuses_nobody(flags: Any) -> None:
    files = _from_source("--learning-rate 1 --optimization-use-compile true")
    files["train.py"] = TRAIN.replace("args = ", "more(parser); args = ")
    assert flags.see(files).outcomes == ("skipped", "skipped")
    files["train.log"] = _log("unrecognized arguments: --learning-rate 1")
    assert flags.see(files).misspelt["meant"] == "--training-lr"


@pytest.mark.parametrize("flag", ["--local-rank=0", "--local_rank=3"])
def test_a_flag_that_the_launcher_added(flags: Any, flag: str) -> None:
    files = {"train.log": _log(f"unrecognized arguments: {flag}"), "run.sh": _script("")}
    seen = flags.see(files)
    assert seen.outcomes == ("passes", "passes")
    assert seen.refused == "local-rank"


def test_local_rank_that_the_user_typed(flags: Any) -> None:
    files = _from_source("--local_rank 0")
    files["train.py"] = TRAIN.replace('"--output-dir"', '"--local-rank"')
    assert flags.see(files).misspelt["meant"] == "--local-rank"


@pytest.mark.parametrize(
    ("launch", "launcher"),
    [
        ("accelerate launch train.py --config a --num_processes 8\n", "accelerate"),
        ("torchrun train.py --config a --nproc_per_node 8\n", "torchrun"),
        ("deepspeed train.py --config a --num_gpus 8\n", "deepspeed"),
    ],
)
def test_a_launcher_flag_behind_the_script(flags: Any, launch: str, launcher: str) -> None:
    meant = flags.see({"train.py": TRAIN, "run.sh": launch}).misspelt["meant"]
    assert launcher in meant.en
    assert launcher in meant.zh


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("argument --training-lr: expected one argument", "missing-value"),
        ("the following arguments are required: --config", "missing-value"),
        ("argument --training-lr: invalid float value: 'x'", "value-refused"),
        ("argument --mode: invalid choice: 'x' (choose from 'a', 'b')", "value-refused"),
        ("ambiguous option: --training could match --training-lr, --training-x", "unknown-flag"),
    ],
)
def test_other_refusals(flags: Any, message: str, outcome: str) -> None:
    seen = flags.see({"train.log": _log(message)})
    assert seen.refused == outcome
    assert seen.outcome("boolean-flag-with-value") == "skipped"


def test_the_shell_cut_the_command(flags: Any) -> None:
    log = "run.sh: line 14: --train-iters: command not found\n"
    assert flags.see({"train.log": log}).refused == "command-cut"


def test_click_refusals(flags: Any) -> None:
    log = "Usage: train.py [OPTIONS]\n\nError: No such option: --learning-rat\n"
    seen = flags.see({"train.log": log})
    assert seen.misspelt["flag"] == "--learning-rat"
    log = "Error: No such option: --learning-rat. Did you mean --learning-rate?\n"
    assert flags.see({"train.log": log}).misspelt["meant"] == "--learning-rate"
    log = "Error: Option '--amp' does not take a value.\n"
    assert flags.see({"train.log": log}).refused == "value-after-switch"


def test_without_source_or_usage(flags: Any) -> None:
    seen = flags.see({"run.sh": _script("--learning-rate 1")})
    assert seen.outcomes == ("skipped", "skipped")
    needs = {(s.check, s.needs.en) for s in seen.skips}
    assert ("misspelt-flag", "the training script's source or its usage text") in needs


def test_the_right_one_of_several_scripts(flags: Any) -> None:
    files = {
        "a/train.py": TRAIN,
        "b/train.py": TRAIN.replace("--training-lr", "--lr"),
        "run.sh": "python b/train.py --config x --lr 1\n",
    }
    assert flags.see(files).outcomes == ("passes", "passes")
    files["run.sh"] = "python -m a.train --config x --training-lr 1\n"
    assert flags.see(files).outcomes == ("passes", "passes")
    files["run.sh"] = "python -m a.train --config x --lr 1\n"
    assert flags.see(files).misspelt["meant"] == "--training-lr"


def test_usage_under_another_program_name(flags: Any) -> None:
    log = _log("unrecognized arguments: --lrr 1").replace("train.py", "llm-train")
    seen = flags.see({"train.log": log, "run.sh": _script("--lrr 1")})
    assert seen.misspelt["where"] == "train.log:5, run.sh:1"


def test_a_scan_tells_where_to_read(flags: Any) -> None:
    log = "noise\n" * 30_000 + _log("unrecognized arguments: --training-learning-rate 1")
    line = 30_005
    look = flags.look({"train.log": log})
    hit = LogHit("argparse-unrecognized", "unrecognized-arguments", "root",
                 Source("train.log", line), {}, (0.0, 0, line))  # fmt: skip
    look.facts[LogHits] = LogHits(hits=(hit,))
    seen = flags.seen(look)
    assert seen.misspelt["meant"] == "--training-lr"
    assert seen.findings["misspelt-flag"].source.line == line
    look.facts[LogHits] = LogHits()
    assert flags.seen(look).refused == "none"


def test_quoted_help_is_no_refusal(flags: Any) -> None:
    seen = flags.see({"train.log": USAGE + "step 1 loss 2.0\n"})
    assert seen.outcomes == ("skipped", "skipped")
    assert [p.script for p in seen.parsers] == ["train.py"]


def test_a_package_that_is_started(flags: Any) -> None:
    files = {"llm/__main__.py": TRAIN, "run.sh": "torchrun -m llm --config x --learning-rate 1\n"}
    assert flags.see(files).misspelt["meant"] == "--training-lr"


def test_a_source_that_knows_the_flag_by_now(flags: Any) -> None:
    files = _from_source("--training-lr 1")
    files["train.log"] = _log("unrecognized arguments: --training-lr 1")
    seen = flags.see(files)
    assert seen.misspelt["meant"] != "--training-lr"
    assert not seen.changes("misspelt-flag")


def test_two_launches_and_one_refusal(flags: Any) -> None:
    files = {
        "train.log": _log("unrecognized arguments: --lrr 1"),
        "run.sh": "python train.py --lrr 1\npython eval_train.py --ckptt x\n",
        "eval_train.py": "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--ckpt')\np.parse_args()\n",
    }
    assert flags.see(files).misspelt["flags"] == ("--lrr", "--ckptt")


def test_without_a_program_the_launch_names_the_script(flags: Any) -> None:
    line = "ValueError: Some specified arguments are not used by the HfArgumentParser: ['--a']\n"
    assert isinstance(flags.see({"train.log": line}).misspelt["script"], Text)
    seen = flags.see({"train.log": line, "run.sh": "python src/sft.py --a\n"})
    assert seen.misspelt["script"] == "sft.py"
