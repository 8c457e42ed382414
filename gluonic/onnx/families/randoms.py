"""Random numbers; two runtimes draw different ones, so `export_model` cannot compare them."""

from typing import Any

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.library import tensor_type
from gluonic.onnx.sizes import all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.use import output_dtype, output_shape, size_vector

randoms = family("random numbers")


def _drawn(o: Any, n: Any, op_type: str, **attributes: Any) -> Any:
    dtype, shape = output_dtype(n), output_shape(n)
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
