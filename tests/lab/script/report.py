"""What the run tells: step lines in the style that the config names, and metrics files."""

import csv
import json
import logging
import sys
import time
from pathlib import Path

log = logging.getLogger("train")


class Report:
    def __init__(self, style, out, rank, total, batch):
        self.style, self.out, self.rank, self.total = style, Path(out), rank, total
        self.batch = batch
        self.history = []
        self.began = self.last = time.time()
        self.logged = 0
        self.out.mkdir(parents=True, exist_ok=True)
        logging.basicConfig(
            stream=sys.stderr,
            level=logging.INFO,
            format=f"%(asctime)s [rank{rank}] %(levelname)s %(name)s: %(message)s",
        )

    def info(self, message, *args):
        if self.style in ("hf", "megatron"):
            if self.rank == 0:
                print(message % args, flush=True)
        else:
            log.info(message, *args)

    def step(self, step, loss, lr, grad_norm, **more):
        now = time.time()
        seconds = (now - self.last) / max(step - self.logged, 1)
        self.last, self.logged = now, step
        row = {"step": step, "loss": loss, "lr": lr, "grad_norm": grad_norm, **more}
        row["step_time"] = round(seconds, 4)
        row["tokens_per_s"] = round(self.batch * 64 / max(seconds, 1e-6))
        getattr(self, "_" + self.style)(row)

    def evaluation(self, step, loss):
        row = {"step": step, "eval_loss": loss}
        if self.style == "hf":
            if self.rank == 0:
                epoch = round(step / self.total, 4)
                print({"eval_loss": round(loss, 4), "epoch": epoch}, flush=True)
                self.history.append({"epoch": epoch, "eval_loss": loss, "step": step})
        elif self.style == "megatron":
            if self.rank == 0:
                print(
                    f" validation loss at iteration {step} | lm loss value: {loss:.6E} |",
                    flush=True,
                )
        elif self.style == "lightning":
            self._csv(row)
        else:
            log.info("eval at step %d | eval_loss %.4f", step, loss)
            self._line(row)

    def _plain(self, row):
        extra = "".join(
            f" | {k} {v:.4g}"
            for k, v in row.items()
            if k not in ("step", "loss", "lr", "grad_norm", "step_time", "tokens_per_s")
        )
        log.info(
            "step %d/%d | loss %.4f | lr %.3e | grad_norm %.3f | tok/s %d%s",
            row["step"],
            self.total,
            row["loss"],
            row["lr"],
            row["grad_norm"],
            row["tokens_per_s"],
            extra,
        )

    def _chinese(self, row):
        log.info(
            "第 %d/%d 步，损失 %.4f，学习率 %.3e，梯度范数 %.3f，吞吐 %d",
            row["step"], self.total, row["loss"], row["lr"], row["grad_norm"], row["tokens_per_s"],
        )

    def _jsonl(self, row):
        self._line(row)
        if row["step"] % 20 == 0:
            log.info("step %d loss %.4f", row["step"], row["loss"])

    def _line(self, row):
        with (self.out / f"metrics.rank{self.rank}.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")

    def _hf(self, row):
        if self.rank:
            return
        told = {
            "loss": round(row["loss"], 4),
            "grad_norm": row["grad_norm"],
            "learning_rate": row["lr"],
            "epoch": round(row["step"] / self.total, 4),
        }
        print(told, flush=True)
        self.history.append({**told, "step": row["step"]})

    def _megatron(self, row):
        if self.rank:
            return
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        print(
            f" [{stamp}] iteration {row['step']:8d}/{self.total:8d} |"
            f" consumed samples: {row['step'] * self.batch:12d} |"
            f" elapsed time per iteration (ms): {row['step_time'] * 1000:.1f} |"
            f" learning rate: {row['lr']:.6E} | global batch size: {self.batch:5d} |"
            f" lm loss: {row['loss']:.6E} | loss scale: {row.get('loss_scale', 1.0):.1f} |"
            f" grad norm: {row['grad_norm']:.3f} | number of skipped iterations: "
            f"{int(row.get('skipped', 0)):3d} | number of nan iterations: "
            f"{int(row['loss'] != row['loss']):3d} |",
            flush=True,
        )

    def _lightning(self, row):
        if self.rank:
            return
        self._csv(
            {"step": row["step"], "train_loss": row["loss"], "lr-AdamW": row["lr"],
             "grad_norm": row["grad_norm"]}
        )
        if row["step"] % 20 == 0:
            done = int(100 * row["step"] / self.total)
            print(
                f"\rEpoch 0: {done:3d}%|{'#' * (done // 10):10s}| {row['step']}/{self.total} "
                f"[00:{int(time.time() - self.began):02d}<00:00, "
                f"{1 / row['step_time']:.2f}it/s, v_num=0, train_loss={row['loss']:.3g}]",
                file=sys.stderr,
                flush=True,
            )

    def _csv(self, row):
        if self.rank:
            return
        path = self.out / "lightning_logs" / "version_0" / "metrics.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = ["epoch", "grad_norm", "lr-AdamW", "step", "train_loss", "eval_loss"]
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, columns)
            if new:
                writer.writeheader()
            writer.writerow({"epoch": 0, **row})

    def state(self, folder, step):
        """What the Trainer of transformers leaves beside a checkpoint."""
        if self.style == "hf":
            state = {"global_step": step, "max_steps": self.total, "log_history": self.history}
            (Path(folder) / "trainer_state.json").write_text(json.dumps(state, indent=2))
