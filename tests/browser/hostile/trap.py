"""A server that must not hear anything: it keeps every connection and what was asked first on it."""

from __future__ import annotations

import socketserver
import threading

_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: %s\r\nAccess-Control-Allow-Origin: *\r\n"
    b"Connection: close\r\n\r\n%s"
)
_PIXEL = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
_FILES = {
    "svg": (b"image/svg+xml", _PIXEL),
    "html": (b"text/html", b""),
    "js": (b"text/javascript", b"globalThis.loaded = true"),
    "css": (b"text/css", b"body { letter-spacing: 7px }"),
    "json": (b"application/json", b"[1]"),
}


class Trap:
    """A TCP server on a free port.

    Parameters
    ----------
    html : bytes
        What it gives for addresses that end in ``.html``.

    Attributes
    ----------
    url : str
        Where it listens.
    heard : list of str
        The first line of every connection, or what there is of one.
    requests : list of str
        Of these, those that said something.
    """

    def __init__(self, html: bytes = b"") -> None:
        self.heard: list[str] = []
        heard, files = self.heard, {**_FILES, "html": (b"text/html", html)}

        class Connection(socketserver.StreamRequestHandler):
            timeout = 5

            def handle(self) -> None:
                heard.append("")
                number = len(heard) - 1
                try:
                    line = self.rfile.readline(1000)
                    heard[number] = line.decode("latin-1").strip()
                    while self.rfile.readline(10_000).strip():
                        pass
                    ending = line.split(b" ")[1].rpartition(b".")[2].decode("latin-1")
                    kind, body = files.get(ending, (b"text/plain", b""))
                    self.wfile.write(_ANSWER % (len(body), kind, body))
                except (
                    OSError,
                    IndexError,
                ):  # a connection that says nothing, or no HTTP, is one all the same
                    return

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Connection)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def requests(self) -> list[str]:
        return [line for line in self.heard if line]

    def names(self) -> set[str]:
        """The first part of each path that was asked for."""
        return {line.split(" ")[1].split("/")[1].split("?")[0] for line in self.heard if " /" in line}

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
