"""medic serve: nobody gets in without the token, and no page of another site."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from medic.tui.serving import COOKIE, command_of, guard

pytest.importorskip("aiohttp")


class Asked:
    """A request as far as the guard looks at it."""

    def __init__(self, host: str, origin: str = "", token: str = "", cookie: str = "") -> None:
        self.host = host
        self.headers = {"Origin": origin} if origin else {}
        self.query = {"token": token} if token else {}
        self.cookies = {COOKIE: cookie} if cookie else {}


def answer(**asked: str) -> int:
    from aiohttp import web

    async def handler(request: Any) -> Any:
        return web.Response(text="in")

    async def go() -> int:
        try:
            response = await guard("t0ken", 8123)(Asked(**asked), handler)
        except web.HTTPException as refused:
            return int(refused.status)
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        return int(response.status)

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"host": "127.0.0.1:8123", "token": "t0ken"}, 302),
        ({"host": "127.0.0.1:8123", "cookie": "t0ken"}, 200),
        ({"host": "localhost:8123", "cookie": "t0ken", "origin": "http://localhost:8123"}, 200),
        ({"host": "127.0.0.1:8123"}, 403),
        ({"host": "127.0.0.1:8123", "token": "other"}, 403),
        ({"host": "evil.example:8123", "cookie": "t0ken"}, 403),
        ({"host": "127.0.0.1:8123", "cookie": "t0ken", "origin": "http://evil.example"}, 403),
    ],
)
def test_the_guard(asked: dict[str, str], status: int) -> None:
    assert answer(**asked) == status


def test_each_page_runs_the_app_of_this_very_installation() -> None:
    command = command_of(["my run; rm x", "--lang", "zh"])
    assert command == f"{sys.executable} -m medic app 'my run; rm x' --lang zh"


def test_the_page_names_no_other_site() -> None:
    from aiohttp import web

    page = (
        '<head><link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=X"/>'
        '<link rel="stylesheet" href="/static/css/x.css"/></head>'
    )

    async def handler(_request: Any) -> Any:
        return web.Response(text=page, content_type="text/html")

    async def go() -> Any:
        return await guard("t0ken", 8123)(Asked("127.0.0.1:8123", cookie="t0ken"), handler)

    text = asyncio.run(go()).text
    assert "googleapis" not in text
    assert "/static/css/x.css" in text
