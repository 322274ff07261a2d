"""Answers every request with anything at all, decided by a seed. Usage: ``random_answers.py SEED``"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

rng = random.Random(int(sys.argv[1]))
WORDS = [
    "tools",
    "name",
    "inputSchema",
    "content",
    "contents",
    "capabilities",
    "nextCursor",
    "resultType",
    "uri",
]


def anything(depth: int = 0) -> Any:
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind == 6:
        return [anything(depth + 1) for _ in range(rng.randrange(4))]
    if kind > 6:
        return {rng.choice(WORDS): anything(depth + 1) for _ in range(rng.randrange(4))}
    return [None, True, rng.randrange(-9, 9), 1.5e300, "", "input_required"][kind]


def likely(method: str) -> Any:
    """An answer that is right as a whole, and odd inside."""
    tools = [{"name": f"t{n}", "inputSchema": anything() or {"type": "object"}} for n in range(3)]
    tools += [{"name": "good", "inputSchema": {"type": "object"}}, anything()]
    return {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "random", "version": "1", "x": anything()},
        },
        "tools/list": {"tools": tools, "nextCursor": rng.choice([None, "1"])},
        "resources/list": {"resources": [anything(), {"uri": "x://1", "name": "x"}]},
        "resources/templates/list": {"resourceTemplates": [anything()]},
        "prompts/list": {"prompts": [anything(), {"name": "p", "arguments": [anything()]}]},
        "tools/call": {
            "content": [anything(), {"type": "text", "text": "x"}],
            "structuredContent": anything(),
        },
        "resources/read": {"contents": [anything(), {"uri": "x://1", "text": "x"}]},
        "prompts/get": {"messages": [anything()]},
    }.get(method)


def write(text: str) -> None:
    sys.stdout.write(text + rng.choice(["\n"] * 9 + [""]))
    sys.stdout.flush()


for line in sys.stdin:
    frame = json.loads(line)
    if "id" not in frame:
        continue
    method, dice = frame["method"], rng.random()
    answer = likely(method)
    frames: list[Any] = []
    if rng.random() < 0.2:
        kind = rng.choice(
            ["message", "tools/list_changed", "progress", "resources/updated", "cancelled", "nope"]
        )
        frames.append({"jsonrpc": "2.0", "method": f"notifications/{kind}", "params": anything()})
    if rng.random() < 0.1:
        asked = rng.choice(["elicitation/create", "roots/list", "sampling/createMessage", "ping", "nope"])
        frames.append({"jsonrpc": "2.0", "id": rng.choice(["s1", 7]), "method": asked, "params": anything()})
    beginning = method == "initialize" or method.endswith("/list")
    if dice < (0.93 if beginning else 0.75) and answer is not None:
        frames.append({"jsonrpc": "2.0", "id": frame["id"], "result": answer})
    elif dice < 0.82:
        frames.append({"jsonrpc": "2.0", "id": frame["id"], "result": anything()})
    elif dice < 0.97:
        frames.append({"jsonrpc": "2.0", "id": frame["id"], "error": anything()})
        frames.append({"jsonrpc": "2.0", "id": frame["id"], "error": {"code": -32601, "message": "no"}})
    else:
        frames.append(anything())
        write("noise " + json.dumps(anything()))
    for each in frames:
        write(json.dumps(each))
