"""An example for each operator: its smallest sample, as a program, with what that prints."""

import contextlib
import keyword
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import gluonic as mx
from gluonic.graph.attributes import REQUIRED
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.numpy_names import is_numpy_name
from gluonic.graph.operator import REGISTRY
from tests.graph.registry_samples import SAMPLES, application_of
from tests.graph.samples.sample import Sample

_SHOWN = 16
"""The most elements of an array that are written out."""
_NOT_FINITE = re.compile(r"\b(inf|nan)\b")


def example(name: str) -> str:
    """A program that calls an operator, and what it prints; empty for operators of `mx.np`."""
    if name not in SAMPLES or is_numpy_name(name):
        return ""
    sample = min(SAMPLES[name], key=lambda each: _cost(name, each))
    lines = list(_program(name, sample))
    names: dict[str, Any] = {}
    exec("\n".join(["from gluonic import autograd, nd", "import numpy as np", *lines[:-1]]), names)
    mx.random.seed(1)
    with autograd_mode(sample):
        result = eval(lines[-1], names)
    shown = result if isinstance(result, (list, tuple)) else [result]
    if all(each.stype != "default" or 0 < each.size <= _SHOWN for each in shown):
        printed = repr(result).strip()
    elif isinstance(result, (list, tuple)):
        lines[-1] = f"[each.shape for each in {lines[-1]}]"
        printed = repr([each.shape for each in result])
    else:
        lines[-1] += ".shape"
        printed = repr(result.shape)
    return "\n".join([*(f">>> {line}" for line in lines), printed])


def autograd_mode(sample: Sample) -> contextlib.AbstractContextManager[Any]:
    """The mode in which a sample runs."""
    return mx.autograd.train_mode() if sample.train else contextlib.nullcontext()


def _cost(name: str, sample: Sample) -> int:
    """Small samples are read easily; empty ones show nothing, nor does a single array of any number."""
    sizes = [array.size for array in sample.inputs]
    is_telling = all(sizes) and (REGISTRY[name].variadic is None or len(sizes) > 1)
    return sum(sizes) if is_telling else 1 << 30


def _program(name: str, sample: Sample) -> Iterator[str]:
    operator = REGISTRY[name]
    inputs = application_of(name, sample).inputs
    by_position = operator.variadic is not None or inputs == operator.inputs[: len(inputs)]
    arguments = []
    for title, array in zip(inputs, sample.inputs, strict=True):
        variable = f"{title}_" if keyword.iskeyword(title) else title
        yield f"{variable} = {_written(array)}"
        arguments.append(variable if by_position else f"{title}={variable}")
    for key, value in sample.attributes.items():
        default = operator.attributes[key].default
        if key != operator.count and (default is REQUIRED or default != value):
            arguments.append(f"{key}={_value(value)}")
    public = public_name_of(name)
    path = ["nd", *([] if public.module == "op" else [public.module]), public.name]
    yield f"{'.'.join(path)}({', '.join(arguments)})"


def _value(value: Any) -> str:
    return repr(value.name if isinstance(value, np.dtype) else value)


def _written(array: npt.NDArray[Any]) -> str:
    """An array as an expression: of its rounded elements, or of random numbers in their range."""
    shape = array.shape
    if array.size <= _SHOWN:
        kind = "" if array.dtype.kind == "f" else f", dtype={array.dtype.name!r}"
        rounded = np.round(array, 2) + 0.0 if array.dtype.kind == "f" else array
        return _NOT_FINITE.sub(r"np.\g<0>", f"nd.array({rounded.tolist()}{kind})")
    low, high = array.min(), array.max()
    if array.dtype.kind != "f" or np.array_equal(array, np.round(array)):
        kind = "float32" if array.dtype.kind == "f" else array.dtype.name
        return f"nd.random.randint({int(low)}, {int(high) + 1}, shape={shape}).astype({kind!r})"
    return f"nd.random.uniform({low:.1f}, {high:.1f}, shape={shape})"
