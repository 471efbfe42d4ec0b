"""The same app in a browser of this machine: loopback only, and only with the token."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from medic.errors import UsageError
from medic.text.patterns import regex

HOST = "127.0.0.1"
COOKIE = "medic"
_ELSEWHERE = regex(r"<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>")
Handler = Callable[[Any], Awaitable[Any]]


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def guard(token: str, port: int) -> Callable[[Any, Handler], Awaitable[Any]]:
    """Lets nobody in but who has the token, from a page of this very server.

    The token comes once in the address and is a cookie from then on, so that it stays out of the
    addresses of what the page loads. A foreign ``Host`` or ``Origin`` is another site's page that
    tries this machine's ports.
    """
    from aiohttp import web

    hosts = {f"{HOST}:{port}", f"localhost:{port}"}
    origins = {f"http://{host}" for host in hosts}

    # The page names a font of another site, which goes; and nothing but this server is asked for
    # anything.
    sockets = " ".join(f"ws://{host}" for host in sorted(hosts))
    policy = (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data:; font-src 'self' data:; connect-src 'self' {sockets}"
    )

    @web.middleware  # type: ignore[untyped-decorator,unused-ignore]
    async def check(request: Any, handler: Handler) -> Any:
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin not in origins):
            raise web.HTTPForbidden(text="this page is for this machine only")
        given = request.query.get("token", "")
        if given and hmac.compare_digest(given.encode(), token.encode()):
            away = web.HTTPFound("/")
            away.set_cookie(COOKIE, token, httponly=True, samesite="Strict")
            raise away
        held = request.cookies.get(COOKIE, "")
        if not hmac.compare_digest(held.encode(), token.encode()):
            raise web.HTTPForbidden(text="open the address that medic serve printed")
        response = await handler(request)
        if not response.prepared:
            if isinstance(response, web.Response) and response.content_type == "text/html":
                response.text = _ELSEWHERE.sub("", response.text or "")
            response.headers["Content-Security-Policy"] = policy
        return response

    guarded: Callable[[Any, Handler], Awaitable[Any]] = check
    return guarded


def command_of(arguments: Sequence[str]) -> str:
    """The command line that runs the app once for each page."""
    return shlex.join([sys.executable, "-m", "medic", "app", *arguments])


def serve(arguments: Sequence[str], port: int, say: Callable[[str, int], None]) -> None:
    """Serves until it is interrupted; ``say`` gets the address and its port. Raises UsageError."""
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError:
        raise UsageError(
            "medic serve needs the extra: pip install 'llm-medic[serve]'",
            "medic serve 需要额外依赖：pip install 'llm-medic[serve]'",
        ) from None
    port = port or free_port()
    token = secrets.token_urlsafe(24)
    server = Server(command_of(arguments), host=HOST, port=port, title="medic")
    server.on_startup = _quiet

    async def run() -> None:
        app = await server._make_app()
        app.middlewares.append(guard(token, port))
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as problem:
            words = problem.strerror or "in use"
            raise UsageError(f"port {port}: {words}", f"端口 {port}：{words}") from None
        say(f"http://{HOST}:{port}/?token={token}", port)
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    asyncio.run(run())


async def _quiet(_app: Any) -> None:
    """The server's own greeting would name the address without the token."""
