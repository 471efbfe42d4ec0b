import argparse


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--output-dir", default="out")
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--micro-batch-size", type=int, default=8)
    parser.add_argument("--train-iters", type=int, default=400)
    parser.add_argument("--lr-decay-style", choices=["constant", "linear", "cosine"], default="cosine")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--resume", default=None)
    return parser.parse_args()
