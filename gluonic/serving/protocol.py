"""KServe's protocol, version 2: requests and answers as JSON, to and from arrays. Requests are not trusted."""

import json
import math
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.support.record import record

DTYPES = {
    "BOOL": "bool",
    "UINT8": "uint8",
    "INT8": "int8",
    "INT32": "int32",
    "INT64": "int64",
    "FP16": "float16",
    "FP32": "float32",
    "FP64": "float64",
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_MOST_AXES = 32
Arrays = dict[str, np.ndarray[Any, Any]]


class RequestError(Exception):
    """A request that cannot be answered.

    Parameters
    ----------
    status : HTTP's status
    problem : what is wrong, for the client
    """

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


@record
class Request:
    """A request for predictions.

    Attributes
    ----------
    inputs : arrays by name, all of the same length
    rows : their length
    outputs : the names of the outputs to return; None for all
    id : what the client calls the request
    """

    inputs: Arrays
    rows: int
    outputs: tuple[str, ...] | None
    id: str | None


def read_request(body: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> Request:
    """Read a request.

    Parameters
    ----------
    body : its JSON
    inputs, outputs : the names that the model has

    Raises
    ------
    RequestError
        if it is not one, or not for this model
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("inputs"), list):
        raise RequestError(400, 'the body has no list "inputs"')
    arrays: Arrays = {}
    for tensor in document["inputs"]:
        name = tensor.get("name") if isinstance(tensor, dict) else None
        if not isinstance(name, str) or name not in inputs:
            raise RequestError(
                400, f"the inputs are {', '.join(inputs)}, and one is {_short(name)}"
            )
        if name in arrays:
            raise RequestError(400, f"{name} is there twice")
        arrays[name] = _read_tensor(name, tensor)
    missing = [name for name in inputs if name not in arrays]
    if missing:
        raise RequestError(400, f"there is no input {', '.join(missing)}")
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise RequestError(400, "the first axis of every input is the batch, of the same length")
    identity = document.get("id")
    if identity is not None and not isinstance(identity, str):
        raise RequestError(400, '"id" must be a text')
    return Request(arrays, lengths.pop(), _wanted(document, outputs), identity)


def _wanted(document: Mapping[str, Any], outputs: Sequence[str]) -> tuple[str, ...] | None:
    """The names of the outputs that a request wants."""
    wanted = document.get("outputs")
    if wanted is None or wanted == []:
        return None
    names = (
        [one.get("name") if isinstance(one, dict) else None for one in wanted]
        if isinstance(wanted, list)
        else [None]
    )
    if not all(isinstance(name, str) and name in outputs for name in names):
        raise RequestError(400, f"the outputs are {', '.join(outputs)}")
    return tuple(names)  # type: ignore[arg-type]


def _read_tensor(name: str, tensor: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    shape, data = tensor.get("shape"), tensor.get("data")
    is_shape = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not is_shape or not shape or len(shape) > _MOST_AXES:
        raise RequestError(400, f"{name}: the shape must be a list of lengths, not {_short(shape)}")
    datatype = tensor.get("datatype")
    if not isinstance(datatype, str) or datatype not in DTYPES:
        known = ", ".join(DTYPES)
        raise RequestError(
            400, f"{name}: the datatype must be one of {known}, not {_short(datatype)}"
        )
    if not isinstance(data, list):
        raise RequestError(400, f'{name}: "data" must be a list of numbers')
    try:
        values = np.asarray(data)
    except ValueError as error:
        raise RequestError(400, f"{name}: the data are nested unevenly") from error
    if values.size and values.dtype.kind not in "biuf":
        raise RequestError(400, f"{name}: the data are not numbers")
    if values.size != prod(shape):
        raise RequestError(400, f"{name}: {values.size} numbers do not fill the shape {shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        return values.reshape(shape).astype(DTYPES[datatype])


def answer(model: str, request: Request, outputs: Arrays) -> dict[str, Any]:
    """The answer to a request, ready for JSON."""
    names = request.outputs or tuple(outputs)
    found: dict[str, Any] = {
        "model_name": model,
        "outputs": [_tensor(name, outputs[name]) for name in names],
    }
    return found if request.id is None else {**found, "id": request.id}


def _tensor(name: str, array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if array.dtype.name not in _NAMES:
        array = array.astype(np.float32)  # bfloat16, which JSON's readers do not know
    return {
        "name": name,
        "shape": list(array.shape),
        "datatype": _NAMES[array.dtype.name],
        "data": _numbers(array.reshape(-1)),
    }


def _numbers(flat: np.ndarray[Any, Any]) -> list[Any]:
    """Numbers for JSON, which has null for what is none."""
    numbers: list[Any] = flat.tolist()
    if flat.dtype.kind != "f" or np.isfinite(flat).all():
        return numbers
    return [number if math.isfinite(number) else None for number in numbers]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:80]} …"
