"""Runs uses of operators with the real MXNet: a line of JSON in, a line out. `operators.py` starts it.

A use names the operator, its attributes as text, its inputs, those whose gradients are wanted, what
flows in from behind, the mode and the seed.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import re
import sys
from typing import Any

import numpy as np

_MOST, _SOME = 20, 8
_PASSING = r"0x[0-9a-f]+|\[\d\d:\d\d:\d\d\]|node_\d+"


def made(dtype: str, shape: list[int], numbers: list[Any]) -> Any:
    """Return the array that was written as a list."""
    return np.array(numbers, dtype).reshape(shape)


def summary(array: Any) -> list[Any]:
    """Return dtype, shape and the numbers in a row; of many some, and a weighted sum of all.

    Numbers have six digits.
    """
    values = np.asarray(array)
    flat = values.reshape(-1)
    if flat.size > _MOST:
        chosen = flat[np.linspace(0, flat.size - 1, _SOME).astype(int)].tolist()
        chosen.append(float(weights(flat.size) @ flat.astype(np.float64)))
    else:
        chosen = flat.tolist()
    numbers = [float(f"{x:.6g}") if isinstance(x, float) else x for x in chosen]
    return [str(values.dtype), list(values.shape), numbers]


def weights(size: int) -> Any:
    """Return what elements are weighted by in the sum of all."""
    return np.cos(np.arange(size))


def _handle(mx: Any, names: list[str]) -> Any:
    """Return MXNet's operator of one of the names, None if there is none."""
    for name in names:
        handle = ctypes.c_void_p()
        if not mx.base._LIB.NNGetOpHandle(name.encode(), ctypes.byref(handle)):
            return handle.value
    return None


def run(mx: Any, handle: Any, use: dict[str, Any], into: Any = None) -> dict[str, Any]:
    """Call an operator, then go back from its floating outputs."""
    invoke = importlib.import_module("mxnet._ctypes.ndarray")._imperative_invoke
    given = [made(*each) for each in use["inputs"]]
    arrays = [mx.nd.array(value, dtype=value.dtype) for value in given]
    for i in use["wanted"]:
        arrays[i].attach_grad()
    mx.random.seed(use["seed"])
    keys, values = list(use["attributes"]), list(use["attributes"].values())
    grad, mode = mx.autograd, use["train"]
    apart = grad.train_mode() if mode else grad.predict_mode()
    with grad.record(train_mode=mode) if use["wanted"] else apart:
        outputs = invoke(handle, arrays, keys, values, into, False, True)
    results: dict[str, Any] = {"outputs": [summary(output.asnumpy()) for output in outputs]}
    heads = [
        (output, mx.nd.array(made(*head), dtype=head[0]))
        for output, head in zip(outputs, use["heads"])  # noqa: B905 (MXNet's Python is an old one)
        if head is not None
    ]
    if use["wanted"] and heads:
        try:
            grad.backward([output for output, _ in heads], [head for _, head in heads])
            results["gradients"] = [summary(arrays[i].grad.asnumpy()) for i in use["wanted"]]
        except mx.MXNetError as error:
            results["no gradient"] = _gist(error)
    mx.nd.waitall()
    after = [array.asnumpy() for array in arrays]
    results["changed"] = {
        str(i): summary(after[i])
        for i, value in enumerate(given)
        if value.tobytes() != after[i].tobytes()
    }
    return results


def _gist(error: Exception) -> str:
    """Return the message of an error of MXNet, without the location in its sources."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    line = next((line for line in lines if "Error: " in line), lines[-1])
    return re.sub(_PASSING, "…", line.split("Error: ", 1)[-1])[:120]


def answer(mx: Any, use: dict[str, Any]) -> dict[str, Any]:
    """Run a use; where MXNet refuses it, in other ways."""
    handle = _handle(mx, use["names"])
    if handle is None:
        return {"lacks": True}
    of_numpy = use["names"][0].startswith("_np")  # whose results may have no axes
    try:
        return _with_empty_shapes(mx, handle, use) if of_numpy else run(mx, handle, use)
    except Exception as error:
        first = _gist(error)
    for way in (_with_empty_shapes, _into):
        try:
            return way(mx, handle, use)
        except Exception:  # what is refused is a result, too
            continue
    return {"refused": first}


def _with_empty_shapes(mx: Any, handle: Any, use: dict[str, Any]) -> dict[str, Any]:
    """Run a use with shapes as NumPy has them, which may be empty."""
    with mx.util.np_shape(True):
        return run(mx, handle, use)


def _into(mx: Any, handle: Any, use: dict[str, Any]) -> dict[str, Any]:
    """Run a use into arrays that are there: operators with many outputs do not infer their shapes."""
    into = [mx.nd.zeros(tuple(shape), dtype=dtype) for dtype, shape in use["outputs"]]
    return run(mx, handle, {**use, "wanted": []}, into)


def main() -> None:
    """Answer until there is no line more."""
    mx = importlib.import_module("mxnet")
    for line in sys.stdin:
        print(json.dumps(answer(mx, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
