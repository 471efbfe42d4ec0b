"""A run with secrets, packed and unpacked."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from medic.bundle import make
from medic.case.collect import collect

OOM = (
    "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
    "total capacity of 79.10 GiB of which 1.00 GiB is free. Process 12 has 78.10 GiB memory in use. "
    "Of the allocated memory 76.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch "
    "but unallocated.\n"
)
SECRETS = """
export HF_TOKEN=hf_AbCdEfGhIjKlMnOpQr
WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567
{"aws_access_key_id": "AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key": "wJalrXUtnFEMIK7MDENGbPxRfiCY"}
pip install git+https://ana:s3cr3tpw@git.corp.example.com/x.git
curl -H 'Authorization: Bearer abcdef1234567890'
environ({'PATH': '/bin', 'MY_SECRET': 'hunter2hunter2', 'HOSTNAME': 'gpu-node-17'})
key = ('hf_ZyXwVuTsRq'
       'PoNmLkJiHg')
reading /home/ana.lee/data/shard-0.bin for ana.lee
MASTER_ADDR=gpu-node-17 at 10.20.30.41:29500 and fe80::1ff:fe23:4567:890a
[gpu-node-17:0] NCCL INFO Bootstrap : Using eth0:10.20.30.41<0>
mail ana.lee@corp.example.com
"""


def members(path: str | Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        found = {}
        for info in archive:
            file = archive.extractfile(info)
            assert file is not None
            found[info.name.removeprefix("medic-bundle/")] = file.read().decode()
        return found


def packed(run: Path, tmp_path: Path) -> Path:
    target = tmp_path / "b.tar.gz"
    make(collect([str(run)]), str(target))
    return target


def archive(path: Path, *rows: tuple[str, bytes | str | None]) -> Path:
    """(name, bytes of a file, a link's target, or None for a device)."""
    with tarfile.open(path, "w:gz") as made:
        for name, content in rows:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                made.addfile(info, io.BytesIO(content))
            else:
                info.type = tarfile.SYMTYPE if content else tarfile.CHRTYPE
                info.linkname = content or ""
                made.addfile(info)
    return path
