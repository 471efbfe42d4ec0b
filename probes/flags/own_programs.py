"""Which framework's own program a launch starts: it has no flags but the framework's."""

from __future__ import annotations

from medic.facts import Launch
from medic.text.patterns import regex

from .suspects import script_parts

# Programs whose flags are all the framework's. Other projects use some of their names: flags tell.
_PROGRAMS = {
    "openrlhf": regex(r"(?:^|/)openrlhf/cli/\w+\.py$"),
    "llama-factory": regex(r"(?:^|/)llamafactory/\w+\.py$"),
    "ms-swift": regex(r"(?:^|/)(?:swift/cli/\w+\.py|bin/swift)$"),
    "axolotl": regex(r"(?:^|/)axolotl/cli/(?:train|evaluate)\.py$"),
    "torchtitan": regex(r"(?:^|/)torchtitan/train\.py$"),
    "trl": regex(r"(?:^|/)trl/scripts/(?:sft|dpo|grpo|kto|rloo|reward)\.py$"),
    "vllm": regex(r"(?:^|/)vllm/entrypoints/(?:openai/)?api_server(?:\.py)?$"),
}
_LIKELY = {
    "megatron": regex(r"(?:^|/)pretrain_(?:gpt|bert|t5|llama|vlm|ict|retro|mamba)\w*\.py$"),
    "openrlhf": regex(r"(?:^|/)train_(?:ppo(?:_ray)?|sft|dpo|rm|kto|kd|prm)\.py$"),
    "llama-factory": regex(r"(?:^|/)(?:train_bash|src/train)\.py$"),
}
_LAUNCHED = {
    "llamafactory-cli": "llama-factory",
    "lmf": "llama-factory",
    "swift": "ms-swift",
    "megatron": "megatron-swift",
    "trl": "trl",
    "axolotl": "axolotl",
    "litgpt": "litgpt",
    "vllm": "vllm",
}


def program_of(launch: Launch) -> str:
    """The framework whose own program a launch starts, by its name alone."""
    if launch.launcher in _LAUNCHED:
        return _LAUNCHED[launch.launcher]
    path = path_of(launch)
    return next((name for name, known in _PROGRAMS.items() if known.search(path)), "")


def path_of(launch: Launch) -> str:
    """The path of a launch's program, or the name of the command that is told it."""
    parts, script = script_parts(launch), launch.script
    return "/".join(parts) or (script.raw.strip("\"'") if script is not None else "")


def is_closed(launch: Launch, name: str) -> bool:
    """Whether it is the program of that framework, by its name."""
    likely = _LIKELY.get(name)
    return program_of(launch) == name or (
        likely is not None and likely.search(path_of(launch)) is not None
    )
