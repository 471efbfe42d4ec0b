import torch
from torch.utils.data import DataLoader
from model import GPT, GPTConfig
from data import TokenDataset

def main():
    torch.manual_seed(1337)
    model = GPT(GPTConfig(vocab_size=512)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95))
    train_set = TokenDataset("data/train.bin", block_size=1024)
    print(f"train set: {len(train_set):,} samples")
    loader = DataLoader(train_set, batch_size=8, shuffle=True, num_workers=4)
    it = iter(loader)
    for step in range(1, 2001):
        x, y = next(it)
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad(set_to_none=True)
        logits = model(x)
        loss = torch.nn.functional.cross_entropy(logits.view(-1, 512), y.view(-1))
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"step {step:5d}/2000 | loss {loss.item():.4f} | grad_norm {norm:.3f}")

if __name__ == "__main__":
    main()
