"""A server on this machine, with answers of our own."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Repository(ThreadingHTTPServer):
    """It has files, by path; it fails a given number of times before it answers.

    Attributes
    ----------
    files : what stands under which path
    failures : how many times it still answers 500
    asked : the paths that it was asked for
    """

    daemon_threads = False  # or closing would not wait for them

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes] = {}
        self.failures = 0
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.files.get(self.path)
        if self.server.failures:
            self.server.failures -= 1
            self.send_error(500)
        elif content is None:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def repository() -> Iterator[Repository]:
    """A server that runs for the time of a test."""
    with Repository() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
