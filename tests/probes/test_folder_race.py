"""A folder that several ranks make."""

from __future__ import annotations

from pathlib import Path

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "ranks-race-to-make-folder"
CALL = "os.makedirs(args.out)"


def run_of(folder: Path, ranks: tuple[int, ...], call: str = CALL) -> Result:
    text = ""
    for rank in ranks:
        at = f"[rank{rank}]:"
        text += (
            f'{at} Traceback (most recent call last):\n{at}   File "/job/train.py", line 198, in <module>\n'
            f'{at}     main()\n{at}   File "/job/train.py", line 122, in main\n{at}     {call}\n'
            f'{at}   File "<frozen os>", line 225, in makedirs\n'
            f"{at} FileExistsError: [Errno 17] File exists: 'out'\n"
        )
    (folder / "train.log").write_text(text)
    (folder / "launch.sh").write_text("torchrun --nproc-per-node=2 train.py --out out\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_one_of_two_ranks(tmp_path: Path) -> None:
    assert run_of(tmp_path, (1,)).named[0] == CAUSE


def test_a_folder_that_was_there_stops_all(tmp_path: Path) -> None:
    assert CAUSE not in run_of(tmp_path, (0, 1)).named[:1]


def test_another_call(tmp_path: Path) -> None:
    assert CAUSE not in run_of(tmp_path, (1,), "os.symlink(args.data, args.out)").named[:1]
