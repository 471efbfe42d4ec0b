"""A fact is recorded of a sentence only where the sentence says it; each with an innocent twin."""

from __future__ import annotations

import pytest

from medic.case.collect import Case
from medic.index.knowledge import load
from medic.match import split_paste
from medic.planner.questions import Question
from medic.session.consultation import Session
from medic.told.stated import stated

INDEX = load()


def told(words: str) -> tuple[Session, Question | None]:
    session = Session(INDEX, Case())
    session.complain(words)
    return session, session.next_question()


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("有一张卡特别慢，把其他卡都拖慢了", None),
        ("有一张卡特别慢", None),
        ("有两张卡比其他卡慢", None),
        ("1 GPU is slower than the others", None),
        ("2 GPUs are slower than the rest", None),
        ("4 GPUs out of 8 are idle", None),
        ("8 张卡里有 2 张卡慢", 8),
        ("一共 16 张卡，其中一张卡利用率 0", 16),
        ("只有一张卡，训练 7B", 1),
        ("training on 1 GPU is slow", 1),
        ("2 GPUs hang at init", 2),
        ("我们有 8 张卡，训练 7B", 8),
    ],
)
def test_some_of_the_cards_are_no_size_of_the_run(words: str, size: int | None) -> None:
    sizes = [one.value for one in stated(words, INDEX) if one.field == "world_size"]
    assert sizes == ([size] if size else [])


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("training died at night, the log just stops", {"stopped-without-a-word"}),
        ("training died at night, log just stops", {"stopped-without-a-word"}),
        ("the run crashed in the middle with no error", {"stopped-without-a-word"}),
        ("训练晚上没了，日志断了", {"stopped-without-a-word"}),
        ("job crashed with ValueError at night", {"python-exception"}),
        ("it died with a KeyError", {"python-exception"}),
        ("it stopped with an IndexError after two hours", {"python-exception"}),
        ("训练报 ValueError 就停了", {"python-exception"}),
        ("昨晚任务因为 AttributeError 退出了", {"python-exception"}),
        ("how do I catch a ValueError in the collator?", set()),
        ("no KeyError any more, but the loss is nan", {"loss-nan"}),
        ("crashed with torch.OutOfMemoryError at night", {"cuda-out-of-memory"}),
        ("loss won't go below 1.9 no matter what", {"loss-plateau"}),
        ("crashed at night, the log just ends", {"stopped-without-a-word"}),
        ("训练到一半崩了，没有报错", {"stopped-without-a-word"}),
        ("the script crashes with a traceback", {"python-exception"}),
        ("跑几个小时就崩，抛异常退出", {"python-exception"}),
        ("loss 降到 2.3 之后就不动了，学习率 3e-4", {"loss-plateau"}),
        ("loss goes down to 2.3 and then does not move, lr 3e-4", {"loss-plateau"}),
        ("训练跑到一半不动了，loss 2.3", {"training-hangs"}),
        ("loss 降到 2.3 之后进程卡死，日志不动了", {"training-hangs"}),
    ],
)
def test_what_a_sentence_complains_of(words: str, shown: set[str]) -> None:
    session, _ = told(words)
    assert set(session.complaints) == shown


@pytest.mark.parametrize(
    ("words", "check", "outcome"),
    [
        ("it was fine until I doubled the sequence length, now OOM", "context-knee", None),
        ("序列长度加倍之后就爆显存，之前都正常", "context-knee", None),
        (
            "perplexity jumps right after the original context length",
            "context-knee",
            "at-trained-length",
        ),
        ("超过 4096 就乱码", "context-knee", "at-trained-length"),
        ("loss goes down to 2.3 and then does not move", "loss-exactly-constant", None),
        ("loss is bit-identical at every step", "loss-exactly-constant", "same-number"),
        ("training loss got stuck at 3.1", "plateau-level", None),
        ("loss 卡在 2.5 附近不再下降，lr 1e-4", "plateau-level", None),
        ("loss stuck at 10.8", "plateau-level", "at-guessing"),
        ("loss 卡在 11.9 不动", "plateau-level", "at-guessing"),
        ("loss spikes every time a new epoch starts", "loss-jump-timing", "at-epoch-starts"),
        ("每个 epoch 开头 loss 都会跳一下", "loss-jump-timing", "at-epoch-starts"),
        ("每 1000 步 loss 跳一下", "loss-jump-timing", None),
        ("loss jumps down when a new epoch begins", "loss-jump-timing", None),
    ],
)
def test_what_a_sentence_answers(words: str, check: str, outcome: str | None) -> None:
    session, _ = told(words)
    reading = session.told.answered.get(check)
    assert (reading.outcome if reading else None) == outcome


@pytest.mark.parametrize(
    ("words", "not_asked"),
    [
        ("微调完模型只会复读", ["loss-nan", "exception-subject"]),
        ("val loss great but benchmark score is random", ["results-not-reproducible"]),
        ("loss spikes every time a new epoch starts", ["exception-subject"]),
        ("training died at night, the log just stops", ["collective-timeout", "import-fails"]),
        ("训练到一半崩了，没有报错", ["cublas-error", "collective-timeout"]),
    ],
)
def test_the_first_question_is_of_what_was_told(words: str, not_asked: list[str]) -> None:
    _, question = told(words)
    assert question is None or question.name not in not_asked


def test_an_exception_is_asked_about_where_one_was_told() -> None:
    session, _ = told("the data loader crashes with an exception")
    assert "exception-subject" in {look.name for look in session.open_looks()}


@pytest.mark.parametrize(
    ("words", "rate", "answer"),
    [
        ("PPO kl blows up to 40 in the first 10 steps, kl coef 0.02, critic lr 1e-5", None, None),
        ("PPO kl blows up to 40, actor lr 1e-6, critic lr 1e-5", 1e-6, None),
        ("PPO kl blows up to 40, lr 1e-5 for the value head", None, None),
        ("PPO kl blows up to 40, the learning rate of the critic is 1e-5", None, None),
        ("GRPO kl blows up to 40, reward model lr 5e-5", None, None),
        ("PPO 的 KL 前 10 步就涨到 40，critic 学习率 1e-5", None, None),
        ("PPO 的 KL 前 10 步就涨到 40，价值模型的学习率是 1e-5", None, None),
        ("PPO kl blows up to 40, actor lr 1e-6", 1e-6, None),
        ("PPO kl blows up to 40, actor lr 1e-5, critic lr 1e-5", 1e-5, "high"),
        ("PPO kl explodes, lr 1e-5 for both actor and critic", 1e-5, "high"),
        ("PPO 的 KL 飙到 40，actor 学习率 1e-5", 1e-5, "high"),
        ("KL 飙升，reward 归零，actor 和 critic 学习率 1e-5", 1e-5, "high"),
        ("GRPO lora, reward does not move, lr 1e-6 with lora", 1e-6, "low"),
    ],
)
def test_the_rate_of_another_model_is_no_rate_of_the_trained_one(
    words: str, rate: float | None, answer: str | None
) -> None:
    assert [v.value for v in stated(words) if v.field == "learning_rate"] == (
        [rate] if rate else []
    )
    reading = told(words)[0].told.answered.get("rl-learning-rate")
    assert (reading.outcome if reading else None) == answer


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("reward model 7B parameters, hidden size 4096", "hidden_size", 4096),
        ("draft model hidden size 1024", "hidden_size", None),
        ("the reward goes up, lr 1e-6", "learning_rate", 1e-6),
        ("参考模型 tp 2，训练 tp 4", "tensor_parallel_size", 4),
        ("LoRA lr 2e-4, adapter saved", "learning_rate", 2e-4),
    ],
)
def test_a_setting_behind_the_name_of_another_model_is_its_own(
    words: str, field: str, value: float | None
) -> None:
    assert [v.value for v in stated(words) if v.field == field] == ([value] if value else [])


@pytest.mark.parametrize(
    ("words", "exotic"),
    [
        ("loss 降到 2.3 之后就不动了，学习率 3e-4", "adam-epsilon-large"),
        ("training loss got stuck at 3.1", "updates-lost-in-half-weights"),
        ("训练到一半崩了，没有报错", "process-on-far-socket"),
        ("晚上跑着的任务早上没了", "hosted-session-ended"),
        ("loss jumps at the beginning of each epoch", "warmup-missing"),
    ],
)
def test_an_exotic_cause_needs_a_word_of_its_own(words: str, exotic: str) -> None:
    session, _ = told(words)
    shown = {c.name: c.chance for c in session.diagnosis().causes}
    assert shown.get(exotic, 0.0) < 0.2
    assert next(iter(shown)) != exotic


def test_a_cause_with_its_own_word_leads() -> None:
    for words, cause in (
        ("loss hardly falls, adam eps is 1e-3 from another repo", "adam-epsilon-large"),
        (
            "loss does not fall, all weights in bfloat16 without fp32 copy",
            "updates-lost-in-half-weights",
        ),
    ):
        session, _ = told(words)
        assert session.diagnosis().causes[0].name == cause


@pytest.mark.parametrize(
    ("words", "check", "outcome"),
    [
        (
            "MoE 64 experts top-8: 3 experts get 60% of tokens, aux loss coef 0.001",
            "balance-loss",
            "on",
        ),
        ("64 个专家的 MoE，3 个专家拿走了 60% 的 token，辅助损失系数 0.01", "balance-loss", "on"),
        ("MoE 64 experts, aux loss coef 0, 3 experts get most tokens", "balance-loss", "off"),
        ("lr 日志里一直是 0，deepspeed fp16，一直打印 OVERFLOW", "precision-in-use", "fp16"),
        ("loss scale keeps falling, training in fp16 with deepspeed", "precision-in-use", "fp16"),
        ("loss is nan, it is not fp16 training", "precision-in-use", None),
        (
            "resume fails: size mismatch for lm_head.weight 151936 vs 152064",
            "vocabulary-setting",
            "differs",
        ),
        ("加载报错 size mismatch，embed_tokens 151936 vs 152064", "vocabulary-setting", "differs"),
        ("size mismatch for q_proj.weight 4096 vs 8192", "vocabulary-setting", None),
        ("卡死在第一个 step，nvidia-smi 显示所有卡 100%", "gpu-seen-by-driver", "all-busy"),
        ("it hangs, nvidia-smi shows all 8 GPUs at 100%", "gpu-seen-by-driver", "all-busy"),
        ("it hangs, all GPUs have their memory at 100%", "gpu-seen-by-driver", None),
        (
            "4 nodes 32 gpus, one node with 8 gpus works, with several nodes it hangs",
            "recurrence",
            None,
        ),
        ("单机 8 卡没问题，多机就 hang 在 init_process_group", "gpus-for-ranks", "enough"),
    ],
)
def test_what_a_sentence_says_is_not_asked(words: str, check: str, outcome: str | None) -> None:
    session, _ = told(words)
    reading = session.told.answered.get(check)
    assert (reading.outcome if reading else None) == outcome
    asked = {look.name for look in session.open_looks()}
    assert outcome is None or check not in asked


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("grad_norm 0.8 loss 2.1 but throughput halved since yesterday", {"throughput-drops"}),
        ("loss 2.1，grad norm 0.8 都正常，但吞吐从昨天开始减半", {"throughput-drops"}),
        ("throughput halved since yesterday, loss 2.1 and grad norm 0.8", {"throughput-drops"}),
        ("grad_norm 80 loss 2.1 and throughput halved", {"throughput-drops"}),
        ("GPU util 35% with 4 A100, batch 2, zero3", {"gpu-starved"}),
        ("GPU 利用率只有 30%，4 张 A100 80G，zero3", {"gpu-starved"}),
        ("GPU util 98% with 4 A100 40GB", set()),
    ],
)
def test_healthy_values_beside_a_complaint_are_no_complaint(words: str, shown: set[str]) -> None:
    assert set(told(words)[0].complaints) == shown


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("4 机 32 卡，单机 8 卡没问题", {"nodes": 4, "world_size": 32, "gpus_per_node": 8}),
        ("2机16卡训练卡在 init", {"nodes": 2, "world_size": 16, "gpus_per_node": 8}),
        (
            "4 nodes 32 gpus, one node with 8 gpus works, several nodes hang",
            {"nodes": 4, "world_size": 32, "gpus_per_node": 8},
        ),
        ("4 机 8 卡训练很慢", {"nodes": 4}),
        ("4 台机器共 8 张卡", {"nodes": 4, "world_size": 8}),
        ("MoE 64 experts top-8: 3 experts get 60% of tokens", {"num_experts": 64}),
        ("4 A100, batch 2", {"world_size": 4}),
        ("4 A100 80G", {"world_size": 4, "gpu": "a100-80g"}),
        ("4 H100", {"world_size": 4, "gpu": "h100-80g"}),
    ],
)
def test_sizes_that_a_sentence_tells(words: str, values: dict[str, object]) -> None:
    assert {one.field: one.value for one in stated(words, INDEX)} == values


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (
            "model repeats the same token forever after finetune, train loss 0.3, pad token = eos",
            "prose",
        ),
        ("output is garbage after sft, final loss 0.2, chat template chatml", "prose"),
        ("grad_norm 0.8 loss 2.1 but throughput halved since yesterday", "prose"),
        ("epoch 3 done, train loss 0.3, eval loss 0.4, saving model to output", "log"),
        ("Finished training epoch with final loss 0.31", "log"),
        ("step 120 loss nan grad_norm nan skipping update", "log"),
        ("iteration 20 loss 2.1 failed to save checkpoint retrying", "log"),
    ],
)
def test_a_sentence_with_a_value_is_words(line: str, kind: str) -> None:
    assert [part.kind for part in split_paste(line)] == [kind]
