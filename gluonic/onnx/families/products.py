"""Products of matrices, attention."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.table import family
from gluonic.onnx.use import one_element, output_shape, reshaped, shape_of, size_vector

products = family("products")


@products.write("FullyConnected")
def _(o: Any, n: Any) -> Any:
    data, shape = n.data, shape_of(n, "data")
    if n.flatten or len(shape) == 2:
        if len(shape) != 2:
            data = o.Flatten(data, axis=1)
        return o.Gemm(data, n.weight, n.bias, transB=1)
    product = o.MatMul(data, o.Transpose(n.weight, perm=[1, 0]))
    return product if n.bias is None else o.Add(product, n.bias)


def transposed(o: Any, value: Any, rank: int) -> Any:
    """Matrices with rows and columns exchanged."""
    axes = list(range(rank))
    axes[-2:] = axes[:-3:-1]
    return o.Transpose(value, perm=axes)


@products.write("batch_dot")
def _(o: Any, n: Any) -> Any:
    return o.MatMul(*_factors(o, n, n.lhs, n.rhs))


def _factors(o: Any, n: Any, lhs: Any, rhs: Any) -> tuple[Any, Any]:
    """The factors of a product, transposed where the attributes say so."""
    if n.transpose_a:
        lhs = transposed(o, lhs, len(shape_of(n, 0)))
    if n.transpose_b:
        rhs = transposed(o, rhs, len(shape_of(n, 1)))
    return lhs, rhs


@products.write("dot")
def _(o: Any, n: Any) -> Any:
    (a, b), lhs, rhs = (shape_of(n, 0), shape_of(n, 1)), n.lhs, n.rhs
    if n.transpose_a and len(a) > 1:
        lhs = o.Transpose(lhs, perm=[*range(1, len(a)), 0])
        a = (*a[1:], a[0])
    if n.transpose_b and len(b) > 1:
        rhs = o.Transpose(rhs, perm=[len(b) - 1, *range(len(b) - 1)])
        b = (b[-1], *b[:-1])
    if len(b) <= 2 and len(a) >= 1:
        product = o.MatMul(lhs, rhs)
        return o.Reshape(product, [1]) if len(a) == len(b) == 1 else product
    columns: Any = 1
    for extent in b[1:]:
        columns = columns * extent
    product = o.MatMul(lhs, reshaped(o, n, rhs, b, (b[0], columns)))
    return reshaped(o, n, product, (*a[:-1], columns), output_shape(n))


@products.write("_npi_matmul")
def _(o: Any, n: Any) -> Any:
    return o.MatMul(*n.inputs)


@products.write("_np_dot")
def _(o: Any, n: Any) -> Any:
    (a, b), (lhs, rhs) = (shape_of(n, 0), shape_of(n, 1)), n.inputs
    if not a or not b:
        return o.Mul(lhs, rhs)
    if len(a) > 1 and len(b) > 2:
        letters = "abcdefghijklmnopqrstuvwxy"
        left, right = letters[: len(a) - 1], letters[len(a) - 1 :][: len(b) - 1]
        return o.Einsum(lhs, rhs, equation=f"{left}z,{right[:-1]}z{right[-1]}->{left}{right}")
    return o.MatMul(lhs, rhs)


def _rows_last(axis: int, rank: int) -> tuple[list[int], list[int]]:
    """The order of axes in which that of the rows is the last but one, and the way back."""
    order = [each for each in range(rank) if each != axis % rank]
    order.insert(rank - 2, axis % rank)
    return order, [order.index(each) for each in range(rank)]


def _turned(o: Any, value: Any, order: Sequence[int]) -> Any:
    return value if list(order) == sorted(order) else o.Transpose(value, perm=order)


@products.write("_linalg_gemm2", "_linalg_gemm")
def _(o: Any, n: Any) -> Any:
    order, back = _rows_last(n.axis, len(shape_of(n, 0)))
    product = o.MatMul(*_factors(o, n, *(_turned(o, each, order) for each in (n.A, n.B))))
    product = _turned(o, product, back)
    if n.alpha != 1:
        product = o.Mul(product, n.alpha)
    return product if len(n.inputs) == 2 else o.Add(product, o.Mul(n.C, n.beta))


@products.write("_linalg_syrk")
def _(o: Any, n: Any) -> Any:
    flipped = transposed(o, n.A, len(shape_of(n, 0)))
    product = o.MatMul(flipped, n.A) if n.transpose else o.MatMul(n.A, flipped)
    return o.Mul(product, n.alpha)


@products.write("_linalg_trmm")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    factor = o.Trilu(n.A, None, upper=int(not n.lower))
    factor = transposed(o, factor, rank) if n.transpose else factor
    product = o.MatMul(n.B, factor) if n.rightside else o.MatMul(factor, n.B)
    return o.Mul(product, n.alpha)


@products.write("_linalg_sumlogdiag")
def _(o: Any, n: Any) -> Any:
    size = shape_of(n, 0)[-1]
    if not isinstance(size, int):
        raise NotExportable("a matrix whose size depends on the inputs")
    masked = o.Mul(n.A, np.eye(size, dtype=n.A.dtype))
    return one_element(
        o, n, o.reduce("ReduceSum", o.Log(o.reduce("ReduceSum", masked, [-1])), [-1])
    )


@products.write("_linalg_det")
def _(o: Any, n: Any) -> Any:
    return one_element(o, n, o.Det(n.A))


@products.write("_npi_einsum")
def _(o: Any, n: Any) -> Any:
    return o.Einsum(*n.inputs, equation=n.subscripts.replace(" ", ""))


def _heads(
    o: Any, n: Any, value: Any, shape: Sequence[Any], parts: int, which: int, heads: int
) -> Any:
    """One part of all heads as matrices, (batch · heads, length, size)."""
    length, batch, width = shape
    size = width // (heads * parts)
    by_head = o.Reshape(value, size_vector(n, (length, batch * heads, parts, size)))
    part = o.Gather(by_head, np.array(which, np.int64), axis=2)
    return o.Transpose(part, perm=[1, 0, 2])


def _scores(o: Any, n: Any, queries: Any, keys: Any, width: Any, heads: int) -> Any:
    if not isinstance(width, int):
        raise NotExportable("a width that depends on the inputs")
    scaled = o.Mul(queries, float((width // heads) ** -0.5))
    return o.MatMul(scaled, o.Transpose(keys, perm=[0, 2, 1]))


def _joined(o: Any, n: Any, values: Any) -> Any:
    return o.Reshape(o.Transpose(values, perm=[1, 0, 2]), size_vector(n, output_shape(n)))


@products.write("_contrib_interleaved_matmul_selfatt_qk")
def _(o: Any, n: Any) -> Any:
    shape = shape_of(n, 0)
    queries, keys = (_heads(o, n, n.queries_keys_values, shape, 3, i, n.heads) for i in (0, 1))
    return _scores(o, n, queries, keys, shape[2] // 3, n.heads)


@products.write("_contrib_interleaved_matmul_selfatt_valatt")
def _(o: Any, n: Any) -> Any:
    values = _heads(o, n, n.queries_keys_values, shape_of(n, 0), 3, 2, n.heads)
    return _joined(o, n, o.MatMul(n.attention, values))


@products.write("_contrib_interleaved_matmul_encdec_qk")
def _(o: Any, n: Any) -> Any:
    queries = _heads(o, n, n.queries, shape_of(n, 0), 1, 0, n.heads)
    keys = _heads(o, n, n.keys_values, shape_of(n, 1), 2, 0, n.heads)
    return _scores(o, n, queries, keys, shape_of(n, 0)[2], n.heads)


@products.write("_contrib_interleaved_matmul_encdec_valatt")
def _(o: Any, n: Any) -> Any:
    values = _heads(o, n, n.keys_values, shape_of(n, 0), 2, 1, n.heads)
    return _joined(o, n, o.MatMul(n.attention, values))


@products.write("_contrib_div_sqrt_dim")
def _(o: Any, n: Any) -> Any:
    size = o.cast(size_vector(n, shape_of(n, 0)[-1:]), n.data.dtype)
    return o.Div(n.data, o.Sqrt(size))


# ------------------------------------------------------------------------ reading


@products.read("Gemm")
def _(F: Any, n: Any) -> Any:
    alpha, beta = n.attribute("alpha", 1.0), n.attribute("beta", 1.0)
    flips = n.attribute("transA", 0), n.attribute("transB", 0)
    weight, bias = n.known_or_none(1), n.known_or_none(2)
    is_layer = weight is not None and alpha == 1 and not flips[0] and n.dtype().kind == "f"
    if is_layer and (
        not n.has(2)
        or (bias is not None and beta == 1 and bias.shape == (n.shape(1)[1 - flips[1]],))
    ):
        assert weight is not None
        rows = n[1] if flips[1] else n.constant(np.ascontiguousarray(weight.T), n.inputs[1].name)
        return F.FullyConnected(
            n[0], rows, n[2], num_hidden=n.shape(1)[1 - flips[1]], no_bias=not n.has(2)
        )
    product = F.dot(n[0], n[1], transpose_a=bool(flips[0]), transpose_b=bool(flips[1]))
    product = product if alpha == 1 else product * alpha
    if not n.has(2):
        return product
    return F.broadcast_add(product, n[2] if beta == 1 else n[2] * beta)


@products.read("MatMul")
def _(F: Any, n: Any) -> Any:
    weight = n.known_or_none(1)
    if weight is not None and weight.ndim == 2 and n.rank(0) > 1 and n.dtype().kind == "f":
        rows = n.constant(np.ascontiguousarray(weight.T), n.inputs[1].name)
        return F.FullyConnected(n[0], rows, num_hidden=weight.shape[1], no_bias=True, flatten=False)
    if n.dtype().kind in "iu":
        product = F._npi_matmul(*[F.Cast(each, dtype="float64") for each in n.entries])
        return F.Cast(product, dtype=n.dtype().name)
    if n.rank(0) == n.rank(1) == 3:
        return F.batch_dot(n[0], n[1])
    return F._npi_matmul(n[0], n[1])


@products.read("Einsum")
def _(F: Any, n: Any) -> Any:
    return F._npi_einsum(*n.entries, subscripts=n.attribute("equation").replace(" ", ""))


@products.read("Det")
def _(F: Any, n: Any) -> Any:
    return F._npi_det(n[0])
