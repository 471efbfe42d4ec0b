"""Whether the ranks can meet: the port is free, the interfaces that the launch names exist."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Source, Variable
from medic.facts.interfaces import IFNAMES, chosen
from medic.i18n import Text
from medic.preflight.result import LEFT, Result, Scene, not_ok, not_seen, ok
from medic.run_config import Span
from medic.runner.look import open_regular
from medic.text.patterns import regex

_PORT = regex(r":(\d{1,5})[\"']?$")
LOOPBACK = "lo"
FIRST = 1024  # the first port that no privilege is needed for (RFC 6335, section 6)
_LONGEST = 500  # bytes of an address
LISTENING = Text("TCP ports that something listens on", "正在监听的 TCP 端口")
INTERFACES = Text("network interfaces of this machine", "本机网卡")


def network(scene: Scene) -> Iterator[Result]:
    port = _port(scene)
    yield port
    yield from _other_ports(scene, port)
    named = [v for name in IFNAMES if (v := scene.variable(name)) and "$" not in v.value]
    if not named:
        lack = Text("no variable names an interface", "没有变量指定网卡")
        yield ok("interface", lack.en, lack.zh, ", ".join(IFNAMES))
    for variable in named:
        yield _interface(scene, variable)


def _other_ports(scene: Scene, told: Result) -> Iterator[Result]:
    """The ports of further commands that the scripts start: the configuration has one."""
    own = scene.config.integer("master_port")
    seen = {own}
    for one in scene.ports.named if scene.ports is not None and own is not None else ():
        if one.meets and one.port not in (None, *seen) and one.source.line != told.source.line:
            seen.add(one.port)
            yield _whether_free(scene, one.port or 0, one.source)


def _port(scene: Scene) -> Result:
    port = scene.config.integer("master_port")
    source = scene.field_source("master_port")
    if port is None:
        port, source = _endpoint(scene)
    if port is None:
        variable = scene.variable("MASTER_PORT")
        if variable is None or not variable.value.isdecimal():
            return _named(scene)
        port, source = int(variable.value), variable.source
    return _whether_free(scene, port, source)


def _named(scene: Scene) -> Result:
    """Of a launch without a port whose number is known: what the scripts name."""
    named = scene.ports.named if scene.ports is not None else ()
    unknown = next((one for one in named if one.meets), None)
    other = next((one for one in named if one.port is not None and one.port >= FIRST), None)
    one = unknown or other or next(iter(named), None)
    if one is None:
        lack = Text("the launch names no port", "启动命令没有给出端口")
        return not_seen("port", lack, "master_port, rdzv_endpoint, MASTER_PORT")
    if one.port is None:
        return not_seen("port", LEFT.fill(t=one.text), one.name, one.source)
    if one.meets or scene.ports is None or one.port not in scene.ports.listening:
        return _whether_free(scene, one.port, one.source)
    taken = Text(
        "something listens on port {p} ({f}) already",
        "端口 {p}（{f}）上已有程序在监听",
    )
    return not_seen("port", taken.fill(p=str(one.port), f=one.name), LISTENING, one.source)


def _whether_free(scene: Scene, port: int, source: Source) -> Result:
    name = "port"
    if scene.ports is None:
        return not_seen(name, scene.reason("ports"), LISTENING, source)
    if port in scene.ports.listening:
        en = f"port {port} is taken on this machine"
        zh = f"本机端口 {port} 已被占用"
        if (scene.config.integer("nodes") or 1) > 1:
            en += " (it matters on the node of rank 0)"
            zh += "（若本机是 rank 0 所在节点才有影响）"
        return not_ok(name, en, zh, LISTENING, source)
    return ok(name, f"port {port} is free", f"端口 {port} 空闲", LISTENING, source)


def _endpoint(scene: Scene) -> tuple[int | None, Source]:
    """(port, where it is written) of ``--rdzv-endpoint=$MASTER_ADDR:29500``: the host may be left
    to the shell, the port is written out."""
    setting = scene.config.setting("rdzv_endpoint")
    span = setting.origin.span if setting is not None else None
    if setting is None or span is None:
        return None, Source()
    text = str(setting.value or _written(span))
    found = _PORT.search(text)
    return (int(found[1]), Source(span.file, span.line)) if found else (None, Source())


def _written(span: Span) -> str:
    try:
        with open_regular(span.file) as file:
            file.seek(span.start)
            return file.read(min(span.end - span.start, _LONGEST)).decode("utf-8", "replace")
    except (Unreadable, OSError):
        return ""


def _interface(scene: Scene, variable: Variable) -> Result:
    have = scene.machine.interfaces if scene.machine else {}
    if not have:
        return not_seen("interface", scene.reason("machine"), INTERFACES, variable.source)
    found = chosen(variable.name, variable.value, have)
    told = f"{variable.name}={variable.value}"
    listed = ", ".join(sorted(have)[:12])
    if not found:
        en = f"{told}: no such interface; there are {listed}"
        return not_ok(
            "interface", en, f"{told}：没有这块网卡；本机有 {listed}", INTERFACES, variable.source
        )
    down = [n for n in found if not have[n]]
    if len(down) == len(found):
        names = ", ".join(down)
        return not_ok(
            "interface",
            f"{told}: {names} is down",
            f"{told}：{names} 未启用",
            INTERFACES,
            variable.source,
        )
    nodes = scene.config.integer("nodes") or 1
    if nodes > 1 and set(found) == {LOOPBACK}:
        en = f"{told}: the loopback interface reaches no other machine, and the launch has {nodes} nodes"
        zh = f"{told}：回环网卡到不了其他机器，而启动命令有 {nodes} 个节点"
        return not_ok("interface", en, zh, INTERFACES, variable.source)
    up = ", ".join(n for n in found if have[n])
    return ok(
        "interface", f"{told}: {up} is up", f"{told}：{up} 已启用", INTERFACES, variable.source
    )
