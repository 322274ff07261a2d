"""Goes away at a bad moment, or does not want to go, or leaves somebody behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from plain import Frame, Server, text

HABITS = set(sys.argv[1:])


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Leaving(Server):
    def call_exit(self, arguments: Frame) -> Frame:
        say("something is wrong here")
        say("Traceback: this is the end")
        os._exit(arguments.get("code", 3))

    def call_abort(self, arguments: Frame) -> Frame:
        os.kill(os.getpid(), signal.SIGKILL)
        return text("never")

    def call_hang(self, arguments: Frame) -> Frame:
        time.sleep(3600)
        return text("never")

    def call_mute(self, arguments: Frame) -> Frame:
        os.close(1)
        time.sleep(3600)
        return text("never")


if "deaf" in HABITS:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = None
if "child" in HABITS:  # inherits our pipes, and our deafness if we are deaf
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    say(f"child {child.pid}")
if "refuse" in HABITS:
    sys.exit("a licence is missing")
Leaving().run()
if "deaf" in HABITS:
    time.sleep(3600)
if "flush" in HABITS:
    say("said good-bye")
