"""What a machine printed and somebody saved as a text: the kernel's journal and nvidia-smi's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.filekind import kind_of
from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load
from tests.test_saved_smi import DETAIL, SLOWER

JOURNAL = (
    "Nov 30 03:19:58 gpu01 kernel: pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), "
    "order=0, oom_score_adj=0\n"
    "Nov 30 03:19:58 gpu01 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
    "cpuset=docker-abc.scope,oom_memcg=/docker/abc,task_memcg=/docker/abc,task=python3,pid=51234,uid=0\n"
    "Nov 30 03:19:58 gpu01 kernel: Memory cgroup out of memory: Killed process 51234 (python3) "
    "total-vm:98234112kB, anon-rss:61234112kB, file-rss:10240kB, shmem-rss:0kB, UID:0\n"
)
TOLD = "The training died after two hours and I do not know why. In the journal I found:\n"
MISMATCH = (
    "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90\n"
)
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
    "latest NVIDIA driver is installed and running.\n"
)
ERRORS = "index, ecc.errors.uncorrected.volatile.total\n{row}\n"


def of(folder: Path, **texts: str) -> Result:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize("name", ["journal.txt", "journal-node3.txt", "dmesg.txt", "oom.txt"])
def test_a_journal_in_a_text_is_the_kernels_log(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(JOURNAL)
    assert kind_of(str(tmp_path / name)) == "log"


def test_a_person_who_quotes_the_kernel_writes_a_note(tmp_path: Path) -> None:
    path = tmp_path / "journal.txt"
    path.write_text(TOLD + "\n".join(["It was fine yesterday.", "Nothing was changed."] * 2) + "\n")
    assert kind_of(str(path)) == "note"


def test_nvidia_smi_that_reaches_no_driver(tmp_path: Path) -> None:
    assert of(tmp_path, **{"nvidia-smi_txt": MISMATCH}).named[0] == "driver-library-mismatch"


@pytest.mark.parametrize("said", [MISMATCH, NO_DRIVER])
def test_beside_a_run_that_trained_it_is_of_another_place(tmp_path: Path, said: str) -> None:
    found = of(tmp_path, **{"nvidia-smi_txt": said, "rank0_log": SLOWER})
    assert not {"driver-library-mismatch", "no-gpu-in-container"} & set(found.named[:1])


def test_a_report_alone_tells_of_its_cards(tmp_path: Path) -> None:
    assert of(tmp_path, ecc_txt=ERRORS.format(row="1, 12")).named[0] == "gpu-memory-ecc-error"
    slowed = DETAIL.format(cap="Not Active", held="Active", clock=345)
    (tmp_path / "ecc.txt").unlink()
    assert of(tmp_path, **{"nvidia-smi-q_txt": slowed}).named[0] == "gpu-clocks-throttled"


def test_a_sound_report_alone_tells_of_none(tmp_path: Path) -> None:
    assert not of(tmp_path, ecc_txt=ERRORS.format(row="1, 0")).named
    sound = DETAIL.format(cap="Active", held="Not Active", clock=1850)
    (tmp_path / "ecc.txt").unlink()
    assert not of(tmp_path, **{"nvidia-smi-q_txt": sound}).named


def test_errors_of_a_card_beside_another_failure_are_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], state: Path
) -> None:
    from medic.commands import main

    (tmp_path / "ecc.txt").write_text(ERRORS.format(row="1, 12"))
    (tmp_path / "rank0.log").write_text(SLOWER)
    main(["diagnose", str(tmp_path), "--lang", "en"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "Worth knowing . GPU 1 counts 12 uncorrectable memory errors" in shown
