"""The ASGI application that answers KServe's requests."""

import asyncio
import json
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gluonic._version import __version__
from gluonic.graph.errors import MXNetError
from gluonic.serving.batching import Batcher, Predict, ServerLimits
from gluonic.serving.protocol import RequestError, answer, read_request
from gluonic.support.record import record

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Shape = tuple[int, ...]
_JSON, _TEXT = b"application/json", b"text/plain; version=0.0.4"


@record
class ServedModel:
    """A model that is served.

    Attributes
    ----------
    predict : computes outputs from inputs, by name
    inputs, outputs : their names, and their shapes as far as they are known; -1 is any length
    """

    predict: Predict
    inputs: Mapping[str, Shape]
    outputs: Mapping[str, Shape]


class KServeApplication:
    """Serves models by name.

    Parameters
    ----------
    models : the models
    limits : the limits of each
    """

    def __init__(self, models: Mapping[str, ServedModel], limits: ServerLimits) -> None:
        self._models, self._limits = dict(models), limits
        self._batchers: dict[str, Batcher] = {}
        # One batch of a model at a time: it uses all cores.
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gluonic-serve")
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one connection's request, as ASGI asks for."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Start and stop with the server."""
        await receive()
        for name, model in self._models.items():
            self._batchers[name] = Batcher(model.predict, self._executor, self._limits)
            self._tasks.append(asyncio.create_task(self._batchers[name].run()))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in self._tasks:
            task.cancel()
        self._executor.shutdown(wait=True, cancel_futures=True)
        await send({"type": "lifespan.shutdown.complete"})

    async def _respond(self, scope: Message, receive: Receive, send: Send) -> None:
        kind = _JSON
        try:
            parts = tuple(part for part in scope["path"].split("/") if part)
            if parts == ("metrics",):
                status, kind, body = 200, _TEXT, "\n".join(self._metrics()) + "\n"
            else:
                status, body = (
                    200,
                    json.dumps(await self._found(scope, parts, receive), allow_nan=False),
                )
        except RequestError as error:
            status, body = error.status, json.dumps({"error": str(error)})
        except ConnectionError:
            return  # the client has gone
        except Exception:
            traceback.print_exc(file=sys.stderr)
            status, body = 500, json.dumps({"error": "the server failed"})
        await _send(send, status, kind, body.encode())

    async def _found(self, scope: Message, parts: Sequence[str], receive: Receive) -> Any:
        """What a path leads to."""
        if parts[:1] != ("v2",):
            raise RequestError(404, "there is nothing here; /v2 describes the server")
        match parts[1:]:
            case ("models", name, "infer"):
                _check_method(scope, "POST")
                return await self._infer(name, scope, receive)
            case ():
                found: Any = {"name": "gluonic", "version": __version__, "extensions": []}
            case ("health", "live"):
                found = {"live": True}
            case ("health", "ready"):
                found = {"ready": True}
            case ("models", name):
                found = self._metadata(name)
            case ("models", name, "ready"):
                found = {"name": name, "ready": bool(self._model(name))}
            case _:
                raise RequestError(404, "there is nothing here; /v2 describes the server")
        _check_method(scope, "GET")
        return found

    def _model(self, name: str) -> ServedModel:
        if name not in self._models:
            raise RequestError(
                404, f"there is no such model; the models are {', '.join(self._models)}"
            )
        return self._models[name]

    def _metadata(self, name: str) -> dict[str, Any]:
        model = self._model(name)
        return {
            "name": name,
            "platform": "gluonic",
            "versions": [],
            "inputs": _described(model.inputs),
            "outputs": _described(model.outputs),
        }

    # --------------------------------------------------------------------- predictions

    async def _infer(self, name: str, scope: Message, receive: Receive) -> dict[str, Any]:
        model, batcher = self._model(name), self._batchers[name]
        status = 500
        try:
            body = await _body(scope, receive, self._limits)
            request = read_request(body, tuple(model.inputs), tuple(model.outputs))
            try:
                outputs = await batcher.compute(request)
            except MXNetError as error:
                gist = str(error).partition("\n")[0]
                raise RequestError(400, f"the model refuses the inputs: {gist}") from error
            status = 200
            return answer(name, request, outputs)
        except RequestError as error:
            status = error.status
            raise
        finally:
            batcher.counts.answered(status)

    def _metrics(self) -> Iterator[str]:
        """The counts in Prometheus's format."""
        yield "# TYPE gluonic_requests_total counter"
        for name, batcher in self._batchers.items():
            for status, count in sorted(batcher.counts.answers.items()):
                yield f'gluonic_requests_total{{model="{name}",status="{status}"}} {count}'
        numbers: dict[str, Callable[[Batcher], float]] = {
            "gluonic_rows_total": lambda one: one.counts.rows,
            "gluonic_batches_total": lambda one: one.counts.batches,
            "gluonic_seconds_total": lambda one: one.counts.seconds,
            "gluonic_waiting": lambda one: one.length,
        }
        for metric, read in numbers.items():
            yield f"# TYPE {metric} {'counter' if metric.endswith('total') else 'gauge'}"
            for name, batcher in self._batchers.items():
                yield f'{metric}{{model="{name}"}} {read(batcher):g}'


def _described(tensors: Mapping[str, Shape]) -> list[dict[str, Any]]:
    return [{"name": n, "datatype": "FP32", "shape": [*shape]} for n, shape in tensors.items()]


def _check_method(scope: Message, method: str) -> None:
    if scope["method"] != method and not (method == "GET" and scope["method"] == "HEAD"):
        raise RequestError(405, f"this is for {method}")


async def _body(scope: Message, receive: Receive, limits: ServerLimits) -> bytes:
    """The body of a request, if it is not too long and comes in time."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > limits.body:
        raise RequestError(413, f"a request has at most {limits.body:,} bytes")
    if b"inference-header-content-length" in headers:
        raise RequestError(400, "binary tensors are not supported; data are numbers in JSON")
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.patience):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionError("the client has gone")
                part = message.get("body", b"")
                size += len(part)
                if size > limits.body:
                    raise RequestError(413, f"a request has at most {limits.body:,} bytes")
                parts.append(part)
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError as error:
        raise RequestError(
            408, f"the request took more than {limits.patience:g} seconds"
        ) from error


async def _send(send: Send, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if status == 503:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
