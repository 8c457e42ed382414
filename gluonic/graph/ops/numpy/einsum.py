"""Einstein summation, and its gradient, which is another such sum."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.attributes import Positive
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import wide
from gluonic.graph.rules import broadcast_shapes
from gluonic.graph.view import PartialShape, Unknown, peek, put, slots_of, title_of, unify

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def spelt_out(subscripts: str, ranks: Sequence[int], title: str) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with dots and an implied result written out.

    >>> spelt_out("...ij,jk", (3, 2), "einsum")
    (['Aij', 'jk'], 'Aik')
    """
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    operands = given.split(",")
    if len(operands) != len(ranks):
        raise InferenceError(
            f"{title}: {subscripts!r} has {len(operands)} operands, not {len(ranks)}"
        )
    free = [letter for letter in _ALPHABET if letter not in text]
    counts = [rank - len(one.replace("...", "")) for one, rank in zip(operands, ranks, strict=True)]
    for one, rank, count in zip(operands, ranks, counts, strict=True):
        if count < 0 or (count > 0 and "..." not in one):
            raise InferenceError(f"{title}: {one!r} does not name {rank} axes")
    most = max((c for c, one in zip(counts, operands, strict=True) if "..." in one), default=0)
    dots = "".join(free[:most])
    spelt = [
        one.replace("...", dots[most - count :])
        for one, count in zip(operands, counts, strict=True)
    ]
    if arrow:
        return spelt, result.replace("...", dots)
    once = [c for c in sorted(set(given) - set(",.")) if given.count(c) == 1]
    return spelt, dots + "".join(once)


def _extents(
    spelt: Sequence[str], shapes: Sequence[PartialShape], title: str
) -> dict[str, int | None]:
    extents: dict[str, Any] = {}
    for text, shape in zip(spelt, shapes, strict=True):
        for letter, extent in zip(text, shape, strict=True):
            if letter in extents:
                (extents[letter],) = broadcast_shapes((extents[letter],), (extent,), title)
            else:
                extents[letter] = extent
    return extents


@operator("_npi_einsum", count="num_args")
def einsum(*data: Array, num_args: Positive, subscripts: str = "", optimize: int = 0) -> Any:
    """Multiply arrays and sum over axes, by Einstein's summation convention.

    Parameters
    ----------
    data : arrays of one dtype
    num_args : number of inputs
    subscripts : a letter for each axis of each array, and after ``->`` those that remain; three dots
        stand for axes that are broadcast
    optimize : whether to look for the fastest order of products
    """
    found = np.einsum(subscripts, *map(wide, data), optimize=bool(optimize) or len(data) > 2)
    return np.array(found) if not isinstance(found, np.ndarray) else found.copy()


@einsum.infer_shape
def _(n: Any) -> None:
    if any(shape is None for shape in n.data):
        raise Unknown
    title = title_of(n)
    spelt, result = spelt_out(n.subscripts, [len(shape) for shape in n.data], title)
    extents = _extents(spelt, n.data, title)
    missing = [letter for letter in result if letter not in extents]
    if missing:
        raise InferenceError(f"{title}: no operand has the axis {missing[0]!r} of the result")
    n.output = tuple(extents[letter] for letter in result)


def _one_dtype(n: Any) -> None:
    known = None
    for name, dtype in slots_of(n).items():
        known = unify(known, dtype, f"{title_of(n)}: {name}")
    if known is not None:
        for name in slots_of(n):
            put(n, name, known)


einsum.infer_dtype(_one_dtype)


@einsum.all_gradients
def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
    return {
        f"data{i}": F._backward_npi_einsum(
            heads[0], *n.data, num_args=n.num_args, subscripts=n.subscripts, operand=i
        )
        for i in range(n.num_args)
    }


@operator("_backward_npi_einsum", count="num_args", dtype=_one_dtype)
def einsum_back(
    grad: Array, *data: Array, num_args: int, subscripts: str = "", operand: int = 0
) -> Any:
    """The gradient of one operand through `_npi_einsum`; of that operand only the shape matters."""
    spelt, result = spelt_out(subscripts, [array.ndim for array in data], "_backward_npi_einsum")
    target, own = data[operand], spelt[operand]
    once = "".join(dict.fromkeys(own))
    others = [i for i in range(len(data)) if i != operand]
    texts = [result, *[spelt[i] for i in others], once]
    extents = _extents(spelt, [array.shape for array in data], "_backward_npi_einsum")
    whole = np.ones([extents[letter] or 0 for letter in once], wide(target).dtype)
    factors = [wide(grad), *[wide(data[i]) for i in others], whole]
    found = np.einsum(f"{','.join(texts)}->{once}", *factors, optimize=True)
    lengths = dict(zip(own, target.shape, strict=True))
    stretched = tuple(i for i, c in enumerate(once) if lengths[c] == 1 and found.shape[i] != 1)
    found = found.sum(axis=stretched, keepdims=True) if stretched else found
    if own == once:
        return found
    back = np.zeros(target.shape, found.dtype)
    np.einsum(f"{own}->{once}", back)[...] = found
    return back


@einsum_back.infer_shape
def _(n: Any) -> None:
    name = f"data{n.operand}"
    if peek(n, name) is not None:
        n.output = peek(n, name)


@einsum_back.all_gradients
def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
    settings = {"num_args": n.num_args, "subscripts": n.subscripts}
    factors = [*n.data]
    factors[n.operand] = heads[0]
    found = {"grad": F._npi_einsum(*factors, **settings)}
    for i in range(n.num_args):
        if i != n.operand:
            found[f"data{i}"] = F._backward_npi_einsum(n.grad, *factors, **settings, operand=i)
    return found
