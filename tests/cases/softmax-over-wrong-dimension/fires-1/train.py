import argparse, math, random, time
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--vocab-size", type=int, default=64)
parser.add_argument("--seq-len", type=int, default=32)
parser.add_argument("--hidden", type=int, default=64)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--accum", type=int, default=1)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)
random.seed(args.seed)


def corpus(n, seed):
    g = torch.Generator().manual_seed(seed)
    rule = torch.randint(0, args.vocab_size, (args.vocab_size, 4), generator=torch.Generator().manual_seed(7))
    x = torch.zeros(n, dtype=torch.long)
    pick = torch.randint(0, 4, (n,), generator=g)
    for i in range(1, n):
        x[i] = rule[x[i - 1], pick[i]]
    return x


train_data, val_data = corpus(40000, 11), corpus(4000, 12)


class Attention(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        mask = torch.ones(t, t, dtype=torch.bool).tril()
        scores = scores.masked_fill(~mask, float("-inf"))
        w = torch.softmax(scores, dim=1)
        return self.out((w @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = Attention(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(args.vocab_size, args.hidden)
        self.pos = nn.Embedding(args.seq_len, args.hidden)
        self.blocks = nn.ModuleList([Block(args.hidden) for _ in range(args.layers)])
        self.norm = nn.LayerNorm(args.hidden)
        self.head = nn.Linear(args.hidden, args.vocab_size)

    def forward(self, x):
        h = self.emb(x) + self.pos(torch.arange(x.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def get_batch(data):
    i = torch.randint(0, len(data) - args.seq_len - 1, (args.batch_size,))
    seq = torch.stack([data[j:j + args.seq_len + 1] for j in i])
    return seq[:, :-1], seq[:, 1:]


model = LM()
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
print(f"parameters: {sum(p.numel() for p in model.parameters()):,}", flush=True)


@torch.no_grad()
def evaluate():
    model.eval()
    total = 0.0
    for _ in range(10):
        x, y = get_batch(val_data)
        total += F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()
    model.train()
    return total / 10


t0 = time.time()
for step in range(1, args.steps + 1):
    lr = args.lr * min(1.0, step / 40) * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * step / args.steps)))
    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.zero_grad()
    for micro in range(args.accum):
        x, y = get_batch(train_data)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        (loss / args.accum).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}/{args.steps} | loss {loss.item():.4f} | lr {lr:.2e} | grad_norm {norm.item():.4f} | {(time.time() - t0) / 10 * 1000:.1f} ms/step", flush=True)
        t0 = time.time()
    if step % 100 == 0:
        print(f"eval at step {step}: val_loss {evaluate():.4f}", flush=True)
print("training finished", flush=True)
