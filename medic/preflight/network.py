"""Whether the ranks can meet: the port is free, the interfaces that the launch names exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import Variable
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok

LISTENING = Text("TCP ports that something listens on", "正在监听的 TCP 端口")
INTERFACES = Text("network interfaces of this machine", "本机网卡")
VARIABLES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


def network(scene: Scene) -> Iterator[Result]:
    yield _port(scene)
    named = [v for name in VARIABLES if (v := scene.variable(name)) and "$" not in v.value]
    if not named:
        lack = Text("no variable names an interface", "没有变量指定网卡")
        yield ok("interface", lack.en, lack.zh, ", ".join(VARIABLES))
    for variable in named:
        yield _interface(scene, variable)


def _port(scene: Scene) -> Result:
    name, port = "port", scene.config.integer("master_port")
    source = scene.field_source("master_port")
    if port is None:
        variable = scene.variable("MASTER_PORT")
        if variable is None or not variable.value.isdecimal():
            lack = Text("the launch names no port", "启动命令没有给出端口")
            return not_seen(name, lack, "master_port, MASTER_PORT")
        port, source = int(variable.value), variable.source
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


def _interface(scene: Scene, variable: Variable) -> Result:
    have = scene.machine.interfaces if scene.machine else {}
    if not have:
        return not_seen("interface", scene.reason("machine"), INTERFACES, variable.source)
    found = chosen(variable, have)
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
    up = ", ".join(n for n in found if have[n])
    return ok(
        "interface", f"{told}: {up} is up", f"{told}：{up} 已启用", INTERFACES, variable.source
    )


def chosen(variable: Variable, have: Mapping[str, bool]) -> list[str]:
    """The interfaces that a variable means. NCCL: prefixes, ``=`` exact names, ``^`` all but these
    (NCCL documentation). Gloo: full names, each of which must exist. TensorPipe: one full name."""
    words = [w.strip() for w in variable.value.lstrip("^=").split(",") if w.strip()]
    if not variable.name.startswith("NCCL"):
        exact = [w for w in variable.value.split(",") if w.strip()]
        return [w.strip() for w in exact] if all(w.strip() in have for w in exact) else []
    mark = variable.value[: len(variable.value) - len(variable.value.lstrip("^="))]
    # name:port limits a name to one port of the device
    plain = [w.partition(":")[0] for w in words]
    matched = [
        n for n in have if any(n == w or ("=" not in mark and n.startswith(w)) for w in plain)
    ]
    return [n for n in have if n not in matched and n != "lo"] if "^" in mark else matched
