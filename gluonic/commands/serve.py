"""``gluonic serve MODEL…``: predictions over HTTP, with KServe's protocol."""

import argparse
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic import ndarray as nd
from gluonic.graph.errors import NotThereError, describe
from gluonic.serving.application import KServeApplication, ServedModel
from gluonic.serving.batching import ServerLimits
from gluonic.serving.protocol import Arrays
from gluonic.support.extras import how_to_install
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.model_files import add_shapes, stem_of
from gluonic.tools.models import Model

_NAME = re.compile(r"[\w.-]+\Z", re.ASCII)
_USUAL = ServerLimits()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, where to listen, and the limits."""
    parser.add_argument(
        "models", nargs="+", metavar="[NAME=]MODEL", help="symbol JSON, its parameters beside it"
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="the address; by default this machine alone")
    add("--port", type=int, default=8000, help="by default 8000; 0 takes a free one")
    add_shapes(parser)
    add = parser.add_argument_group("limits").add_argument
    add("--batch", type=int, default=_USUAL.rows, help=f"rows of a batch, {_USUAL.rows}")
    add(
        "--delay",
        type=float,
        default=1000 * _USUAL.delay,
        help=f"milliseconds that a request waits for others, {1000 * _USUAL.delay:g}",
    )
    add("--queue", type=int, default=_USUAL.waiting, help=f"waiting requests, {_USUAL.waiting}")
    add("--connections", type=int, default=1000, help="connections, 1000")
    add("--most-bytes", type=int, default=_USUAL.body, help=f"bytes of a request, {_USUAL.body}")
    add(
        "--patience",
        type=float,
        default=_USUAL.patience,
        help=f"seconds that a client may take to send a request, {_USUAL.patience:g}",
    )


def run(options: argparse.Namespace) -> Answer:
    """Serve until a signal ends it."""
    try:
        import uvicorn
    except ImportError as error:
        raise NotThereError(
            describe("serving needs uvicorn", hint=how_to_install("serve"))
        ) from error
    limits = ServerLimits(
        options.batch, options.delay / 1000, options.queue, options.most_bytes, options.patience
    )
    if min(limits.rows, limits.waiting, limits.body, options.connections) < 1 or limits.delay < 0:
        raise CommandError("limits must be positive")
    models = _loaded(options.models, dict(options.shape), limits.rows)
    config = uvicorn.Config(
        KServeApplication(models, limits),
        lifespan="on",
        log_level="warning",
        access_log=False,
        limit_concurrency=options.connections,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
    )
    with _listening(options.host, options.port) as listener:
        host, port = listener.getsockname()[:2]
        print(f"serving {', '.join(models)} at http://{host}:{port}/v2", flush=True)
        uvicorn.Server(config).run(sockets=[listener])
    return Answer({"served": [*models]}, ())


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024)


def _loaded(
    given: list[str], shapes: Mapping[str, tuple[int, ...]], rows: int
) -> Mapping[str, ServedModel]:
    """Load models; those whose inputs have known shapes are compiled for batches up to `rows` now."""
    models: dict[str, ServedModel] = {}
    unused = set(shapes)
    for one in given:
        named, equals, rest = one.partition("=")
        file = Path(rest if equals else one)
        name = named if equals else stem_of(file)
        if not _NAME.match(name) or name in models:
            raise CommandError(
                f"{name!r} cannot be the name of a model, or is another's already",
                hint=f"net={file}: letters, digits, dots and dashes",
            )
        model = Model(file)
        model.shapes = {one: shapes[one] for one in model.data if one in shapes}
        unused -= model.shapes.keys()
        if len(model.shapes) == len(model.data):
            for batch in sorted({1, min(2, rows), rows}):  # the second size prepares for all others
                model(model.sample(batch))
        models[name] = _served(model)
    if unused:
        raise CommandError(f"no model has an input {', '.join(sorted(unused))}")
    return models


def _served(model: Model) -> ServedModel:
    def predict(inputs: Arrays) -> Arrays:
        results: list[Any] = model({n: nd.array(x, dtype=x.dtype) for n, x in inputs.items()})
        return {name: x.asnumpy() for name, x in zip(model.outputs, results, strict=True)}

    known = {name: x.shape for name, x in model.values().items()} | model.shapes
    facts = facts_of(model.graph, SHAPE, known)
    variables = {node.name: node.entry() for node in model.graph.variables}
    entries = [variables[name] for name in model.data]
    inputs, outputs = (
        dict(zip(names, (_shape(facts[e.node][e.index]) for e in part), strict=True))
        for names, part in ((model.data, entries), (model.outputs, model.graph.outputs))
    )
    return ServedModel(predict, inputs, outputs)


def _shape(known: Sequence[int | None] | None) -> tuple[int, ...]:
    """A shape for clients; the first axis is the batch."""
    return (-1,) if known is None else (-1, *(-1 if n is None else n for n in known[1:]))
