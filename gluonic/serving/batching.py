"""Requests to a model, computed together: those that come within a short time are one batch."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from time import perf_counter
from typing import Any

import numpy as np

from gluonic.serving.protocol import Arrays, Request, RequestError
from gluonic.support.record import record

Predict = Callable[[Arrays], Arrays]


@record
class ServerLimits:
    """ServerLimits of a server.

    Attributes
    ----------
    rows : the largest batch
    delay : how many seconds a request waits for others
    waiting : how many requests may wait, of one model
    body : bytes of a request
    patience : how many seconds a client may take to send one
    """

    rows: int = 32
    delay: float = 0.002
    waiting: int = 256
    body: int = 64 << 20
    patience: float = 30.0


class Counts:
    """What has happened to a model's requests."""

    def __init__(self) -> None:
        self.answers: dict[int, int] = {}
        self.rows = self.batches = 0
        self.seconds = 0.0

    def answered(self, status: int) -> None:
        """Count an answer."""
        self.answers[status] = self.answers.get(status, 0) + 1


class _Waiting:
    """A request that waits for its batch, and the answer to come."""

    def __init__(self, request: Request, answer: "asyncio.Future[Arrays]") -> None:
        self.request, self.answer = request, answer
        # Requests of equal samples can be computed together.
        self.kind = tuple(
            (name, array.shape[1:], array.dtype.name) for name, array in request.inputs.items()
        )


class Batcher:
    """The queue of a model, and the task that computes what is in it; it belongs to one event loop.

    Parameters
    ----------
    predict : computes outputs from inputs, in a thread of `executor`
    executor : the threads
    limits : the limits
    """

    def __init__(self, predict: Predict, executor: Executor, limits: ServerLimits) -> None:
        self._predict, self._executor, self._limits = predict, executor, limits
        self._waiting: deque[_Waiting] = deque()
        self._has_come = asyncio.Event()
        self._is_separate = False
        self.counts = Counts()

    @property
    def length(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    async def compute(self, request: Request) -> Arrays:
        """The outputs for a request, when its batch has been computed.

        Raises
        ------
        RequestError
            if it is too large, too many wait, or the model refuses it
        """
        if request.rows > self._limits.rows:
            raise RequestError(413, f"a request has at most {self._limits.rows} rows")
        if len(self._waiting) >= self._limits.waiting:
            raise RequestError(503, "too many requests wait")
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._has_come.set()
        return await waiting.answer

    async def run(self) -> None:
        """Compute batches until cancelled."""
        while True:
            await self._has_come.wait()
            if self._rows_waiting() < self._limits.rows and self._limits.delay:
                await asyncio.sleep(self._limits.delay)
            batch = self._next()
            if batch:
                await self._answer(batch)

    def _rows_waiting(self) -> int:
        return sum(one.request.rows for one in self._waiting)

    def _next(self) -> list[_Waiting]:
        """The requests of the next batch: the first, and others of its kind that fit."""
        batch: list[_Waiting] = []
        left: deque[_Waiting] = deque()
        rows = 0
        for one in self._waiting:
            if one.answer.done():
                continue  # its client has gone
            is_alike = not batch or one.kind == batch[0].kind
            fits = rows + one.request.rows <= self._limits.rows
            if is_alike and fits and not (batch and self._is_separate):
                batch.append(one)
                rows += one.request.rows
            else:
                left.append(one)
        self._waiting = left
        if not left:
            self._has_come.clear()
        return batch

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        """Compute a batch; if that fails, each of its requests alone, so that one spoils no other."""
        inputs = {
            name: np.concatenate([one.request.inputs[name] for one in batch])
            for name in batch[0].request.inputs
        }
        rows = sum(one.request.rows for one in batch)
        begin = perf_counter()
        try:
            outputs = await asyncio.get_running_loop().run_in_executor(
                self._executor, self._predict, inputs
            )
        except Exception as error:
            if len(batch) == 1:
                _set(batch[0], error)
                return
            for one in batch:
                await self._answer([one])
            return
        self.counts.seconds += perf_counter() - begin
        self.counts.batches += 1
        self.counts.rows += rows
        if len(batch) > 1 and any(x.shape[:1] != (rows,) for x in outputs.values()):
            self._is_separate = True  # an output has no row for each sample
            for one in batch:
                await self._answer([one])
            return
        _divide(batch, outputs)


def _divide(batch: Sequence[_Waiting], outputs: Arrays) -> None:
    """Give each request its rows."""
    if len(batch) == 1:
        _set(batch[0], outputs)
        return
    start = 0
    for one in batch:
        end = start + one.request.rows
        _set(one, {name: array[start:end] for name, array in outputs.items()})
        start = end


def _set(waiting: _Waiting, result: Any) -> None:
    if waiting.answer.done():
        return
    if isinstance(result, Exception):
        waiting.answer.set_exception(result)
    else:
        waiting.answer.set_result(result)
