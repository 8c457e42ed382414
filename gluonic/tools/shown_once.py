"""A page that is shown in a browser and leaves no file: the browser is sent it once, on this machine alone."""

import secrets
import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from gluonic.tools.command import CommandError

PATIENCE = 60.0
"""How many seconds a browser may take to ask for the page."""


def show_once(page: bytes, title: str, patience: float = PATIENCE) -> None:
    """Open a page in a browser, and wait until it has been sent.

    Parameters
    ----------
    page : HTML that refers to no other file
    title : the last part of its address
    patience : how many seconds to wait for the browser

    Raises
    ------
    CommandError
        if there is no browser, or none asks for the page
    """
    # Other users of this machine cannot guess the address.
    address = f"/{secrets.token_urlsafe()}/{quote(title, safe='')}.html"
    with _Server(address, page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            host, port = server.server_address[:2]
            if not webbrowser.open(f"http://{host!s}:{port}{address}"):
                raise CommandError("no browser was found", hint="--output FILE.html")
            if not server.sent.wait(patience):
                raise CommandError(
                    f"no browser asked for the page within {patience:g} seconds",
                    hint="--output FILE.html",
                )
        finally:
            server.shutdown()


class _Server(ThreadingHTTPServer):
    """Sends one page; in threads, because browsers also open connections on which they ask for nothing."""

    def __init__(self, address: str, page: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address, self.page, self.sent = address, page, threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    is_page = False

    def do_GET(self) -> None:
        self.is_page = self.path == self.server.address
        if not self.is_page:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.server.page)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(self.server.page)

    def finish(self) -> None:
        super().finish()
        if self.is_page:
            self.server.sent.set()

    def log_message(self, *_: Any) -> None:
        pass
