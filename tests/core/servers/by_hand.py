"""A handshake-era server without a library, with one habit; keeps a journal of its pid and all it reads.

Usage: ``by_hand.py HABIT JOURNAL``
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

Frame = dict[str, Any]

HABIT = sys.argv[1] if len(sys.argv) > 1 else ""
JOURNAL = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("/dev/null")
PAGES = 3


def tool(name: str, **more: Any) -> Frame:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def jot(text: str) -> None:
    with JOURNAL.open("a") as file:
        file.write(f"{text}\n")


def send(frame: Frame) -> None:
    text = json.dumps({"jsonrpc": "2.0", **frame})
    # Deeper than the encoder goes.
    text = re.sub(r'"<(\d+) levels>"', lambda hit: "[" * int(hit[1]) + "]" * int(hit[1]), text)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(frame: Frame) -> Frame:
    method, params = frame["method"], frame.get("params") or {}
    if method == "initialize":
        version = "2024-11-05" if HABIT == "old" else params["protocolVersion"]
        offers = {"tools": {}, "resources": {}, "prompts": {}} if HABIT == "pages" else {"tools": {}}
        return {
            "protocolVersion": version,
            "capabilities": offers,
            "serverInfo": {"name": "by hand", "version": "0"},
        }
    if method == "tools/list":
        return tools(params.get("cursor"))
    if method == "resources/list" and HABIT == "pages":
        number = int(params.get("cursor") or 0)
        return {"resources": [{"uri": f"x://{number}", "name": str(number)}], "nextCursor": str(number + 1)}
    if method == "prompts/list" and HABIT == "pages":
        return {"prompts": [], "nextCursor": "the same for ever"}
    if method == "tools/call":
        return call(params["name"], params.get("arguments") or {})
    raise LookupError(f"no {method}")


def tools(cursor: str | None) -> Frame:
    if HABIT == "no-list":
        raise LookupError("the tools are away")
    if HABIT == "malformed":
        return {"tools": [tool("good"), {"name": "bad"}, "worse", tool("fine", description=None)]}
    if HABIT == "pages":
        number = int(cursor or 0)
        more = {"nextCursor": str(number + 1)} if number + 1 < PAGES else {}
        return {"tools": [tool(f"tool{number}a"), tool(f"tool{number}b")], **more}
    return {
        "tools": [tool(name) for name in ("echo", "add", "pid", "crash", "hang", "vendor", "deep", "-32000")]
    }


def call(name: str, arguments: Frame) -> Frame:
    if name == "vendor":
        item = {"type": "text", "text": "x", "x-item": None, "annotations": {"priority": 1}}
        return {"content": [item], "x-vendor": {"n": 1, "none": None}, "_meta": {"m": [1]}, "isError": True}
    if name == "hang":
        return {}
    if name == "-32000":
        raise ValueError("a rule of the house")
    if name == "pid":
        return {"content": [], "structuredContent": {"result": os.getpid()}}
    if name == "add":
        return {"content": [], "structuredContent": {"result": arguments["a"] + 1}}
    if name == "deep":
        return {"content": [], "structuredContent": {"result": f"<{arguments['levels']} levels>"}}
    if name == "crash":
        sys.stderr.write("out of eggs\n")
        sys.stderr.flush()
        os._exit(arguments.get("code", 3))
    return {"content": [{"type": "text", "text": json.dumps(arguments)}]}


def main() -> None:
    jot(str(os.getpid()))
    if HABIT == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if HABIT == "banner":
        sys.stdout.write("Starting ...")  # glued to the first frame
    if HABIT == "refuse":
        sys.exit("a licence is missing")
    if HABIT == "slow":
        for number in range(6):
            sys.stderr.write(f"installing {number}\n")
            sys.stderr.flush()
            time.sleep(0.3)
    for line in sys.stdin:
        jot(line.strip())
        frame = json.loads(line)
        if HABIT in ("mute", "silent") or "id" not in frame or "method" not in frame:
            continue
        if HABIT == "ponderous":  # does not answer what it does not know, and is slow with what it does
            if frame["method"] == "server/discover":
                continue
            if frame["method"] == "initialize":
                time.sleep(0.6)
        if frame["method"] == "tools/call" and frame["params"]["name"] == "hang":
            continue
        try:
            send({"id": frame["id"], "result": answer(frame)})
        except (LookupError, ValueError) as error:
            code = -32000 if isinstance(error, ValueError) else -32601
            send({"id": frame["id"], "error": {"code": code, "message": str(error), "data": {"why": 1}}})
    if HABIT == "deaf":
        time.sleep(600)


main()
