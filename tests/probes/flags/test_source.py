"""Options read from the source of training scripts that are never run."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest


def _read(flags: Any, source: str, files: dict[str, str] | None = None) -> Any:
    more = {name: dedent(text) for name, text in (files or {}).items()}
    return flags.parser(dedent(source), more)


def _names(spec: Any) -> dict[str, str]:
    return {n: o.takes for o in spec.options for n in o.names if n not in ("-h", "--help")}


def test_actions_and_numbers_of_values(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse as ap
        p = ap.ArgumentParser(allow_abbrev=False)
        p.add_argument("-c", "--config", required=True)
        p.add_argument("--bf16", action="store_true")
        p.add_argument("--no-bf16", dest="bf16", action="store_false")
        p.add_argument("--amp", action=ap.BooleanOptionalAction, default=True)
        p.add_argument("--resume", nargs="?", const="last")
        p.add_argument("--betas", nargs=2, type=float)
        p.add_argument("--data", nargs="+", action="extend")
        p.add_argument("--mode", choices=["a", "b"], default="a")
        p.add_argument("-v", action="count")
        p.add_argument("extra", nargs=ap.ZERO_OR_MORE)
        args = p.parse_args()
        """,
    )
    assert _names(spec) == {
        "-c": "value", "--config": "value", "--bf16": "none", "--no-bf16": "none",
        "--amp": "none", "--no-amp": "none", "--resume": "optional-value", "--betas": "many",
        "--data": "many", "--mode": "value", "-v": "none", "extra": "many",
    }  # fmt: skip
    assert spec.complete
    assert not spec.prefixes
    by_name = {o.names[0]: o for o in spec.options}
    assert by_name["--bf16"].negative == "--no-bf16"
    assert by_name["--amp"].negative == "--no-amp"
    assert by_name["--mode"].choices == ("a", "b")
    assert by_name["--mode"].default == "a"
    assert (by_name["--mode"].source.file, by_name["--mode"].source.line) == ("train.py", 11)


def test_groups_parents_and_functions(flags: Any) -> None:
    spec = _read(
        flags,
        """
        from argparse import ArgumentParser

        def common():
            parent = ArgumentParser(add_help=False)
            parent.add_argument("--seed")
            return parent

        def add_optimizer(parser, prefix="opt"):
            group = parser.add_argument_group("optimizer")
            group.add_argument(f"--{prefix}-lr")
            one = group.add_mutually_exclusive_group()
            one.add_argument("--%s-wd" % prefix)
            one.add_argument("--{}-clip".format(prefix))
            return parser

        class Trainer:
            def __init__(self):
                self.parser = ArgumentParser(parents=[common()])
                self.parser = add_optimizer(self.parser, prefix="adam")

            def parse(self):
                add = self.parser.add_argument
                add("--steps")
                return self.parser.parse_args()

        if __name__ == "__main__":
            Trainer().parse()
        """,
    )
    assert set(_names(spec)) == {"--seed", "--adam-lr", "--adam-wd", "--adam-clip", "--steps"}
    assert spec.complete


def test_loops_over_literals(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse
        GROUPS = {"model": {"hidden_size": 1, "use_moe": False}, "training": dict(lr=1.0)}
        parser = argparse.ArgumentParser()
        for group, values in GROUPS.items():
            for name, default in values.items():
                flag = f"--{group}-{name.replace('_', '-')}"
                if isinstance(default, bool):
                    parser.add_argument(flag, action="store_true")
                else:
                    parser.add_argument(flag, type=type(default), default=default)
        [parser.add_argument("--" + n) for n in ("a", "b") if n != "b"]
        for index, size in enumerate(range(2)):
            parser.add_argument(f"--layer{index}")
        parser.parse_args()
        """,
    )
    assert _names(spec) == {
        "--model-hidden-size": "value", "--model-use-moe": "none", "--training-lr": "value",
        "--a": "value", "--layer0": "value", "--layer1": "value",
    }  # fmt: skip
    assert spec.complete


NESTED = """
    from dataclasses import dataclass, field
    from typing import Optional

    @dataclass
    class Base:
        seed: int = 0

    @dataclass
    class Optimization(Base):
        use_compile: bool = True
        use_amp: bool = False
        clip: Optional[float] = None

    @dataclass
    class Config:
        optimization: Optimization = field(default_factory=Optimization)
        name: str = "x"
"""
GENERATED = {"--optimization-seed", "--no-optimization-use-compile", "--optimization-use-amp",
             "--optimization-clip", "--name"}  # fmt: skip


@pytest.mark.parametrize(
    "loop",
    [
        """
        def add(parser, cls, prefix=""):
            for f in dataclasses.fields(cls):
                name = prefix + f.name.replace("_", "-")
                if dataclasses.is_dataclass(f.type):
                    add(parser, f.type, name + "-")
                elif f.type is bool:
                    if f.default:
                        parser.add_argument("--no-" + name, action="store_false")
                    else:
                        parser.add_argument("--" + name, action="store_true")
                else:
                    parser.add_argument("--" + name, type=str)
        """,
        """
        def add(parser, cls):
            def walk(value, prefix):
                for key, item in value.items():
                    name = (prefix + "-" + key if prefix else key).replace("_", "-")
                    if isinstance(item, dict):
                        walk(item, name)
                    elif item is True:
                        parser.add_argument(f"--no-{name}", action="store_false")
                    elif item is False:
                        parser.add_argument(f"--{name}", action="store_true")
                    else:
                        parser.add_argument(f"--{name}")
            walk(dataclasses.asdict(cls()), "")
        """,
    ],
    ids=["fields", "asdict"],
)
def test_options_generated_from_nested_dataclasses(flags: Any, loop: str) -> None:
    main = """
        import argparse, dataclasses
        from llm.config import Config
    """
    end = """
        parser = argparse.ArgumentParser()
        add(parser, Config)
        args = parser.parse_args()
    """
    source = dedent(main) + dedent(loop) + dedent(end)
    spec = _read(flags, source, {"llm/config.py": NESTED})
    assert set(_names(spec)) == GENERATED
    assert spec.complete
    assert not _read(flags, source).complete  # the dataclasses are not given


HF = """
    from dataclasses import dataclass, field
    from typing import List, Literal, Optional
    from transformers import HfArgumentParser{more}

    @dataclass
    class Arguments:
        model_path: str = field(metadata={{"help": "where", "aliases": ["--model", "-m"]}})
        bf16: bool = False
        pack_data: bool = True
        tf32: Optional[bool] = None
        shuffle: "bool | None" = field(default=True)
        modules: List[str] = field(default_factory=lambda: ["q"])
        names: Optional[list[str]] = None
        kind: Literal["a", "b"] = "a"
        hidden: int = field(default=1, init=False)
        loose: Optional[bool] = field(default=None, metadata={{"nargs": "?", "const": True}})

    parser = HfArgumentParser({types})
    (args,) = parser.parse_args_into_dataclasses({call})
"""


def test_hf_argument_parser(flags: Any) -> None:
    spec = _read(flags, HF.format(more="", types="Arguments", call=""))
    assert _names(spec) == {
        "--model_path": "value", "--model-path": "value", "--model": "value", "-m": "value",
        "--bf16": "optional-value", "--pack_data": "optional-value",
        "--pack-data": "optional-value", "--no_pack_data": "none", "--no-pack-data": "none",
        "--tf32": "value", "--shuffle": "optional-value", "--no_shuffle": "none",
        "--no-shuffle": "none", "--modules": "many", "--names": "many", "--kind": "value",
        "--loose": "optional-value",
    }  # fmt: skip
    assert spec.complete
    assert spec.prefixes
    assert not spec.ignores_unknown


def test_hf_with_imported_arguments_is_incomplete(flags: Any) -> None:
    source = HF.format(more=", TrainingArguments", types="(Arguments, TrainingArguments)", call="")
    spec = _read(flags, source)
    assert not spec.complete
    assert "--bf16" in _names(spec)


def test_subclass_of_imported_arguments_is_incomplete(flags: Any) -> None:
    spec = _read(
        flags,
        """
        from dataclasses import dataclass
        import transformers

        @dataclass
        class Mine(transformers.TrainingArguments):
            extra: int = 1

        transformers.HfArgumentParser([Mine]).parse_args_into_dataclasses()
        """,
    )
    assert not spec.complete
    assert "--extra" in _names(spec)


@pytest.mark.parametrize(
    ("end", "ignores", "complete"),
    [
        ("p.parse_args()", False, True),
        ("p.parse_known_args()", True, True),
        ("args, _ = p.parse_known_args()", True, True),
        ("args = p.parse_known_args()[0]", True, True),
        ("args, rest = p.parse_known_args()\nprint('ignored', rest)", True, True),
        ("args, rest = p.parse_known_args()\nif rest:\n    raise ValueError(rest)", False, True),
        ("args, rest = p.parse_known_args()\nif len(rest) > 0:\n    p.error('x')", False, True),
        ("args, rest = p.parse_known_args()\nassert not rest, rest", False, True),
        ("args, rest = p.parse_known_args()\nload(rest)", True, False),
        ("args, rest = p.parse_known_args()\nfor r in rest:\n    p.add_argument(r)\np.parse_args()",
         False, False),
        (("args, rest = p.parse_known_args()\nq = argparse.ArgumentParser()\n"
          "q.add_argument('--b')\nq.parse_args(rest)"), False, True),
        ("p.parse_args([])\np.parse_known_args()", True, True),
        ("import sys\nsys.argv = sys.argv[:1]\np.parse_args()", False, False),
        ("change(p)\np.parse_args()", False, False),
        ("for n in open('f'):\n    p.add_argument('--' + n)\np.parse_args()", False, False),
        ("p.add_argument('rest', nargs=argparse.REMAINDER)\np.parse_args()", False, False),
        ("p.add_argument('--y', **options)\np.parse_args()", False, True),
        ("if cuda():\n    p.add_argument('--y')\np.parse_args()", False, True),
    ],
)  # fmt: skip
def test_unknown_flags_and_unknown_options(
    flags: Any, end: str, ignores: bool, complete: bool
) -> None:
    start = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a')\n"
    spec = flags.parser(start + end + "\n")
    assert (spec.ignores_unknown, spec.complete) == (ignores, complete)
    assert "--a" in _names(spec)


def test_two_stages_are_one_parser(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse, yaml
        parser = config_parser = argparse.ArgumentParser(add_help=False)
        config_parser.add_argument("-c", "--config", default="")
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float)

        def parse():
            given, remaining = config_parser.parse_known_args()
            if given.config:
                parser.set_defaults(**yaml.safe_load(open(given.config)))
            return parser.parse_args(remaining)

        def main():
            args = parse()

        main()
        """,
    )
    assert set(_names(spec)) == {"-c", "--config", "--lr"}
    assert spec.complete
    assert not spec.ignores_unknown


def test_subcommands_are_taken_together(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--verbose", action="store_true")
        sub = p.add_subparsers(dest="command")
        for name in ("train", "eval"):
            child = sub.add_parser(name)
            child.add_argument(f"--{name}-steps")
        p.parse_args()
        """,
    )
    assert {"--verbose", "--train-steps", "--eval-steps"} <= set(_names(spec))
    assert not spec.complete


def test_click(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import click

        @click.command()
        @click.argument("config")
        @click.option("--lr", "-l", "rate", default=1e-4, show_default=True)
        @click.option("--amp/--no-amp", default=True)
        @click.option("--debug", is_flag=True)
        @click.option("--data", multiple=True)
        def main(config, rate, amp, debug, data):
            pass

        main()
        """,
    )
    assert _names(spec) == {
        "config": "value", "--lr": "value", "-l": "value", "--amp": "none", "--no-amp": "none",
        "--debug": "none", "--data": "value",
    }  # fmt: skip
    assert spec.complete
    assert not spec.prefixes


@pytest.mark.parametrize(
    "source",
    [
        "import tyro\nclass C: ...\ntyro.cli(C)\n",
        "import fire\nclass C: ...\nfire.Fire(C)\n",
        "import fire\ndef main(lr=1, **more): ...\nfire.Fire(main)\n",
        "from simple_parsing import ArgumentParser\np = ArgumentParser()\np.parse_args()\n",
        "import hydra\n@hydra.main(config_path='c')\ndef main(cfg): ...\nmain()\n",
    ],
)
def test_other_libraries_are_incomplete(flags: Any, source: str) -> None:
    spec = flags.parser(source)
    assert spec is None or not spec.complete


def test_a_script_without_a_parser(flags: Any) -> None:
    assert flags.parser("import torch\nprint(torch.ones(1))\n") is None


def test_deepspeed_adds_its_own(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse, deepspeed
        parser = argparse.ArgumentParser()
        parser.add_argument("--local_rank", type=int)
        parser = deepspeed.add_config_arguments(parser)
        args = parser.parse_args()
        """,
    )
    assert {"--local_rank", "--deepspeed", "--deepspeed_config"} <= set(_names(spec))
    assert spec.complete


def test_own_parser_class(flags: Any) -> None:
    spec = _read(
        flags,
        """
        import argparse

        class Parser(argparse.ArgumentParser):
            def __init__(self, **kw):
                super().__init__(allow_abbrev=False, **kw)
                self.add_argument("--lr")

        class More(Parser):
            def __init__(self):
                super().__init__()
                self.add_flag("amp")

            def add_flag(self, name):
                self.add_argument("--" + name, action="store_true")

        More().parse_args()
        """,
    )
    assert _names(spec) == {"--lr": "value", "--amp": "none"}
    assert spec.complete
    assert not spec.prefixes


def test_imports_of_given_files(flags: Any) -> None:
    files = {
        "pkg/__init__.py": "from .cli import get_parser\n",
        "pkg/cli.py": "import argparse\nfrom .more import add as add_more\n"
        "def get_parser():\n    p = argparse.ArgumentParser()\n    add_more(p)\n    return p\n",
        "pkg/more.py": "NAMES = ['x', 'y']\ndef add(p):\n    for n in NAMES:\n"
        "        p.add_argument('--' + n)\n",
        "extra.py": "def extend(parser):\n    parser.add_argument('--z')\n    return parser\n",
    }
    source = """
        import pkg
        import extra as e
        def main(argv=None):
            args = e.extend(pkg.get_parser()).parse_args(argv)
        if __name__ == "__main__":
            main()
    """
    spec = _read(flags, source, files)
    assert set(_names(spec)) == {"--x", "--y", "--z"}
    assert spec.complete
    del files["extra.py"]
    assert not _read(flags, source, files).complete


def test_a_parser_that_is_built_where_nothing_calls_it(flags: Any) -> None:
    source = "import argparse\ndef parse():\n    p = argparse.ArgumentParser()\n"
    spec = flags.parser(source + "    p.add_argument('--x')\n    return p.parse_args()\n")
    assert "--x" in _names(spec)


SIDE_EFFECTS = """
    import argparse, os, subprocess, socket
    open({canary!r}, "w").write("run")
    os.system("touch " + {canary!r})
    while True:
        os.fork()
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=lambda s: os.system("touch " + {canary!r}))
    parser.parse_args()
"""


def test_nothing_is_run(flags: Any, tmp_path: Path) -> None:
    canary = tmp_path.parent / f"{tmp_path.name}-canary"
    spec = _read(flags, SIDE_EFFECTS.format(canary=str(canary)))
    assert "--lr" in _names(spec)
    assert not canary.exists()
