"""Names of people in a text: where an environment, a scheduler, a prompt or a path states them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.text.patterns import regex

_NAME = r"(?P<name>[A-Za-z][\w.-]{1,31})"
_STATED = (
    (
        ("user", "logname"),
        regex(
            r"(?<![\w-])(?:USER(?:NAME)?|LOGNAME|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME|UserId)['\"]?\s{0,4}[=:]\s{0,4}['\"]?"
            + _NAME
            + r"(?![\w./$-])"
        ),
    ),
    (("uid=",), regex(r"\buid=\d{1,10}\(" + _NAME + r"\)")),
    (("logged in as",), regex(r"\blogged in as:?\s{1,4}['\"]?" + _NAME, re.IGNORECASE)),
    # The team behind the user, as a tracker prints it.
    (("logged in as",), regex(r"\blogged in as:?\s{1,4}\S{1,64} \(" + _NAME + r"\)", re.IGNORECASE)),
    (("submitted by", "started by"), regex(r"\b(?:Submitted|Started) by\s{1,4}" + _NAME)),
    # A shell's prompt: name@host:place$
    (("@",), regex(r"(?:^|[\s\[(])" + _NAME + r"@[\w.-]{1,63}(?:[: ][~/][^\s$#]{0,200})?\]?[$#]\s", re.MULTILINE)),
    (("sudo", "su "), regex(r"\b(?:sudo[ \t]{1,4}-u|su[ \t]{1,4}-)[ \t]{1,4}" + _NAME)),
)  # fmt: skip
# Owner and group as ls -l prints them.
_OWNER = regex(
    r"(?m)^[ \t]{0,8}[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]{1,8}\d{1,9}[ \t]{1,20}"
    r"(?P<name>[A-Za-z][\w.-]{1,31})[ \t]{1,20}(?P<group>[A-Za-z][\w.-]{1,31})[ \t]{1,20}\d"
)
# The head of a table of processes or jobs (ps, top, squeue), which has a column of their owners.
_HEAD = regex(
    r"(?m)^[ \t]{0,20}(?:[A-Z%][\w%()+/-]*[ \t]+){0,6}USER(?:[ \t]+[A-Z%][\w%()+/-]*){2,16}[ \t]*$"
)
_ROWS = 200
_USER = regex(r"[a-z][a-z0-9._-]{1,31}\+?")
# Accounts of a system are no person's.
_SYSTEM = frozenset(
    """
    root daemon nobody systemd-network systemd-resolve systemd-timesync messagebus sshd syslog munge slurm
    postfix polkitd dbus chrony rpc rpcuser wheel adm sys tty disk users staff docker ubuntu user
    """.split()  # noqa: SIM905
)
# Folders below which many sites give each person one of their own, perhaps numbered; and roots
# that such a folder may lie in.
_FOLDERS = ("scratch", "data", "work", "nfs", "nas", "lustre", "gpfs", "storage", "vol", "disk",
            "share", "shared", "project", "projects")  # fmt: skip
_ROOTS = ("mnt", "share", "shared", "public", "gpfs", "lustre", "nfs", "nas", "cfs", "vepfs")
_PLACES = tuple(f"/{folder}" for folder in _FOLDERS)  # one of them is in all that _PLACE matches
_PLACE = regex(
    rf"(?:^|(?<=[\s'\"=:(,\[]))/(?:(?:{'|'.join(_ROOTS)})\d{{0,3}}/){{0,2}}"
    rf"(?:{'|'.join(_FOLDERS)})\d{{0,3}}/"
    r"(?:users?/|home/)?(?P<name>[A-Za-z][A-Za-z.]{1,24}\d{0,4})(?=/)",
    re.MULTILINE,
)
_THINGS = """
admin ai alpaca apex app apps archive artifacts assets backup bench benchmark benchmarks bin bert build
cache caches ccnet checkpoint checkpoints ckpt ckpts cluster code codes coco common conda config configs
containers corpora corpus data dataset datasets deepseek deps dev dist docs download downloads dpo env envs
eval evals exp experiment experiments exps export files finetune ft gemma glm gpt group hf hub huggingface images
imagenet input inputs internlm jobs jsonl lab lake lib lightning llama llm llms local log logs lora lost main
math megatron metrics mistral mixtral ml mnist model models modelscope module modules moe multimodal nemo
nlp node notebooks openai opt out output outputs package packages parquet pile pipeline pretrain pretrained
processed prod project projects proj public python qwen raw ray redpajama refinedweb release releases repo
repos resources results rl rlhf run runs sample samples save saved saves scratch script scripts sft share
shared shm slurm soft software squad src stage starcoder storage swap sys system tasks team temp test tests
third tmp tokenized tokenizer tokenizers tools torch trace traces train training trainer transformers
tulu txt user users val valid validation venv venvs verl video vision vllm wandb web weights wiki wikipedia
wikitext work worker workspace workspaces yi zero
"""
_KNOWN = frozenset(_THINGS.split())


def users(text: str) -> Iterator[str]:
    """The names that the text states or that stand in a path where people have their folders.

    A folder called by the name of a thing (models, runs, qwen2) is no person's.
    """
    small = text.lower()
    for words, pattern in _STATED:
        if any(word in small for word in words):
            yield from (match["name"] for match in pattern.finditer(text))
    yield from _owners(text)
    if any(place in small for place in _PLACES):
        for match in _PLACE.finditer(text):
            if match["name"].rstrip("0123456789").lower() not in _KNOWN:
                yield match["name"]


def _owners(text: str) -> Iterator[str]:
    """Those that listings of files, processes and jobs name."""
    if "rw" in text or "r-" in text:
        for match in _OWNER.finditer(text):
            yield from (m for m in (match["name"], match["group"]) if m not in _SYSTEM)
    if "USER" not in text:
        return
    for head in _HEAD.finditer(text):
        place = head.group().split().index("USER")
        for row in text[head.end() : head.end() + _ROWS * 200].split("\n")[1 : _ROWS + 1]:
            words = row.split()
            if len(words) <= place + 1:
                break
            if _USER.fullmatch(words[place]) and words[place] not in _SYSTEM:
                yield words[place].rstrip("+")
