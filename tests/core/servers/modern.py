"""A server of the 2026 era without a library: its stream of events breaks when a tool says so.

Usage: ``modern.py JOURNAL``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Frame = dict[str, Any]
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

streams: list[Any] = []


def send(frame: Frame) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def answer(frame: Frame) -> Frame | None:
    method, params = frame["method"], frame.get("params") or {}
    done = {"resultType": "complete"}
    cached = {**done, "ttlMs": 0, "cacheScope": "private"}
    if method == "server/discover":
        offers = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True}}
        return {**cached, "supportedVersions": ["2026-07-28"], "capabilities": offers}
    if method == "tools/list":
        names = ["break", "end"] + [f"after-{n}" for n in range(len(streams))]
        return {**cached, "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}
    if method in ("resources/list", "resources/templates/list"):
        return {**cached, "resources": [], "resourceTemplates": []}
    if method == "subscriptions/listen":
        streams.append(frame["id"])
        told = {"notifications": params.get("notifications") or {}, "_meta": {SUBSCRIPTION: frame["id"]}}
        send({"method": "notifications/subscriptions/acknowledged", "params": told})
        return None
    if method == "tools/call":
        if params["name"] == "break":
            send({"id": streams[-1], "error": {"code": -32603, "message": "the stream broke"}})
        return {**done, "content": [{"type": "text", "text": params["name"]}]}
    raise LookupError(method)


for line in sys.stdin:
    with Path(sys.argv[1]).open("a") as journal:
        journal.write(line)
    frame = json.loads(line)
    if "id" not in frame or "method" not in frame:
        continue
    try:
        result = answer(frame)
    except LookupError as error:
        send({"id": frame["id"], "error": {"code": -32601, "message": f"no {error}"}})
    else:
        if result is not None:
            send({"id": frame["id"], "result": result})
