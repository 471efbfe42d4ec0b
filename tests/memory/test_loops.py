"""Training loops of one's own are read by their calls; what they leave open stays open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.run_config import RunConfig
from medic.runner.registry import all_probes
from medic.runner.run import observe, with_needs

Sized = Callable[..., dict[str, Any]]
LOOP = """import torch
{imports}
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

SEQ = 2048
name = "Qwen/Qwen2.5-1.5B"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)
{model}

def encode(batch):
    return tokenizer(batch["text"], max_length=SEQ, truncation=True, padding="max_length")

loader = DataLoader(ds, batch_size=4, shuffle=True)
val_loader = DataLoader(val, batch_size=16)
optimizer = {optimizer}
for step, batch in enumerate(loader):
    {forward}
    loss.backward()
    {step}
"""
PARTS = {
    "imports": "",
    "model": "model.gradient_checkpointing_enable()",
    "optimizer": "torch.optim.AdamW(model.parameters(), lr=2e-5)",
    "forward": "loss = model(**batch).loss / 8",
    "step": "if (step + 1) % 8 == 0:\n        optimizer.step(); optimizer.zero_grad()",
}
QLORA = """import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

def main():
    name = "mistralai/Mistral-7B-v0.3"
    tok = AutoTokenizer.from_pretrained(name)
    bits = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
    model = AutoModelForCausalLM.from_pretrained(name, quantization_config=bits)
    model = prepare_model_for_kbit_training(model)
    model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    train = DataLoader(tok(texts, max_length=1024, truncation=True), batch_size=2)
    for b in train:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(**b).loss
        loss.backward()
        opt.step(); opt.zero_grad()

if __name__ == "__main__":
    main()
"""
MADE = """import torch
from transformers import LlamaConfig, LlamaForCausalLM
config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=24,
    num_attention_heads=16, num_key_value_heads=16, vocab_size=32000, tie_word_embeddings=False)
model = torch.compile(LlamaForCausalLM(config).cuda())
opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
for x in torch.utils.data.DataLoader(data, batch_size=16):
    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
        loss = model(input_ids=x, labels=x).loss
    loss.backward()
    opt.step(); opt.zero_grad()
"""


@pytest.fixture
def read(tmp_path: Path, state: Path) -> Callable[[str], RunConfig]:
    def call(program: str) -> RunConfig:
        file = tmp_path / "train.py"
        file.write_text(program, "utf-8")
        case, index = collect([str(file)]), load()
        probes = with_needs(("config",), all_probes(None, ("config",)))
        found = observe(case, index, [p for p in probes if p.reads == "artefacts"])
        return found.fact(RunConfig) or RunConfig()

    return call


def loop(**parts: str) -> str:
    return LOOP.format(**{**PARTS, **parts})


def test_what_a_loop_states_is_read(read: Callable[[str], RunConfig]) -> None:
    config = read(loop())
    assert config.framework == "own-loop"
    told = {
        "micro_batch_size": 4, "gradient_accumulation_steps": 8, "sequence_length": 2048,
        "activation_checkpointing": True, "base_model": "Qwen/Qwen2.5-1.5B",
        "optimizer": "torch.optim.adamw", "precision": None, "compile": None, "fsdp": None,
    }  # fmt: skip
    assert {name: config.get(name) for name in told} == told


@pytest.mark.parametrize(
    ("parts", "field", "value"),
    [
        ({"model": ""}, "activation_checkpointing", False),
        ({"model": "", "imports": "from mine import prepare"}, "activation_checkpointing", None),
        ({"model": "", "imports": "from .a import b"}, "activation_checkpointing", None),
        ({"model": f"if slow:\n    {PARTS['model']}"}, "activation_checkpointing", None),
        ({"model": "model = torch.compile(model)"}, "compile", True),
        ({"model": "if c:\n    model = torch.compile(model)"}, "compile", None),
        ({"optimizer": "bnb.optim.PagedAdamW8bit(p)", "imports": "import bitsandbytes as bnb"},
         "optimizer", "paged_adamw_8bit"),
        ({"optimizer": "torch.optim.SGD(p, lr=1, momentum=0.9)"}, "optimizer",
         "torch.optim.sgd_momentum"),
        ({"optimizer": "Adafactor(p)", "imports": "from transformers import Adafactor"},
         "optimizer", "adafactor"),
        ({"optimizer": "MyAdam(p)", "imports": "from mine import MyAdam"}, "optimizer", None),
        ({"optimizer": "make(p)"}, "optimizer", None),
        ({"optimizer": "torch.optim.AdamW(p, fused=on)"}, "optimizer", None),
        ({"forward": "with torch.autocast('cuda'):\n        loss = model(**batch).loss"},
         "precision", "fp16"),
        ({"forward": "with torch.autocast('cuda', dtype=wide):\n        loss = 1"},
         "precision", None),
        ({"step": "optimizer.step()"}, "gradient_accumulation_steps", None),
        ({"step": "if step % n == 0:\n        optimizer.step()"},
         "gradient_accumulation_steps", None),
        ({"model": "model = FSDP(model)", "imports": "from torch.distributed.fsdp import FSDP"},
         "fsdp", True),
        ({"model": "from liger_kernel.transformers import apply_liger_kernel_to_qwen2\n"
          "apply_liger_kernel_to_qwen2()"}, "fused_loss", True),
    ],
)  # fmt: skip
def test_each_call_says_one_thing(
    read: Callable[[str], RunConfig], parts: dict[str, str], field: str, value: object
) -> None:
    assert read(loop(**parts)).get(field) == value


@pytest.mark.parametrize(
    "program",
    [
        loop().replace("loss.backward()", "print(loss)"),  # it does not train
        loop(imports="import deepspeed", model="model = deepspeed.initialize(model=model)"),
        loop(model="other = AutoModelForCausalLM.from_pretrained('x')"),  # one of two is trained
        loop(model="model = torch.nn.DataParallel(model)"),  # which parts the batch
    ],
)
def test_what_is_no_plain_loop_is_not_read(read: Callable[[str], RunConfig], program: str) -> None:
    assert read(program).get("micro_batch_size") is None


def test_accelerates_own_words_count(read: Callable[[str], RunConfig]) -> None:
    more = "accelerator = Accelerator(mixed_precision='bf16', gradient_accumulation_steps=4)"
    config = read(loop(imports="from accelerate import Accelerator", model=more, step="pass"))
    assert config.get("precision") == "bf16"
    assert config.get("gradient_accumulation_steps") == 4


def test_adapters_on_quantised_maps_within_a_function(sized: Sized, tmp_path: Path) -> None:
    (tmp_path / "qlora.py").write_text(QLORA, "utf-8")
    found = sized(str(tmp_path / "qlora.py"), "--gpu", "a100-40g")
    assert found["model"] == "mistral-7b-v0.3"
    assert found["verdict"] == "fits"
    assert 4 < found["parts"]["weights"] / 2**30 < 6
    assert not found["unknown"]


def test_a_model_that_the_loop_makes_has_its_sizes(sized: Sized, tmp_path: Path) -> None:
    (tmp_path / "scratch.py").write_text(MADE, "utf-8")
    found = sized(str(tmp_path / "scratch.py"), "--gpu", "a100-80g", sequence_length=1024)
    assert not found["unknown"]
    assert not [line for line in found["assumed"] if line.startswith(("parameter_dtype", "opt"))]
    assert 1.3 < found["parts"]["weights"] / 2**30 < 1.5  # fp32, as torch makes it


def test_lint_finds_nothing_wrong_with_a_sound_loop(tmp_path: Path, state: Path) -> None:
    for number, program in enumerate((loop(), QLORA, MADE)):
        (tmp_path / f"{number}.py").write_text(program, "utf-8")
        found = lint(collect([str(tmp_path / f"{number}.py")]), load()).findings
        assert not found, found


def test_nanogpt_is_counted_with_its_own_defaults(sized: Sized, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "batch_size = 12\nblock_size = 1024\ngradient_accumulation_steps = 5 * 8\nn_layer = 12\n"
        "n_head = 12\nn_embd = 768\nmax_iters = 600000\n",
        "utf-8",
    )
    found = sized(str(tmp_path / "train.py"), "--gpu", "a100-40g")
    assert found["not_modelled"] == ["layers of gpt2"]
    assert {"vocab_size = 50304", "gradient_accumulation_steps = 40", "precision = bf16"} <= set(
        found["assumed"]
    )
    assert found["device"]["estimate"]


LIGER = "apply_liger_kernel_to_qwen2()"
BY_LIGER = "train.py: liger_kernel.transformers.AutoLigerKernelForCausalLM.from_pretrained(…)"


@pytest.mark.parametrize(
    ("more", "count", "lines"),
    [
        ("", 4, [BY_LIGER]),
        (LIGER, 32, ["train.py:16: DataLoader(…, batch_size=16)", "every 16 micro batches"]),
    ],
)
def test_a_plan_for_a_loop_names_the_line_and_the_call(
    run: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: str,
    count: int,
    lines: list[str],
) -> None:
    program = loop(model=f"{PARTS['model']}\n{more}").replace("size=4,", f"size={count},")
    (tmp_path / "train.py").write_text(program.replace("2e-5)", "2e-5, fused=True)"), "utf-8")
    monkeypatch.chdir(tmp_path)
    out = " ".join(run("train.py", "--gpu", "24gib")[1].split())
    assert "In the program, by hand" in out
    assert "As a change of your files" not in out  # Python is never edited
    assert [line for line in lines if line in out] == lines


OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.01 GiB is free. Including non-PyTorch memory, this process has "
    "78.13 GiB memory in use. Of the allocated memory 70.69 GiB is allocated by PyTorch, and 6.43 GiB "
    "is reserved by PyTorch but unallocated.\n"
)


@pytest.mark.parametrize(("files", "read"), [(1, True), (2, False)])
def test_the_only_program_beside_a_log_is_the_runs(
    tmp_path: Path,
    state: Path,
    capsys: pytest.CaptureFixture[str],
    files: int,
    read: bool,
) -> None:
    for number in range(files):
        (tmp_path / f"train{number}.py").write_text(loop(), "utf-8")
    (tmp_path / "train.log").write_text(OUT_OF_MEMORY, "utf-8")
    main(["diagnose", str(tmp_path), "--lang", "en"])
    assert ("the configured step" in capsys.readouterr().out) == read
