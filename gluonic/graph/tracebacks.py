"""Tracebacks of uncaught errors without the lines of gluonic itself; ``GLUONIC_FULL_TRACEBACK=1`` shows them.

Only what Python prints about an error that nobody catches is shortened, in `sys.excepthook` and
`threading.excepthook`. The errors themselves keep their tracebacks, for debuggers, test runners, notebooks and
programs that print them.
"""

import os
import re
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from opcode import opmap
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from gluonic.graph.errors import Description, MXNetError, is_ours

_RAISE = opmap["RAISE_VARARGS"]


@cache
def _libraries() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, names), Path(np.__file__).parent.parent]
    return tuple(f"{folder}{os.sep}" for folder in folders)


def _file(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_filename


def _steps(error: BaseException) -> list[TracebackType]:
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    return steps


def _is_deliberate(error: BaseException, last: TracebackType) -> bool:
    """Whether the error is one that gluonic reports, rather than a mistake in gluonic."""
    if isinstance(error, MXNetError) or (error.args and isinstance(error.args[0], Description)):
        return True
    if isinstance(error, OSError) and error.filename is not None:
        return True
    return is_ours(_file(last)) and last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE


def shortened(error: BaseException) -> TracebackType | None:
    """The traceback of an error without lines of gluonic's, and of libraries that it calls.

    It is complete if nothing else would be left, or if the error is a mistake in gluonic.
    """
    steps = _steps(error)
    kept, is_inside = [], False
    for step in steps:
        is_inside = is_ours(_file(step)) or (is_inside and _file(step).startswith(_libraries()))
        if not is_inside:
            kept.append(step)
    if not kept or (is_inside and not _is_deliberate(error, steps[-1])):
        return error.__traceback__
    made = None
    for step in reversed(kept):
        made = TracebackType(made, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return made


def _is_internal(error: BaseException | None) -> bool:
    """Whether an error arose, and was caught, within gluonic."""
    if error is None:
        return False
    files = [_file(step) for step in _steps(error)]
    if not files and type(error).__name__ == "_RemoteTraceback":  # of a worker, as text
        frames = str(error).partition("Traceback")[2].splitlines()[1:]
        lines = takewhile(lambda line: line.startswith(" "), frames)
        files = re.findall(r'^  File "(.*?)", line', "\n".join(lines), re.MULTILINE)
    return bool(files) and all(is_ours(file) or file.startswith(_libraries()) for file in files)


@contextmanager
def shortened_for_now(error: BaseException) -> Iterator[None]:
    """Within it, an error and those that led to it have short tracebacks, and no causes within gluonic."""
    before: list[tuple[BaseException, tuple[Any, ...]]] = []
    chain: list[BaseException | None] = [error]
    try:
        while chain:
            one = chain.pop()
            if one is None or any(one is known for known, _ in before):
                continue
            cause, context = one.__cause__, one.__context__
            before.append((one, (one.__traceback__, cause, context, one.__suppress_context__)))
            made = shortened(one)
            if made is not one.__traceback__:
                one.__traceback__ = made
                if _is_internal(cause or context):
                    one.__cause__ = None  # which also suppresses the context
            chain += [cause, context]
        yield
    finally:
        for one, (trace, cause, context, is_suppressed) in before:
            one.__traceback__, one.__cause__, one.__context__ = trace, cause, context
            one.__suppress_context__ = is_suppressed


def _is_switched_off() -> bool:
    return os.environ.get("GLUONIC_FULL_TRACEBACK", "0") != "0"


def shorten_uncaught() -> None:
    """From now on, shorten what is printed about errors that nobody catches."""
    show, show_of_thread = sys.excepthook, threading.excepthook

    def shown(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if _is_switched_off():
            show(kind, error, trace)
        else:
            with shortened_for_now(error):
                show(kind, error, error.__traceback__)

    def shown_of_thread(args: threading.ExceptHookArgs) -> None:
        error = args.exc_value
        if error is None or _is_switched_off():
            show_of_thread(args)
            return
        with shortened_for_now(error):
            given = args.exc_type, error, error.__traceback__, args.thread
            show_of_thread(threading.ExceptHookArgs(given))

    sys.excepthook, threading.excepthook = shown, shown_of_thread
