"""Faulty programs as users write them, and the messages that they must get."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gluonic import gluon
from gluonic.gluon import nn


class Wrong(NamedTuple):
    """A wrong program: the kind of its error, and patterns that the message must match."""

    program: Callable[[Path], Any]
    kind: type[Exception]
    patterns: tuple[str, ...]


class Programs(dict[str, Wrong]):
    """The wrong programs of a file, by name."""

    def wrong(
        self, kind: type[Exception], *patterns: str
    ) -> Callable[[Callable[[Path], Any]], Callable[[Path], Any]]:
        """Enter a program (a decorator)."""

        def enter(program: Callable[[Path], Any]) -> Callable[[Path], Any]:
            self[program.__name__] = Wrong(program, kind, patterns)
            return program

        return enter


def ready(*layers: Any, hybridize: bool = False) -> Any:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for make in layers:
            net.add(make())
    net.initialize()
    net.hybridize(hybridize)
    return net


class Function(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(prefix="function_")
        self._function = function
        self.hybridize()

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return self._function(F, x, *args)


def _lines(program: Callable[..., Any], file: str) -> set[int]:
    """The lines of a file that belong to a program and to what follows it up to the next."""
    first = program.__code__.co_firstlineno
    lines = Path(file).read_text().splitlines()
    last = next(
        (n for n in range(first + 1, len(lines)) if re.match(r"(@wrong|class |def _)", lines[n])),
        len(lines),
    )
    return set(range(first, last + 1))


def check(wrong: Wrong, folder: Path) -> None:
    """Run a wrong program: does the error state what is wrong, at which of its lines, and what to try?"""
    with pytest.raises(wrong.kind) as caught:
        wrong.program(folder)
    message, file = str(caught.value), wrong.program.__code__.co_filename
    context = caught.value.__context__
    is_hidden = context is None or caught.value.__suppress_context__
    assert is_hidden, f"a consequence of an internal {context!r}:\n{message}"
    first, *_, last = [*message.splitlines(), *message.splitlines()]
    assert first == last, f"the last line differs from the first one:\n{message}"
    for pattern in wrong.patterns:
        assert re.search(pattern, message), f"{pattern!r} is not in:\n{message}"
    found = [int(n) for n in re.findall(rf'File "{re.escape(file)}", line (\d+)', message)]
    assert found, f"no line of the user's in:\n{message}"
    assert _lines(wrong.program, file) & set(found), f"another program's line in:\n{message}"
    assert "gluonic/" not in re.sub(r"tests/|/tmp\S*", "", message.replace(file, ""))
