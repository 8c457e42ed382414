"""Users are informed when compiling takes long."""

import io
import sys

import pytest

from gluonic.codegen.progress import tell_if_long
from gluonic.graph.node import Graph, Node, make_node


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _chain(length: int) -> Graph:
    entry = Node(None, "x").entry()
    for _ in range(length):
        entry = make_node("tanh", [entry]).entry()
    return Graph([entry])


def test_a_large_graph_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    tell_if_long(_chain(20_000))
    assert "compiles a graph of 20,000 operators: some 3 seconds" in terminal.getvalue()


def test_a_small_graph_is_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    tell_if_long(_chain(100))
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_announced_in_files(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    tell_if_long(_chain(20_000))
    assert stream is None or stream.getvalue() == ""
