"""Families of chat models by their published names, and those of the templates that frameworks name.

A base model may learn any form of plain words; of another family's marks its tokenizer has none, and
cuts them to pieces. A chat model knows one form, and its names are as their makers wrote them: a
fine-tuned model of somebody else says nothing of the form that it was tuned with.
"""

from __future__ import annotations

from medic.text.patterns import regex

# LLaMA-Factory data/template.py, ms-swift template/constant.py: names of which the form is one
# family's alone. Families that share a form (ChatML; [INST]) are one.
_TEMPLATES = {
    "Qwen": regex(r"qwen|qwen[23](?:_5|_vl|_nothink|_audio|_omni)?"),
    "Llama 3": regex(r"llama3(?:_[123])?"),
    "Llama 2 / Mistral": regex(r"llama2?|llama2_zh|mistral|mistral_small"),
    "Gemma": regex(r"gemma[23]?"),
    "Phi": regex(r"phi|phi3|phi_small|phi4"),
    "GLM": regex(r"glm4|chatglm[23]?|glmz1"),
    "DeepSeek": regex(r"deepseek(?:3|_v2_5)?"),
}
_QUANTISED = r"(?:-(?:AWQ|GPTQ.*|bnb-4bit|FP8|\d{4}))*"
_CHAT_MODELS = {
    # Qwen3 and 3.5 without a suffix are the chat model; what it was trained from ends in -Base.
    "Qwen": regex(
        rf"Qwen[\d.]*-[\d.]+B(?:-A[\d.]+B)?-(?:Instruct|Chat|Thinking){_QUANTISED}"
        rf"|Qwen3(?:\.5)?-[\d.]+B(?:-A[\d.]+B)?{_QUANTISED}"
    ),
    "Llama 3": regex(rf"(?:Meta-)?Llama-3(?:\.[123])?-\d+B-Instruct{_QUANTISED}"),
    "Llama 2 / Mistral": regex(
        rf"Llama-2-\d+b-chat(?:-hf)?{_QUANTISED}|M(?:istral|ixtral)-(?:7B|8x7B|8x22B)-Instruct-v\d\.\d"
    ),
    "Gemma": regex(rf"gemma(?:-[23])?-\d+b-it{_QUANTISED}"),
    "Phi": regex(r"Phi-3(?:\.5)?-(?:mini|medium|small)-(?:\d+k-)?instruct"),
    "GLM": regex(r"glm-4-9b-chat(?:-1m)?|chatglm[23]?-6b"),
    "DeepSeek": regex(r"DeepSeek-V(?:2|2\.5|3)(?:-Lite)?-Chat|deepseek-llm-\d+b-chat"),
}

# Base models whose vocabularies have their own family's marks alone.
_BASE_MODELS = {
    "Qwen": regex(r"Qwen(?:1\.5|2|2\.5)-[\d.]+B(?:-A[\d.]+B)?|Qwen3-[\d.]+B(?:-A[\d.]+B)?-Base"),
    "Llama 3": regex(r"(?:Meta-)?Llama-3(?:\.[12])?-\d+B"),
    "Gemma": regex(r"gemma-(?:2-\d+b|3-\d+b-pt|\d+b)"),
}
# Forms of which every turn begins with a mark of its family's vocabulary; ChatML is everybody's.
_MARKED = frozenset(("Llama 3", "Gemma", "Phi", "GLM", "DeepSeek"))


def families(template: str, model: str) -> tuple[str, str] | None:
    """(family of a template, that of a model) where both are known and differ: of a base model,
    where the template has marks that its vocabulary lacks."""
    name = model.rstrip("/").rpartition("/")[2]
    ours = [family for family, form in _CHAT_MODELS.items() if form.fullmatch(name)]
    theirs = [family for family, form in _TEMPLATES.items() if form.fullmatch(template)]
    base = [family for family, form in _BASE_MODELS.items() if form.fullmatch(name)]
    if not ours and _MARKED.issuperset(theirs):
        ours = base
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs:
        return None
    return theirs[0], ours[0]


def knows_a_form(model: str) -> bool:
    """Whether a model is one of the chat models."""
    name = model.rstrip("/").rpartition("/")[2]
    return any(form.fullmatch(name) for form in _CHAT_MODELS.values())
