"""``medic memory`` as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medic.errors import UsageError
from medic.index.knowledge import load
from medic.memory.named import model_of
from medic.report.memory_text import PART, PHASE
from medic.report.schemas import SCHEMAS
from medic.run_config import RunConfig
from medic.told.given import parse_given

Run = Callable[..., tuple[int, str, str]]
MODEL = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 1536,
    "num_hidden_layers": 28,
    "num_attention_heads": 12,
    "num_key_value_heads": 2,
    "intermediate_size": 8960,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
TRAIN = """# full fine-tune
stage: sft
finetuning_type: full
per_device_train_batch_size: 6
gradient_accumulation_steps: 2
cutoff_len: 4096
bf16: true
disable_gradient_checkpointing: true
"""
STEP = (
    "micro_batch_size=1", "sequence_length=2048", "precision=bf16", "parameter_dtype=fp32",
    "world_size=1", "optimizer=adamw_fused", "activation_checkpointing=false", "compile=false",
    "fused_loss=false", "attention=sdpa", "gradient_accumulation_steps=1",
)  # fmt: skip


def given(*pairs: str) -> list[str]:
    """The options of these pairs; the last one of a field counts."""
    last = {pair.partition("=")[0]: pair for pair in pairs}
    return [word for pair in last.values() for word in ("--set", pair)]


def data(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, SCHEMAS["memory"])
    return found


@pytest.fixture
def launch(tmp_path: Path) -> list[str]:
    model, train = tmp_path / "config.json", tmp_path / "train.yaml"
    model.write_text(json.dumps(MODEL))
    train.write_text(TRAIN)
    return [str(train), str(model)]


def test_a_run_that_fits(run: Run) -> None:
    code, out, _ = run("--model", "llama-3.2-1b", "--gpu", "h100", *given(*STEP), "--json")
    found = data(out)
    assert code == 0
    assert found["fits"] is True
    assert found["assumed"] == []
    peak = found["peak"]
    assert 20e9 < peak["low"] < peak["estimate"] < peak["high"] < 40e9
    assert sum(found["parts"].values()) == found["device"]["estimate"]
    assert set(found["parts"]) <= set(PART)
    assert set(found["phases"]) <= set(PHASE)


def test_a_run_that_does_not_fit_is_mended_by_a_diff(run: Run, launch: list[str]) -> None:
    code, out, _ = run(*launch, "--gpu", "h100-80g", *given("world_size=1"), "--json")
    found = data(out)
    assert code == 1
    assert found["fits"] is False
    assert found["plan"][-1]["fits"] is True
    new = {c["field"]: c["new"] for c in found["plan"][-1]["change"]}
    assert new["micro_batch_size"] * new["gradient_accumulation_steps"] == 12
    assert f"+per_device_train_batch_size: {new['micro_batch_size']}" in found["diff"]
    text = TRAIN.replace("size: 6", f"size: {new['micro_batch_size']}").replace(
        "steps: 2", f"steps: {new['gradient_accumulation_steps']}"
    )
    Path(launch[0]).write_text(text)
    code, out, _ = run(*launch, "--gpu", "h100-80g", *given("world_size=1"), "--json")
    assert code == 0
    assert data(out)["device"]["estimate"] == found["plan"][-1]["device"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Peak GPU memory", "optimizer states", "Assumed", "micro batch", "+per_device"]),
        ("zh", ["显存峰值", "优化器状态", "假定", "微批次", "+per_device", "放不下，至少"]),
    ],
)
def test_the_text_has_every_part(run: Run, launch: list[str], lang: str, words: list[str]) -> None:
    _, out, _ = run(*launch, "--gpu", "h100-80g", *given("world_size=1"), lang=lang)
    assert [word for word in words if word not in out] == []
    assert "█" in out


def test_the_inverse_questions(run: Run) -> None:
    words = ("--model", "llama-3.2-1b", "--gpu", "h100", *given(*STEP))
    _, out, _ = run(*words, "--max-micro-batch", "--max-seq", "--json")
    largest = data(out)["largest"]
    assert largest["micro_batch_size"]["estimate"] >= largest["micro_batch_size"]["high"] >= 2
    assert largest["sequence_length"]["estimate"] >= 4096
    _, out, _ = run(*words, "--max-micro-batch")
    assert out.startswith("Largest micro_batch_size on h100-80g: ")
    assert "5% of the card is kept free" in out
    assert "What follows is with micro_batch_size=" in out


@pytest.mark.parametrize(
    ("sequence", "answer", "zh"),
    [
        (2048, "2 by the estimate, 1 by the high bound", "按估计值为 2，按上限为 1"),
        (300_000, "none, not even 1 fits", "没有，连 1 也放不下"),
        (None, "cannot be told without sequence_length", "缺少 sequence_length，无法判断"),
    ],
)
def test_the_largest_micro_batch_is_told_in_one_line(
    run: Run, sequence: int | None, answer: str, zh: str
) -> None:
    stated = (
        "activation_checkpointing=false",
        *([f"sequence_length={sequence}"] if sequence else []),
    )
    words = ("--model", "llama-3.2-1b", "--gpu", "40g", "--max-micro-batch", *given(*stated))
    out = run(*words)[1]
    assert out.splitlines()[0] == f"Largest micro_batch_size on 40g: {answer}"
    assert ("cannot be told" in out.partition("\n")[2]) is (sequence is None)
    assert run(*words, lang="zh")[1].splitlines()[0] == f"40g 上 micro_batch_size 最大可取：{zh}"


def test_the_inverse_question_needs_a_gpu(run: Run) -> None:
    code, _, err = run("--model", "llama-3.2-1b", "--max-seq")
    assert code == 2
    assert "--gpu" in err


def test_what_is_not_modelled_leaves_only_a_lower_bound(run: Run) -> None:
    more = ("context_parallel_size=2", "tensor_parallel_size=4", "world_size=8")
    code, out, _ = run("--model", "llama-3-8b", "--gpu", "h100", *given(*STEP, *more), "--json")
    found = data(out)
    assert code == 0
    assert found["fits"] is None
    assert found["verdict"] == "at-least"
    assert found["peak"]["high"] is None
    assert found["peak"]["low"] > 0
    assert found["not_modelled"] == ["context parallelism"]
    _, out, _ = run("--model", "llama-3-8b", "--gpu", "h100", *given(*STEP, *more))
    assert "at least" in out
    assert "Not modelled" in out


def test_the_smallest_gpu_of_this_machine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from medic import sizing
    from medic.facts import Gpu, GpuState

    class Seen:
        def fact(self, kind: type[Any]) -> Any:
            cards = (
                Gpu(index=0, name="one", total=80 << 30),
                Gpu(index=1, name="two", total=1 << 34),
            )
            return GpuState(cards, "this-host") if kind is GpuState else None

    with monkeypatch.context() as patch:
        patch.setattr(sizing, "observe", lambda *_: Seen())
        assert sizing.live_gpu(load()) == ("two", 1 << 34)
        patch.setattr(Seen, "fact", lambda *_: None)
        with pytest.raises(UsageError, match="no GPU"):
            sizing.live_gpu(load())


def test_an_unknown_batch_cannot_be_told(run: Run) -> None:
    code, out, _ = run("--model", "llama-3.2-1b", "--gpu", "h100", "--json")
    found = data(out)
    assert code == 0
    assert found["fits"] is None
    assert found["peak"]["estimate"] is None
    assert {"micro_batch_size", "sequence_length"} <= set(found["unknown"])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--model", "qwen3-9b"], "did you mean"),
        (["--model", "llama-3-8b", "--gpu", "h10"], "no card"),
        (["--model", "llama-3-8b", "--set", "micro_batch=2"], "micro_batch_size"),
        ([], "--model"),
        (["nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_wrong_use(run: Run, words: list[str], hint: str) -> None:
    code, out, err = run(*words)
    assert code == 2
    assert hint in err
    assert out == ""


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3-8b"),
        ("/models/qwen2.5-1.5b", "qwen2.5-1.5b"),
        ("Qwen/Qwen3-4B-Base", "qwen3-4b"),
        ("mistralai/Mistral-7B-v0.1", "mistral-7b"),
        ("llama3-8b", "llama-3-8b"),
        ("Qwen2.5_7B", "qwen2.5-7b"),
        ("some/other-7b", None),
        ("", None),
    ],
)
def test_a_model_is_known_by_its_usual_names(words: str, name: str | None) -> None:
    found = model_of(load(), words)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("llama-2-7b", 6.738),
        ("llama-3-8b", 8.030),
        ("llama-3.2-1b", 1.236),
        ("qwen2.5-7b", 7.615),
        ("qwen3-8b", 8.191),
        ("mistral-7b", 7.242),
        ("smollm2-135m", 0.1345),
        ("mixtral-8x7b", 46.703),
        ("qwen3-30b-a3b", 30.532),
        ("olmoe-1b-7b", 6.919),
        ("gpt-oss-20b", 20.915),
        ("deepseek-v3", 671.026),
        ("mistral-small-24b", 23.572),
    ],
)
def test_the_sizes_give_the_published_number_of_parameters(name: str, billions: float) -> None:
    from medic.memory.named import with_model
    from medic.memory.views import read_setups

    config, _ = with_model(RunConfig(), load(), name)
    count = read_setups(config).setups[1].parameters
    assert count / 1e9 == pytest.approx(billions, rel=0.001)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("zero_stage=9",), ("zero_stage is 9", "0, 1, 2 or 3")),
        (("micro_batch_size=0",), ("micro_batch_size is 0", "at least 1")),
        (("data_parallel_size=8", "world_size=4"), ("world size 4", "= 8", "GPUs = tensor")),
        (("tensor_parallel_size=3", "world_size=3"), ("num_heads 32", "common divisor")),
    ],
)
def test_settings_that_no_launch_can_have_are_refused(
    run: Run, settings: tuple[str, ...], words: tuple[str, ...]
) -> None:
    code, out, err = run("--model", "qwen3-8b", "--gpu", "h100", *given(*settings))
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert all(word in err for word in words)


def test_a_batch_that_does_not_divide_is_told_beside_the_estimate(run: Run) -> None:
    """The micro batch says what a step takes, and the rest how many of them an optimizer step has."""
    words = ("--model", "qwen3-0.6b", "--gpu", "h100")
    step = (*STEP[:-1], "pipeline_parallel_size=2", "world_size=2", "micro_batch_size=2")
    odd, whole = (
        (*words, *given(*step, "data_parallel_size=1", f"global_batch_size={n}")) for n in (11, 10)
    )
    code, out, err = run(*odd, "--json")
    assert (code, err) == (0, "")
    (note,) = data(out)["notes"]
    assert "11 is not divisible by 2 x 1" in note
    assert "micro batch 2 on each GPU" in note
    even = data(run(*whole, "--json")[1])
    assert data(out)["device"] == even["device"]
    assert even["notes"] == []
    assert "按每卡微批次 2 计算" in "".join(run(*odd, lang="zh")[1].split("\n    "))


def test_a_batch_that_does_not_divide_and_no_micro_batch_is_refused(run: Run) -> None:
    more = given("global_batch_size=10", "data_parallel_size=4", "sequence_length=512")
    code, _, err = run("--model", "qwen3-0.6b", "--gpu", "h100", *more)
    assert code == 2
    assert "10" in err


def test_so_many_cards_are_the_ranks_unless_the_config_tells(run: Run) -> None:
    more = given("zero_stage=3", *STEP[:3])
    _, several, _ = run("--model", "qwen3-8b", "--gpu", "4xA100-80G", *more, "--json")
    _, stated, _ = run("--model", "qwen3-8b", "--gpu", "a100-80g", *more,
                       *given("world_size=4"), "--json")  # fmt: skip
    assert data(several)["peak"] == data(stated)["peak"]


def test_what_is_missing_is_shown_as_it_is_given(run: Run) -> None:
    _, out, _ = run("--model", "qwen3-8b", "--gpu", "4 x a100", *given("zero_stage=3"))
    assert "optimizer states alone, as assumed" in out
    assert "--set micro_batch_size=1 --set sequence_length=4096" in " ".join(out.split())


def test_pipeline_stages_are_told_apart(run: Run) -> None:
    more = ("pipeline_parallel_size=4", "world_size=4", "data_parallel_size=1")
    _, out, _ = run("--model", "llama-3-8b", "--gpu", "h200", *given(*STEP, *more), "--json")
    stages = data(out)["stages"]
    assert list(stages) == ["stage 0", "stage 3"]
    assert stages["stage 3"] != stages["stage 0"]
    assert min(stages.values()) > 0
    _, out, _ = run("--model", "llama-3-8b", "--gpu", "h200", *given(*STEP, *more))
    assert "Peak of pipeline stages" in out


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ("precision=int3", "is none of fp32, fp16, bf16, fp8"),
        ("sequence_length=1e99", "'1e99' is no int"),
        ("learning_rate=nan", "'nan' is no finite number"),
        ("learning_rate=-inf", "'-inf' is no finite number"),
        ("learning_rate=1e999", "'1e999' is no finite number"),
        ("global_batch_size=nan", "'nan' is no int"),
    ],
)
def test_a_value_that_no_field_takes_is_refused(pair: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_given([pair])
    assert says in raised.value.en


def test_what_is_told_of_a_batch_has_its_numbers(run: Run) -> None:
    model = ("--model", "qwen3-8b", "--gpu", "4xA100-80G", "--set", "sequence_length=2048")
    _, out, _ = run(*model, "--set", "global_batch_size=7", "--set", "micro_batch_size=2")
    assert "7 is not a multiple" in " ".join(out.split())
    assert "{" not in out


@pytest.mark.parametrize(("world", "code"), [("4", 2), ("16", 0)])
def test_cards_and_ranks_that_contradict_are_told(run: Run, world: str, code: int) -> None:
    """Eight cards may be those of one node of two."""
    size = (
        "--set",
        "micro_batch_size=1",
        "--set",
        "sequence_length=512",
        "--set",
        "precision=bf16",
    )
    got, _, err = run(
        "--model", "qwen2.5-0.5b", "--gpu", "8xa100-80g", *size, "--set", f"world_size={world}"
    )
    assert (got == 2) == (code == 2)
    assert ("8 cards, world_size is 4" in err) == (code == 2)


@pytest.mark.parametrize(
    ("word", "told"),
    [("llama-3-8b", True), ("meta-llama/Llama-3-8B", True), ("lama.yaml", False)],
)
def test_a_model_in_the_place_of_a_file_is_told_its_option(
    word: str, told: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(word)
    assert code == 2
    assert (f"--model {word}" in err) is told


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_field_in_the_place_of_a_file_is_told_how_it_is_given(run: Run, lang: str) -> None:
    code, _, err = run("--model", "llama-3-8b", "micro_batch_size=4", lang=lang)
    assert code == 2
    assert "--set micro_batch_size=4" in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--set", "micro_batch_size=1"), 2),  # of no model
        (("--model", "llama-3-8b", "--set", "fsdp=true", "--set", "precision=bf16"), 2),
        (("--model", "llama-3.2-1b"), 0),  # a lower bound, which the card holds
        (("--model", "llama-3-70b"), 1),
    ],
)
def test_the_exit_code_tells_an_answer_from_none(
    run: Run, words: tuple[str, ...], code: int
) -> None:
    got, out, _ = run(*words, "--gpu", "h100")
    assert got == code
    assert ("cannot say" in out) is (code == 2)
    assert run(*words, "--gpu", "h100", "--json")[0] == code
