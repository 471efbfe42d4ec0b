import json, time
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
V, T, N = 12, 6, 128


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V + 1, 48)
        self.rnn = nn.GRU(48, 48, batch_first=True)
        self.head = nn.Linear(48, V)

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
log = open("metrics.jsonl", "w")
for step in range(1, 201):
    with torch.no_grad():
        seq = torch.full((N, 1), V)
        for _ in range(T):
            dist = Categorical(logits=policy(seq)[:, -1])
            seq = torch.cat([seq, dist.sample()[:, None]], 1)
    actions = seq[:, 1:]
    reward = ((actions[:, 1:] - actions[:, :-1]) % V == 1).float().mean(1)
    advantage = (reward - reward.mean()) / (reward.std() + 1e-6)
    dist = Categorical(logits=policy(seq[:, :-1]))
    logp = dist.log_prob(actions)
    entropy = dist.entropy().mean()
    loss = (logp * advantage[:, None]).mean() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    grad_norm = nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()
    row = {"step": step, "reward": reward.mean().item(), "loss": loss.item(), "entropy": entropy.item(), "grad_norm": grad_norm.item()}
    log.write(json.dumps(row) + "\n")
    if step % 5 == 0:
        print(" ".join(f"{k}={v:.4f}" if k != "step" else f"step={v}" for k, v in row.items()), flush=True)
print("done")
