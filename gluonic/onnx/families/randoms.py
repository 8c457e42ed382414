"""Random numbers; two runtimes draw different ones, so `export_model` cannot compare them."""

from math import prod
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.library import tensor_type
from gluonic.onnx.sizes import all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.use import fixed, output_dtype, output_shape, shape_of, size_vector

randoms = family("random numbers")
randoms.leave_out(
    "ONNX draws uniform, normal and categorical numbers only",
    "_random_exponential", "_random_gamma", "_random_generalized_negative_binomial",
    "_random_negative_binomial", "_random_poisson", "_sample_exponential", "_sample_gamma",
    "_sample_generalized_negative_binomial", "_sample_negative_binomial", "_sample_poisson",
)  # fmt: skip


def _drawn(o: Any, n: Any, op_type: str, **attributes: Any) -> Any:
    dtype, shape = output_dtype(n), output_shape(n)
    if dtype.itemsize < 4:  # what ONNX Runtime does not draw
        dtype = np.dtype(np.float32)
    attributes["dtype"] = tensor_type(dtype)
    if all_fixed(shape):
        return getattr(o, op_type)(shape=list(shape), **attributes, result=dtype)
    zeros = o.ConstantOfShape(size_vector(n, shape), result="float32")
    return getattr(o, f"{op_type}Like")(zeros, **attributes, result=dtype)


@randoms.write("_random_uniform", "_random_uniform_like", "_npi_uniform")
def _(o: Any, n: Any) -> Any:
    low, high = (0.0 if n.low is None else float(n.low), 1.0 if n.high is None else float(n.high))
    if low > high:
        raise NotExportable(f"low={low} is more than high={high}")
    return _drawn(o, n, "RandomUniform", low=low, high=high)


@randoms.write("_random_normal", "_random_normal_like", "_npi_normal")
def _(o: Any, n: Any) -> Any:
    return _drawn(
        o,
        n,
        "RandomNormal",
        mean=float(n.loc or 0),
        scale=1.0 if n.scale is None else float(n.scale),
    )


def _beside(o: Any, n: Any, value: Any) -> Any:
    """A parameter of a distribution, with axes for the numbers that are drawn from it."""
    own, shown = len(shape_of(n, 0)), len(output_shape(n))
    value = o.cast(value, output_dtype(n))
    return o.unsqueeze(value, *range(own, shown)) if shown > own else value


@randoms.write("_sample_normal")
def _(o: Any, n: Any) -> Any:
    drawn = _drawn(o, n, "RandomNormal", mean=0.0, scale=1.0)
    return o.Add(o.Mul(drawn, _beside(o, n, n.sigma)), _beside(o, n, n.mu))


@randoms.write("_sample_uniform")
def _(o: Any, n: Any) -> Any:
    drawn = _drawn(o, n, "RandomUniform", low=0.0, high=1.0)
    low = _beside(o, n, n.low)
    return o.Add(o.Mul(drawn, o.Sub(_beside(o, n, n.high), low)), low)


@randoms.write("_random_randint")
def _(o: Any, n: Any) -> Any:
    shape = output_shape(n)
    if not all_fixed(shape):
        raise NotExportable("a shape that depends on the inputs")
    low, high = float(n.low), float(n.high)
    kind = tensor_type(np.float64)
    drawn = o.RandomUniform(shape=list(shape), dtype=kind, low=low, high=high, result=np.float64)
    return o.Floor(drawn)


@randoms.write("_sample_multinomial")
def _(o: Any, n: Any) -> Any:
    categories = fixed(shape_of(n, 0)[-1], "the number of categories")
    logarithms = o.Log(o.Reshape(n.data, [-1, categories]))
    settings = {"sample_size": prod(n.shape), "dtype": tensor_type(np.int64)}
    drawn = o.Multinomial(logarithms, **settings, result=np.int64)
    results = [drawn, o.GatherElements(logarithms, drawn, axis=1)] if n.get_prob else [drawn]
    return [o.Reshape(each, size_vector(n, output_shape(n))) for each in results]
