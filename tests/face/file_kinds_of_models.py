"""ONNX models, and damage to their structure."""

from __future__ import annotations

import importlib.util
import random
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import gluonic as mx
from gluonic.contrib import onnx as onnx_io
from tests.face.damage import Kind, mutated
from tests.onnx.nets import NETS

_MOST_ELEMENTS = 10_000  # of an input with which a damaged model is run
_NUMBERS = (0, 1, -1, 2, 7, 255, 2**31 - 1, -(2**31), 2**62, -(2**63))
_LOOPS = """
<ir_version: 8, opset_import: ["" : 18]>
agraph (float[N, 4] x, float[4] row) => (float[N, 4] y, float[4] sums, float[K] places) {
    count = Constant <value = int64 {3}> ()
    goes_on = Constant <value = bool {1}> ()
    looped = Loop (count, goes_on, x) <body = step (int64 i, bool c, float[N, 4] a) => (bool d, float[N, 4] b) {
        d = Identity (c)
        t = Tanh (a)
        b = Add (t, a)
    }>
    zero = Constant <value = float {0.0}> ()
    sum, sums = Scan <num_scan_inputs = 1, body = add (float p, float q) => (float r, float s) {
        r = Add (p, q)
        s = Mul (q, r)
    }> (zero, row)
    y = If (goes_on) <
        then_branch = yes () => (float[N, 4] u) { u = Relu (looped) },
        else_branch = no () => (float[N, 4] v) { v = Neg (looped) }
    >
    shape = Shape (x)
    begin = Constant <value = int64 {0}> ()
    unit = Constant <value = int64 {1}> ()
    first = Gather <axis = 0> (shape, begin)
    range = Range (begin, first, unit)
    ones = ConstantOfShape <value = float[1] {1.0}> (shape)
    flat = Constant <value = int64[1] {-1}> ()
    ones_flat = Reshape (ones, flat)
    repeats = Constant <value = int64[1] {2}> ()
    numbers = Cast <to = 1> (range)
    tiled = Tile (numbers, repeats)
    places = Concat <axis = 0> (tiled, ones_flat)
}
"""


def models(folder: Path) -> list[bytes]:
    """Models of several kinds, one with its parameters in a file of its own."""
    import onnx

    found = [onnx.parser.parse_model(_LOOPS).SerializeToString()]
    for name in ("segmenter", "lstm", "bert", "detector"):
        net, inputs, dynamic = NETS[name]()
        net.initialize()
        path = str(folder / "whole.onnx")
        net.export_onnx(path, *inputs, dynamic_input_shapes=dynamic, check=False)
        found.append(Path(path).read_bytes())
    model = onnx.load_model_from_string(found[1])
    onnx.save_model(
        model, path, save_as_external_data=True, location="whole.data", size_threshold=0
    )
    return [*found, Path(path).read_bytes()]


def use_model(folder: Path, data: bytes) -> None:
    """Read a model, and run it."""
    path = folder / "damaged.onnx"
    path.write_bytes(data)
    sizes = onnx_io.get_model_metadata(str(path))["input_tensor_data"]
    symbol, arguments, states = onnx_io.import_model(str(path))
    shapes = {name: tuple(size or 2 for size in shape) for name, shape in sizes}
    read = {name: shapes[name] for name in symbol.list_arguments() if name not in arguments}
    if all(0 < prod(shape) < _MOST_ELEMENTS for shape in read.values()):
        inputs = {name: mx.nd.ones(shape) for name, shape in read.items()}
        executor = symbol.bind(mx.cpu(), {**arguments, **inputs}, aux_states=states)
        for output in executor.forward():
            output.asnumpy()


def rewritten(data: bytes, draw: random.Random) -> bytes:
    """Some fields of a model changed, left out, doubled, or taken from elsewhere in it."""
    import onnx

    model = onnx.load_model_from_string(data)
    for _ in range(draw.choice((1, 1, 2, 4))):
        fields = _fields(model, [])
        message, field, value = draw.choice(fields)
        with suppress(ValueError):  # a number that the field does not hold
            _change(message, field, value, draw.choice(fields)[2], draw)
    contents: bytes = model.SerializeToString()
    return contents


def _fields(message: Any, found: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """All fields that are set, in a message and those inside it."""
    for field, value in message.ListFields():
        found.append((message, field, value))
        if field.message_type is not None:
            for each in value if _is_repeated(value) else [value]:
                _fields(each, found)
    return found


def _is_repeated(value: Any) -> bool:
    return hasattr(value, "extend")


def _change(message: Any, field: Any, value: Any, other: Any, draw: random.Random) -> None:
    name, way = field.name, draw.randrange(5)
    if way == 0:
        message.ClearField(name)
    elif _is_repeated(value):
        place = draw.randrange(len(value))
        if way == 1:
            del value[place]
        elif way == 2 or field.message_type is not None:
            value.extend([value[place]] * draw.choice((1, 1, 100)))
        else:
            value[place] = _like(value[place], other, draw)
    elif field.message_type is None:
        setattr(message, name, _like(value, other, draw))


def _like(value: Any, other: Any, draw: random.Random) -> Any:
    """A value of the same type: the other one where it is, or one that is rare."""
    if type(other) is type(value) and draw.random() < 0.5:
        return other
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value[: draw.randrange(len(value) + 1)] if isinstance(value, (str, bytes)) else value
    number = draw.choice((*_NUMBERS, value + 1, value - 1))
    if isinstance(value, float):
        return draw.choice((float(number), float("nan"), float("inf")))
    return number


KINDS_OF_MODELS = (
    {"onnx": Kind(models, (mutated, rewritten, rewritten), use_model)}
    if importlib.util.find_spec("onnx")
    else {}
)
"""Where the package onnx is installed."""
