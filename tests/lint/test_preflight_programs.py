"""``medic preflight``: the program and the configuration that a command names are on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.preflight import look_at

INDEX = load()


def looked(script: Path, text: str) -> set[tuple[str, str, str]]:
    script.write_text(text.replace("FOLDER", str(script.parent)), "utf-8")
    found = look_at(collect([str(script)]), INDEX).results
    shown = ((r.name, r.state, r.text.en) for r in found if r.name in ("program", "data"))
    return {
        (name, state, words.replace(str(script.parent), "FOLDER")) for name, state, words in shown
    }


COMMAND = (
    "torchrun --nproc_per_node 2 --master_port 29777 FOLDER/train.py --config FOLDER/run.yaml\n"
)
LACKS = {
    ("program", "not-ok", "FOLDER/train.py is not here"),
    ("data", "not-ok", "--config: FOLDER/run.yaml is not here"),
}


def test_a_program_and_its_configuration_are_not_here(tmp_path: Path) -> None:
    assert looked(tmp_path / "a.sh", COMMAND) == LACKS
    assert looked(tmp_path / "a.sh", COMMAND.rstrip() + " 2>&1 | tee train.log\n") == LACKS


def test_a_relative_program_that_lies_nowhere_is_not_here(tmp_path: Path) -> None:
    command = "torchrun --nproc_per_node 2 absent_train.py --deepspeed absent_zero3.json\n"
    assert looked(tmp_path / "a.sh", command) == {
        ("program", "not-ok", "absent_train.py is not here"),
        ("data", "not-ok", "--deepspeed: absent_zero3.json is not here"),
    }
    moved = looked(tmp_path / "a.sh", f"cd /srv/code\n{command}")
    assert {state for _, state, _ in moved} == {"not-seen"}
    assert all(
        "FOLDER/a.sh:1 changes the folder or starts a container" in text for *_, text in moved
    )


def test_what_lies_beside_the_script_is_not_missed(tmp_path: Path) -> None:
    (tmp_path / "acc.yaml").write_text("", "utf-8")
    command = "accelerate launch --config_file acc.yaml absent_train.py\n"
    assert looked(tmp_path / "a.sh", command) - {
        ("data", "not-seen", "the launch names no local path to read")
    } == {("program", "not-ok", "absent_train.py is not here")}


def test_they_are_here(tmp_path: Path) -> None:
    for name in ("train.py", "run.yaml"):
        (tmp_path / name).write_text("", "utf-8")
    assert looked(tmp_path / "a.sh", COMMAND) == {
        ("program", "ok", "FOLDER/train.py"),
        ("data", "ok", "--config: FOLDER/run.yaml"),
    }


@pytest.mark.parametrize(
    ("handed", "shown"),
    [
        ("--config=FOLDER/run.toml", "--config: FOLDER/run.toml"),
        ("--job.config_file FOLDER/run.toml", "--job.config_file: FOLDER/run.toml"),
        ("FOLDER/run.yaml --bf16", "FOLDER/run.yaml"),
    ],
)
def test_a_configuration_stands_behind_its_flag_or_alone(
    tmp_path: Path, handed: str, shown: str
) -> None:
    found = looked(tmp_path / "a.sh", f"python FOLDER/a.py {handed}\n")
    assert ("data", "not-ok", f"{shown} is not here") in found


@pytest.mark.parametrize("before", ["cp -r /shared/FOLDER .\n", "cat > FOLDER/train.py << E\nE\n"])
def test_what_the_script_makes_first_is_not_missed(tmp_path: Path, before: str) -> None:
    found = looked(
        tmp_path / "a.sh", before + COMMAND.replace("--config FOLDER/run.yaml", "--bf16")
    )
    assert [state for name, state, _ in found if name == "program"] == []


@pytest.mark.parametrize(
    "flag", ["--save_config FOLDER/run.yaml", "--metrics FOLDER/m.json", "--config $D/run.yaml"]
)
def test_what_is_written_or_not_known_is_not_asked_for(tmp_path: Path, flag: str) -> None:
    found = looked(tmp_path / "a.sh", f"python FOLDER/a.py {flag}\n")
    assert not any(name == "data" and state == "not-ok" for name, state, _ in found)


@pytest.mark.parametrize("inside", ["docker run image python", "singularity exec i.sif python"])
def test_in_a_container_nothing_is_known(tmp_path: Path, inside: str) -> None:
    found = looked(tmp_path / "a.sh", f"{inside} FOLDER/train.py --config FOLDER/run.yaml\n")
    assert not any(state == "not-ok" for _, state, _ in found)


def test_a_relative_one_beside_the_script_is_started_from_there(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "train.py").write_text("", "utf-8")
    found = looked(tmp_path / "a.sh", "python own/train.py --config own/absent.yaml\n")
    assert not any(state == "not-ok" for _, state, _ in found)


MAKES = (
    "cat > FOLDER/run.yaml << E\na: 1\nE\n",
    "sed s/a/b/ t.yaml > FOLDER/run.yaml\n",
    "python make.py --output FOLDER/run.yaml\n",
    "echo 'a: 1' | tee FOLDER/run.yaml\n",
)


@pytest.mark.parametrize("makes", MAKES)
def test_a_configuration_that_the_script_makes_above_is_not_missed(
    tmp_path: Path, makes: str
) -> None:
    (tmp_path / "train.py").touch()
    for flag in ("--config", "--deepspeed_config"):
        command = COMMAND.replace("--config", flag)
        assert all(state != "not-ok" for _, state, _ in looked(tmp_path / "a.sh", makes + command))
        after = looked(tmp_path / "a.sh", command + makes)
        assert ("data", "not-ok", f"{flag}: FOLDER/run.yaml is not here") in after


SAVED = (
    "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path meta-llama/Meta-Llama-3-8B "
    "--per_device_train_batch_size 1 --bf16 --output_dir FOLDER/o --save_strategy no\n"
)
RLHF = (
    "deepspeed --module openrlhf.cli.train_sft --pretrain meta-llama/Meta-Llama-3-8B "
    "--micro_train_batch_size 2 --bf16 --save_path FOLDER/o --save_steps -1\n"
)


@pytest.mark.parametrize(
    ("text", "final"),
    [
        (SAVED, True),
        (RLHF, True),
        (RLHF.replace("-1", "100"), False),
        (SAVED.replace("strategy no", "strategy epoch"), False),
    ],
)
def test_without_checkpoints_only_the_last_model_counts(
    tmp_path: Path, text: str, final: bool
) -> None:
    (tmp_path / "a.sh").write_text(text.replace("FOLDER", str(tmp_path)), "utf-8")
    found = look_at(collect([str(tmp_path / "a.sh")]), INDEX).results
    (told,) = (one.text.en for one in found if one.name == "disk-space")
    assert ("no checkpoint is written on the way" in told) is final
    assert ("15.0 GiB" in told) is final


@pytest.mark.parametrize(
    ("files", "state", "end"),
    [
        (("a.bin", "a.idx"), "ok", ""),
        (("a.idx",), "not-ok", ".bin is not here"),
        (("a.bin",), "not-ok", ".idx is not here"),
        (("a",), "ok", ""),
        (("a", "a.idx"), "ok", ""),
    ],
)
def test_a_prefix_of_two_files(
    tmp_path: Path, files: tuple[str, ...], state: str, end: str
) -> None:
    for name in files:
        (tmp_path / name).write_text("x", "utf-8")
    command = "torchrun --nproc_per_node 2 FOLDER/pretrain_gpt.py --data-path 1.0 FOLDER/a\n"
    found = looked(tmp_path / "run.sh", command)
    assert ("data", state, f"--data-path: FOLDER/a{end}") in found


PORTS = (
    ("deepspeed --master_port $((RANDOM % 1000 + 29000)) t.py\n", "$((RANDOM % 1000 + 29000))"),
    ("export MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))\nsrun python t.py\n", "% 20000))"),
    (
        "port=26379\nray start --head --port=$port\npython -m verl.trainer.main_ppo\n",
        "port 26379 is",
    ),
    ("trl vllm-serve --port 28765 &\naccelerate launch t.py\n", "port 28765 is"),
)


@pytest.mark.parametrize(("text", "words"), PORTS)
def test_a_port_that_is_worked_out_or_is_not_the_ranks_is_named(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "a.sh").write_text(text, "utf-8")
    found = look_at(collect([str(tmp_path / "a.sh")]), INDEX).results
    (told,) = (one.text.en for one in found if one.name == "port")
    assert words in told


def test_without_a_port_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("# --port 28765\npython t.py --report_to none\n", "utf-8")
    found = look_at(collect([str(tmp_path / "a.sh")]), INDEX).results
    assert [one.text.en for one in found if one.name == "port"] == ["the launch names no port"]
