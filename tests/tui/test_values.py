"""Values of the run that are typed or pasted: shown, weighed, corrected, taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.events import Paste

from medic.case.collect import Case

Drive = Callable[..., None]


def test_a_typed_value_is_shown_back_and_can_be_taken_out(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("the node has 32 cores")
        assert "I understood: Not so? /change N takes it out." in app.said
        assert "1  CPU cores of a node = 32  “32 cores”" in app.talk()
        assert session.case.given == {"node_cores": 32}
        await app.send("每节点 8 卡，world size 64")
        assert "2  processes (GPUs) per node = 8  “每节点 8 卡”" in app.talk()
        assert session.case.given["world_size"] == 64
        await app.send("/change 3")
        assert "Taken out: world size = 64" in app.talk()
        assert "world_size" not in session.case.given
        await app.press("f8")
        assert session.case.given["world_size"] == 64
        await app.press("f8")
        assert session.case.given == {"node_cores": 32}
        await app.press("f8")
        assert session.case.given == {}

    drive(script, case)


def test_a_value_that_overrules_a_file_says_so_and_is_undone(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        before = app.app.talk.consultation.found.causes[0].chance
        await app.send("micro batch is 4")
        assert "1  micro batch = 4  “micro batch is 4”" in app.talk()
        assert "run1/train.yaml:2 says 8; yours counts" in app.talk()
        assert app.app.talk.consultation.found.causes[0].chance < before
        await app.press("f8")
        assert "Taken back: “micro batch is 4”" in app.talk()
        assert "micro batch: 4 -> 8  run1/train.yaml:2" in app.talk()
        assert app.app.talk.consultation.found.causes[0].chance == before
        assert session.case.given == {}

    drive(script, case)


def test_a_value_said_before_the_files_were_read_gives_way_to_them(
    drive: Drive, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.send("my training hangs, micro batch is 4, the node has 32 cores")
        await app.send("/add run1")
        assert "You said micro batch = 4, but run1/train.yaml:2 says 8: the file counts" in app.said
        session = app.app.talk.consultation.session
        assert session.case.given == {"node_cores": 32}
        await app.send("micro_batch_size=4")
        assert session.case.given["micro_batch_size"] == 4

    drive(script, Case())


def test_pasted_settings_that_move_the_verdict_are_seen_and_undone(
    drive: Drive, case: Case
) -> None:
    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        before = talk.found.causes[0].chance
        app.prompt.post_message(Paste("optimizer:\n  name: adamw\nmicro_batch_size: 2\n"))
        await app.settle()
        await app.press("enter")
        assert "Took this as settings (3). Looking again." in app.talk()
        assert "Other settings than before:" in app.talk()
        assert "micro batch: 8 -> 2  <pasted config>:3" in app.talk()
        assert talk.found.causes[0].chance < before
        await app.press("f8")
        assert "Taken back: settings (3)" in app.talk()
        assert talk.session.case.pasted == ""
        assert talk.found.causes[0].chance == before

    drive(script, case)


def test_files_that_are_added_and_left_out_are_taken_back(
    drive: Drive, case: Case, tmp_path: Path
) -> None:
    (tmp_path / "more.log").write_text("step 3 loss 2.0\n")

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        names = {f.name for f in session.case.files}
        await app.send("/add more.log")
        await app.send("/drop train.log")
        assert {f.name for f in session.case.files} == {"run1/train.yaml", "more.log"}
        await app.press("f8")
        await app.press("f8")
        assert {f.name for f in session.case.files} == names

    drive(script, case)


def test_a_field_that_is_misspelt_is_told_with_the_nearest(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("wrld_size=3\n")
        assert (
            'No value of the run was taken from wrld_size; did you mean "world_size"?' in app.said
        )
        assert "medic explain fields lists what it takes." in app.talk()

    drive(script, Case())


def test_the_numbers_of_what_was_said_go_on_holding(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("my training hangs, why?")
        assert "1  Training hangs" in app.talk()
        await app.send("the node has 32 cores")
        await app.send("I don't know")
        await app.send("/change")
        listed = app.said.rpartition("What you have said so far:")[2]
        rows = ("1 Training hangs", "2 CPU cores of a node = 32", "3 Who holds the memory")
        assert all(row in listed for row in rows)
        await app.send("/change 1")
        assert session.complaints == []
        await app.send("/change 1")
        assert "There are: 2, 3." in app.said
        await app.send("/change 2")
        assert session.case.given == {}

    drive(script, case)


def test_values_beside_a_description_are_no_part_of_it(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("my training hangs, micro batch 4, sequence length 8192")
        assert session.words.strip(" ,\n") == "my training hangs"
        assert session.complaints == ["training-hangs"]
        assert session.case.given == {"sequence_length": 8192}  # a file states the other

    drive(script, case)
