"""Writes what does not belong there on stdout: banners, glued banners, foreign bytes, floods, echoes."""

from __future__ import annotations

import json
import sys
import threading
import time

from plain import Frame, Server, text

HABITS = set(sys.argv[1:])


class Noisy(Server):
    def handle(self, frame: Frame) -> None:
        if "echo" in HABITS:
            self.write(b"DEBUG received " + json.dumps(frame).encode() + b"\n")
        super().handle(frame)

    def write(self, data: bytes) -> None:
        if "glued" in HABITS:
            data = b"Starting up... " + data
        if "tail" in HABITS:
            data = data.rstrip(b"\n") + b" <- sent\n"
        if "latin1" in HABITS:
            data = "Größe: fertig\n".encode("latin-1") + data
        if "crlf" in HABITS:
            data = data.replace(b"\n", b"\r\n")
        with lock:
            super().write(data)

    def call_latin1(self, arguments: Frame) -> Frame:
        with lock:
            Server.write(self, b"caf\xe9\n")
        return text("ok")


def chatter(server: Server) -> None:
    for number in range(100_000):
        with lock:
            Server.write(server, b'{"level":"info","line":%d}\n' % number)
        time.sleep(0.01)


lock = threading.RLock()
server = Noisy()
if "banner" in HABITS:
    Server.write(server, "  ▄▄ My Server v1 ▄▄  \n\nListening.\n".encode())
if "chatter" in HABITS:
    threading.Thread(target=chatter, args=(server,), daemon=True).start()
server.run()
