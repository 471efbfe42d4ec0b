"""Records are dataclasses, whenever and by whomever they are first used."""

import copy
import dataclasses
import subprocess
import sys
import threading

import pytest

from medic.records import FIRST, dataclass, field, replace


def make() -> type:
    @dataclass(frozen=True)
    class Point:
        x: int
        tags: tuple[str, ...] = ()
        rest: list[int] = field(default_factory=list)

    return Point


def test_an_instance_is_as_the_standard_library_makes_it() -> None:
    point = make()
    one = point(1, rest=[2])
    assert one == point(1, (), [2]) != point(2)
    assert repr(one).endswith("Point(x=1, tags=(), rest=[2])")
    assert dataclasses.replace(one, x=3) == point(3, (), [2])
    assert dataclasses.asdict(copy.copy(one)) == {"x": 1, "tags": (), "rest": [2]}
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 4
    with pytest.raises(TypeError, match=r"Point.__init__\(\) takes"):
        point(1, (), [], 5)


def test_fields_and_match_work_before_any_instance() -> None:
    assert [f.name for f in dataclasses.fields(make())] == ["x", "tags", "rest"]
    assert dataclasses.is_dataclass(make())
    match make()(1):
        case object(x=1):
            pass
        case _:
            pytest.fail("no match by name")


def test_a_subclass_may_be_used_before_its_base() -> None:
    base = make()

    @dataclass(frozen=True)
    class Named(base):  # type: ignore[misc, valid-type]
        name: str = ""

    class Plain(Named):
        pass

    assert Plain(1, (), [], "a").name == "a"
    assert base(1) == base(1)


def test_a_hash_follows_from_frozen() -> None:
    @dataclass(frozen=True)
    class Key:
        x: int

    @dataclass
    class Open:
        x: int

    assert len({Key(1), Key(1), Key(2)}) == 2
    with pytest.raises(TypeError):
        hash(Open(1))


@pytest.mark.parametrize("_", range(20))
def test_threads_may_be_first_together(_: int) -> None:
    point = make()
    gate, made = threading.Barrier(4), []

    def use() -> None:
        gate.wait()
        made.append(point(1))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [point(1)] * 4


def test_the_first_instances_are_as_the_later_ones() -> None:
    point = make()
    made = [point(number, rest=[number]) for number in range(FIRST + 2)]
    assert [vars(one) for one in made] == [
        {"x": number, "tags": (), "rest": [number]} for number in range(FIRST + 2)
    ]
    assert made[0].rest is not point(0).rest
    assert list(vars(made[0])) == list(vars(made[-1]))


@pytest.mark.parametrize(
    ("values", "named", "words"),
    [
        ((), {}, "missing 1 required positional argument: 'x'"),
        ((1,), {"x": 1}, "got multiple values for argument 'x'"),
        ((1,), {"y": 1}, "got an unexpected keyword argument 'y'"),
    ],
)
def test_a_wrong_call_is_refused(
    values: tuple[int, ...], named: dict[str, int], words: str
) -> None:
    point = make()
    for _ in range(2):
        with pytest.raises(TypeError, match=words):
            point(*values, **named)
    assert point(2).x == 2


def test_a_start_that_uses_records_imports_no_dataclasses() -> None:
    code = (
        "import sys; from medic.records import dataclass, field, replace\n"
        "@dataclass(frozen=True)\n"
        "class Point:\n"
        "    x: int\n"
        "    rest: list[int] = field(default_factory=list)\n"
        "assert replace(Point(1), x=2) == Point(2), repr(Point(1))\n"
        "assert 'dataclasses' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", "from __future__ import annotations\n" + code], check=True
    )


def test_replace_takes_records_only() -> None:
    point = make()
    assert replace(point(1, rest=[2]), x=3) == point(3, (), [2])
    with pytest.raises(AttributeError):
        replace(object())  # type: ignore[type-var]
