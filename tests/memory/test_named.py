"""The sizes of every named model give its published number of parameters, and names find it."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.memory.named import model_of, with_model, with_named_sizes
from medic.memory.reading import Reader, shape_of
from medic.run_config import Origin, RunConfig, Setting, Value

# Billions of parameters as model cards, papers and weights tell them; of models that also see
# pictures those of the decoder.
PUBLISHED = """
baichuan2-13b 13.90 baichuan2-7b 7.51 bloom-560m 0.559 bloom-7b1 7.07 chatglm3-6b 6.24
codellama-13b 13.0 codellama-34b 33.7 codellama-70b 69.0 codellama-7b 6.74 codestral-22b 22.2
command-r-35b 35.0 deepseek-coder-1.3b 1.35 deepseek-coder-33b 33.3 deepseek-coder-6.7b 6.74
deepseek-llm-67b 67.4 deepseek-llm-7b 6.91 deepseek-moe-16b 16.4 deepseek-r1-distill-qwen-1.5b 1.78
deepseek-v2 235.7 deepseek-v2-lite 15.7 deepseek-v3 671 falcon-40b 41.3 falcon-7b 6.92
falcon3-10b 10.3 falcon3-1b 1.67 falcon3-3b 3.23 falcon3-7b 7.46 gemma-2-27b 27.2 gemma-2-2b 2.61
gemma-2-9b 9.24 gemma-2b 2.51 gemma-3-12b 11.8 gemma-3-1b 1.00 gemma-3-270m 0.268 gemma-3-27b 27.0
gemma-3-4b 3.88 gemma-7b 8.54 glm-4-32b 32.6 glm-4-9b 9.40 glm-4.5 355 glm-4.5-air 106
gpt-j-6b 6.05 gpt-neo-1.3b 1.32 gpt-neo-125m 0.125 gpt-neo-2.7b 2.65 gpt-neox-20b 20.6
gpt-oss-120b 116.8 gpt-oss-20b 20.9 gpt2 0.124 gpt2-large 0.774 gpt2-medium 0.355 gpt2-xl 1.56
granite-3-2b 2.53 granite-3-8b 8.17 internlm2-20b 19.9 internlm2-7b 7.74 internlm3-8b 8.80
kimi-k2 1026 llama-2-13b 13.0 llama-2-70b 69.0 llama-2-7b 6.74 llama-3-70b 70.6 llama-3-8b 8.03
llama-3.1-405b 405.9 llama-3.2-1b 1.24 llama-3.2-3b 3.21 llama-30b 32.5 llama-4-scout 107.8
llama-65b 65.3 minicpm-2b 2.72 ministral-3-14b 13.5 ministral-3-3b 3.4 ministral-3-8b 8.4
ministral-8b 8.02 mistral-7b 7.24 mistral-7b-v0.3 7.25 mistral-large-123b 122.6
mistral-nemo-12b 12.2 mistral-nemo-minitron-8b 8.41 mistral-small-24b 23.6 mixtral-8x22b 140.6
mixtral-8x7b 46.7 olmo-1b 1.18 olmo-2-13b 13.7 olmo-2-1b 1.48 olmo-2-32b 32.2 olmo-2-7b 7.30
olmo-7b 6.89 olmoe-1b-7b 6.92 open-llama-3b 3.43 opt-1.3b 1.32 opt-125m 0.125 opt-13b 12.9
opt-6.7b 6.66 opt-66b 65.7 phi-1.5 1.42 phi-2 2.78 phi-3-medium 13.96 phi-3-mini 3.82 phi-4 14.7
phi-4-mini 3.84 pythia-1.4b 1.41 pythia-12b 11.8 pythia-14m 0.0141 pythia-160m 0.162 pythia-1b 1.01
pythia-2.8b 2.78 pythia-31m 0.0305 pythia-410m 0.405 pythia-6.9b 6.86 pythia-70m 0.0704
qwen1.5-0.5b 0.464 qwen1.5-1.8b 1.84 qwen1.5-14b 14.2 qwen1.5-7b 7.72 qwen1.5-moe-a2.7b 14.3
qwen2.5-0.5b 0.494 qwen2.5-1.5b 1.54 qwen2.5-14b 14.8 qwen2.5-32b 32.8 qwen2.5-3b 3.09
qwen2.5-72b 72.7 qwen2.5-7b 7.62 qwen3-0.6b 0.596 qwen3-1.7b 1.72 qwen3-14b 14.8
qwen3-235b-a22b 235.1 qwen3-30b-a3b 30.5 qwen3-32b 32.8 qwen3-4b 4.02 qwen3-8b 8.19
seed-oss-36b 36.2 smollm2-1.7b 1.71 smollm2-135m 0.135 smollm2-360m 0.362 smollm3-3b 3.08
stablelm-3b-4e1t 2.80 starcoder2-15b 15.96 starcoder2-3b 3.03 starcoder2-7b 7.17
tinyllama-1.1b 1.10 yi-34b 34.4 yi-6b 6.06 yi-9b 8.83
"""
WORDS = PUBLISHED.split()
BILLIONS = dict(zip(WORDS[::2], map(float, WORDS[1::2]), strict=True))


def test_every_model_has_its_published_number() -> None:
    assert BILLIONS.keys() == load().models.keys()


@pytest.mark.parametrize("name", BILLIONS)
def test_the_sizes_of_a_model_give_its_published_number(name: str) -> None:
    """Also where the entry states the number, since the sizes alone count the layers' activations."""
    config, _ = with_model(RunConfig(framework="hf-trainer"), load(), name)
    shapes = shape_of(Reader(config))
    assert shapes is not None
    assert shapes[1].parameters / 1e9 == pytest.approx(BILLIONS[name], rel=0.015)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("mistralai/Mistral-Small-Instruct-2409", "codestral-22b"),
        ("mistralai/Mistral-Small-24B-Instruct-2501", "mistral-small-24b"),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mistral-small-24b"),
        ("Qwen/Qwen2.5-7B-Instruct-1M", "qwen2.5-7b"),
        ("Qwen/QwQ-32B-Preview", "qwen2.5-32b"),
        ("internlm/internlm2_5-7b-chat", "internlm2-7b"),
        ("bigcode/starcoder2-7b", "starcoder2-7b"),
        ("facebook/opt-350m", None),
        ("qwen2.5-7b-100m", None),
    ],
)
def test_hub_names_find_their_model(words: str, name: str | None) -> None:
    found = model_of(load(), words)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("words", "positions"),
    [
        ("facebook/opt-125m", 2048),
        ("Qwen/Qwen2.5-Math-7B", 4096),
        ("Qwen/Qwen2.5-7B", 131072),
        ("Qwen/Qwen2.5-7B-Instruct-1M", None),
        ("01-ai/Yi-1.5-9B-Chat", 4096),
        ("01-ai/Yi-1.5-9B-Chat-16K", None),
    ],
)
def test_a_name_with_a_length_tells_its_own_positions(words: str, positions: int | None) -> None:
    given = Origin("given", framework="hf-trainer")
    config = RunConfig(
        {"base_model": Value(words, given)},
        framework="hf-trainer",
        settings=(Setting(("model_name_or_path",), words, given),),
    )
    assert with_named_sizes(config, load()).integer("max_position_embeddings") == positions
