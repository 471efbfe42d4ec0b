"""How long the app's event loop stands still: python blocks.py FOLDER

Works through a consultation over the folder at 200x50 and prints, as JSON, the longest block in
milliseconds of each part: a ticker of 5 ms measures how late it is. What other programs take of the
processor is no block of ours: the lesser of wall time and the processor time of this process counts.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from medic.tui.app import SWITCH, MedicApp
from medic.tui.prompt import Prompt
from textual.pilot import Pilot

from medic.case.collect import collect
from medic.i18n import use
from medic.index.knowledge import load

TICK = 0.005
WORDS = {
    "answering": "1",
    "describing": "the loss became NaN after step 200",
    "why": "/why",
    "all probes": "/probes",
    "hand-over": "/report",
    "graph": "/graph",
}
LINE = "2026-05-01 10:00:00 [rank0] INFO step {} | loss 2.{} | lr 3e-4\n"
PASTE = "".join(LINE.format(i, i) for i in range(10_000))


class Ticker:
    """The longest block since the last time it was asked, in seconds."""

    def __init__(self) -> None:
        self._longest = 0.0

    async def run(self) -> None:
        while True:
            wall, processor = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK)
            took = min(time.perf_counter() - wall, time.process_time() - processor)
            self._longest = max(self._longest, took - TICK)

    def longest(self) -> float:
        longest, self._longest = self._longest, 0.0
        return longest


async def settle(app: MedicApp) -> None:
    await asyncio.sleep(0.1)
    while app.talk.desk.busy:
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)


async def consult(app: MedicApp, pilot: Pilot[None]) -> dict[str, float]:
    ticker, found = Ticker(), {}
    task = asyncio.create_task(ticker.run())
    await settle(app)
    found["reading"] = ticker.longest()
    prompt = app.talk.query_one(Prompt)
    for name, words in WORDS.items():
        prompt.text = words
        prompt.action_send()
        await settle(app)
        found[name] = ticker.longest()
    await pilot.press(*["down"] * 8, "escape")
    await settle(app)
    found["walking the graph"] = ticker.longest()
    prompt.post_message(Prompt.Sent(PASTE))
    await settle(app)
    found["a paste of 10,000 lines"] = ticker.longest()
    task.cancel()
    return {name: round(longest * 1000, 1) for name, longest in found.items()}


async def main() -> None:
    app = MedicApp(load, collect(sys.argv[1:]), apart=True)
    async with app.run_test(size=(200, 50)) as pilot:
        sys.stdout.write(json.dumps(await consult(app, pilot)) + "\n")


if __name__ == "__main__":
    use("en")
    load()  # in a checkout the knowledge may have to be compiled first
    sys.setswitchinterval(SWITCH)
    asyncio.run(main())
