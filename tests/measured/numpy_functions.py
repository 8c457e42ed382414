"""What functions of `mx.np` and `mx.npx` give as users call them: values, dtypes and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([[0.5, -1.25, 2.0], [3.5, 0.25, -0.75]], np.float32)
Y = np.array([1.5, 2.0, -0.5], np.float32)
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], np.float32)

# by name: from F (np), G (npx), a matrix, a vector and a square matrix to a result
CALLS: dict[str, Callable[..., Any]] = {
    "where of arrays": lambda F, G, x, y, s: F.where(x > 0, x, y),
    "where, number first": lambda F, G, x, y, s: F.where(x > 0, 7.0, x),
    "where, number last": lambda F, G, x, y, s: F.where(x > 0, x, -7.0),
    "clip from below": lambda F, G, x, y, s: F.clip(x, 0.0, None),
    "sum": lambda F, G, x, y, s: F.sum(x, axis=0, keepdims=True),
    "prod": lambda F, G, x, y, s: F.prod(x, axis=-1),
    "mean of integers that runs over": lambda F, G, x, y, s: F.mean(
        (s * 30).astype("int8"), axis=0, dtype="int8"
    ),
    "mean of integers": lambda F, G, x, y, s: F.mean((s * 30).astype("int8"), keepdims=True),
    "sum that runs over": lambda F, G, x, y, s: F.sum((s * 30).astype("int8")),
    "std": lambda F, G, x, y, s: F.std(x, axis=1, ddof=1),
    "average": lambda F, G, x, y, s: F.average(x, axis=1, weights=F.abs(x), returned=True),
    "cumsum": lambda F, G, x, y, s: F.cumsum(x),
    "argmax": lambda F, G, x, y, s: F.argmax(x, axis=1),
    "sort": lambda F, G, x, y, s: F.sort(x, axis=0),
    "argsort": lambda F, G, x, y, s: F.argsort(x, axis=1),
    "percentile": lambda F, G, x, y, s: F.percentile(x, 30, axis=1, interpolation="lower"),
    "quantile": lambda F, G, x, y, s: F.quantile(x, 0.25, keepdims=True),
    "diff": lambda F, G, x, y, s: F.diff(x, n=2),
    "ediff1d": lambda F, G, x, y, s: F.ediff1d(y, to_begin=9.0, to_end=5.0),
    "polyval": lambda F, G, x, y, s: F.polyval(y, x),
    "around": lambda F, G, x, y, s: F.around(x, 1),
    "nan_to_num": lambda F, G, x, y, s: F.nan_to_num(x / 0.0, posinf=1.0, neginf=-1.0),
    "dot": lambda F, G, x, y, s: F.dot(x, y),
    "matmul": lambda F, G, x, y, s: F.matmul(x, s),
    "inner": lambda F, G, x, y, s: F.inner(x, y),
    "outer": lambda F, G, x, y, s: F.outer(y, x),
    "vdot": lambda F, G, x, y, s: F.vdot(x, x),
    "tensordot": lambda F, G, x, y, s: F.tensordot(x, s, axes=([1], [0])),
    "einsum": lambda F, G, x, y, s: F.einsum("ij,j,jk->ik", x, y, s),
    "transpose": lambda F, G, x, y, s: F.transpose(x),
    "moveaxis": lambda F, G, x, y, s: F.moveaxis(F.expand_dims(x, 0), 0, -1),
    "flip": lambda F, G, x, y, s: F.flip(x, 1),
    "rot90": lambda F, G, x, y, s: F.rot90(x),
    "roll": lambda F, G, x, y, s: F.roll(x, (1, -1), axis=(0, 1)),
    "diag": lambda F, G, x, y, s: F.diag(y, k=1),
    "trace": lambda F, G, x, y, s: F.trace(s, offset=1),
    "tril": lambda F, G, x, y, s: F.tril(s, -1),
    "concatenate": lambda F, G, x, y, s: F.concatenate([x, s], axis=0),
    "concatenate all": lambda F, G, x, y, s: F.concatenate([x, y], axis=None),
    "stack": lambda F, G, x, y, s: F.stack([x, x], axis=1),
    "vstack": lambda F, G, x, y, s: F.vstack([y, y]),
    "dstack": lambda F, G, x, y, s: F.dstack([x, x]),
    "column_stack": lambda F, G, x, y, s: F.column_stack([y, s]),
    "split": lambda F, G, x, y, s: F.split(x, 3, axis=1)[1],
    "array_split": lambda F, G, x, y, s: F.array_split(y, 2)[0],
    "tile": lambda F, G, x, y, s: F.tile(y, (2, 1)),
    "repeat": lambda F, G, x, y, s: F.repeat(x, 2, axis=1),
    "pad": lambda F, G, x, y, s: F.pad(x, ((0, 1), (1, 0)), mode="edge"),
    "resize": lambda F, G, x, y, s: F.resize(x, (2, 5)),
    "resize to a number": lambda F, G, x, y, s: F.resize(x, 4),
    "take": lambda F, G, x, y, s: F.take(x, F.argmax(x, axis=1), axis=1, mode="clip"),
    "meshgrid": lambda F, G, x, y, s: F.meshgrid(y, y)[0],
    "broadcast_to": lambda F, G, x, y, s: F.broadcast_to(y, (2, 3)),
    "zeros_like": lambda F, G, x, y, s: F.zeros_like(x) + F.ones((3,)),
    "arange": lambda F, G, x, y, s: F.arange(1, 4, 0.5) * F.eye(6),
    "linspace": lambda F, G, x, y, s: F.linspace(0, 1, 5, endpoint=False),
    "norm": lambda F, G, x, y, s: F.linalg.norm(x),
    "norm of rows": lambda F, G, x, y, s: F.linalg.norm(x, ord=1, axis=1),
    "det": lambda F, G, x, y, s: F.linalg.det(s),
    "inv": lambda F, G, x, y, s: F.linalg.inv(s),
    "solve": lambda F, G, x, y, s: F.linalg.solve(s, y),
    "tensorsolve, more axes on the right": lambda F, G, x, y, s: F.linalg.tensorsolve(
        F.reshape(y[:1], (1, 1)), F.reshape(x[:1, :1], (1, 1, 1, 1))
    ),
    "tensorsolve, as many axes on both sides": lambda F, G, x, y, s: F.linalg.tensorsolve(
        F.reshape(y[:1], (1, 1, 1)), F.reshape(x[:1, :1], (1, 1, 1))
    ),
    "tensorsolve, two axes more on the right": lambda F, G, x, y, s: F.linalg.tensorsolve(
        F.reshape(s, (1, 3, 3)), F.reshape(y, (1, 1, 3, 1, 1))
    ),
    "delete": lambda F, G, x, y, s: F.delete(x, F.arange(-1, 6, 2, dtype="int64"), 1),
    "delete of the flat array": lambda F, G, x, y, s: F.delete(
        x, F.arange(-6, 9, 5, dtype="int64")
    ),
    "delete of nothing": lambda F, G, x, y, s: F.delete(x[:0], F.arange(2, dtype="int64"), 0),
    "cholesky": lambda F, G, x, y, s: F.linalg.cholesky(s),
    "softmax": lambda F, G, x, y, s: G.softmax(x, axis=0),
    "one_hot": lambda F, G, x, y, s: G.one_hot(F.argmax(x, axis=1), 4),
    "topk": lambda F, G, x, y, s: G.topk(x, k=2, ret_typ="value"),
    "pick": lambda F, G, x, y, s: G.pick(x, F.argmin(x, axis=1)),
    "reshape": lambda F, G, x, y, s: G.reshape(F.expand_dims(x, 0), (-3, -5)),
    "sequence_mask": lambda F, G, x, y, s: G.sequence_mask(
        x, F.abs(y), use_sequence_length=True, value=-1
    ),
    "layer_norm": lambda F, G, x, y, s: G.layer_norm(x, F.ones((3,)), F.zeros((3,)), eps=1e-3),
}


def answered(values: Any) -> Any:
    """The results with their dtypes and shapes."""
    several = values if isinstance(values, (list, tuple)) else [values]
    return [[np.dtype(v.dtype).name, list(v.shape), v] for v in several]


def cases(mx: Any) -> dict[str, Any]:
    """Return the runs of all cases by name."""
    F, G = mx.np, mx.npx
    G.set_np()
    arrays = [F.array(each) for each in (X, Y, SQUARE)]
    return {name: lambda call=call: answered(call(F, G, *arrays)) for name, call in CALLS.items()}
