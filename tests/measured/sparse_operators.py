"""What operators give of sparse arrays: the storage kind and the elements, or that they refuse."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

KINDS = ("default", "row_sparse", "csr")
MATRIX = [[1.5, 0, 2], [0, 0, 0], [0.5, 0.25, 0], [0, 0, 3]]
SQUARE = [[1.5, 0, 2], [0, 0, 0], [0.5, 0.25, 0]]
ROW = [[1.0, 0, 2]]
OTHER = [[0, 1, 2], [0, 0, 0], [4, 0, 0], [0, 0, 0.5]]

UPDATES: dict[str, tuple[int, dict[str, Any]]] = {
    "sgd_update": (0, {"wd": 0.5}),
    "sgd_mom_update": (1, {"wd": 0.5, "momentum": 0.5}),
    "adam_update": (2, {"wd": 0.5, "clip_gradient": 1.0}),
    "ftrl_update": (2, {"wd": 0.5}),
    "adagrad_update": (1, {"rescale_grad": 0.5}),
}
"""Updates: how many states they have, and attributes besides the learning rate."""

UNARY = """
abs sign round rint ceil floor trunc fix square sqrt rsqrt cbrt exp log1p expm1 sin cos tan arcsin
arctan degrees radians sinh cosh tanh arcsinh relu sigmoid softsign negative identity BlockGrad
make_loss zeros_like ones_like logical_not softmax flatten transpose
"""
SCALAR = """
_plus_scalar _minus_scalar _rminus_scalar _mul_scalar _div_scalar _rdiv_scalar _power_scalar
_maximum_scalar _equal_scalar _not_equal_scalar _greater_scalar _greater_equal_scalar _lesser_scalar
_lesser_equal_scalar _scatter_plus_scalar _scatter_minus_scalar
"""
BINARY = """
elemwise_add elemwise_sub elemwise_mul broadcast_add broadcast_sub broadcast_mul broadcast_maximum
add_n broadcast_equal
"""
INTERNAL = ["_maximum", "_minimum", "_hypot", "_grad_add", "_identity_with_attr_like_rhs"]
REDUCTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"axis": 0},
    {"axis": 1},
    {"axis": 0, "keepdims": True},
    {"axis": (0, 1)},
)

PARTS: tuple[dict[str, Any], ...] = (
    {"begin": 1, "end": 3},
    {"begin": (1, 1), "end": (3, 3)},
    {"begin": (0,), "end": (3,), "step": (2,)},
)


def of(mx: Any, kind: str, values: Any) -> Any:
    """An array of a storage kind."""
    return mx.nd.array(values).tostype(kind)


def kind_and_elements(array: Any) -> Any:
    """The kind and the elements."""
    array = array[0] if isinstance(array, list) else array
    return {"kind": array.stype, "elements": array}


def on_one(mx: Any, operator: Callable[..., Any], kind: str) -> Any:
    """What an operator gives of a matrix."""
    return kind_and_elements(operator(of(mx, kind, MATRIX)))


def on_two(mx: Any, operator: Callable[..., Any], kinds: Any, values: Any) -> Any:
    """What an operator gives of two matrices."""
    return kind_and_elements(operator(*[of(mx, k, v) for k, v in zip(kinds, values)]))  # noqa: B905


def standardized(mx: Any, x: Any, **settings: Any) -> Any:
    """Batch normalization with other numbers than those that it begins with."""
    numbers = [mx.nd.array(row) for row in ([1, 2, 3], [0.5, 0, 1], [0, 1, 2], [1, 4, 0.25])]
    return mx.nd.BatchNorm(x, *numbers, **settings)


def layer(mx: Any, bias: Any) -> Any:
    """A dense layer with a bias of shape (4, 1)."""
    return mx.nd.FullyConnected(mx.nd.array(ROW), mx.nd.array(MATRIX), bias, num_hidden=4)


def updated(mx: Any, name: str, kinds: Any) -> dict[str, Any]:
    """The weight after a step with a gradient of which not all rows are stored, and the states."""
    count, settings = UPDATES[name]
    weight, *states = (mx.nd.ones((4, 3)).tostype(kinds[0]) for _ in range(count + 1))
    function = getattr(mx.nd.sparse, name)
    function(weight, of(mx, kinds[1], MATRIX), *states, lr=0.5, out=weight, **settings)
    return {
        "weight": kind_and_elements(weight),
        "states": [kind_and_elements(state) for state in states],
    }


def or_refused(mx: Any, case: Callable[[], Any]) -> Any:
    """What a case gives, or that it is refused."""
    try:
        gives = case()
        gives["elements"].wait_to_read()
        return gives
    except mx.MXNetError:
        return "refused"


def of_one_input(mx: Any) -> dict[str, Callable[..., Any]]:
    """The operators that take one array."""
    nd = mx.nd
    one: dict[str, Callable[..., Any]] = {name: getattr(nd, name) for name in UNARY.split()}
    for name, number in itertools.product(SCALAR.split(), (0.0, 2.0, -1.0)):
        if number or "div" not in name:
            one[f"{name} {number}"] = partial(getattr(nd._internal, name), scalar=number)
    for name, axes in itertools.product(("sum", "mean", "norm", "max"), REDUCTIONS):
        one[f"{name} {axes}"] = partial(getattr(nd, name), **axes)
    for part in PARTS:
        one[f"slice {part}"] = partial(nd.slice, **part)
    rows = nd.array([2, 0, 3])
    one["clip"] = partial(nd.clip, a_min=-1, a_max=1)
    one["cast"] = partial(nd.cast, dtype="float64")
    one["quadratic"] = partial(nd.contrib.quadratic, a=1.0, b=2.0, c=0.0)
    one["quadratic with a constant"] = partial(nd.contrib.quadratic, a=1.0, b=2.0, c=1.0)
    one["take"] = lambda x: nd.take(x, rows)
    one["take beyond"] = lambda x: nd.take(x, nd.array([-2, 1, 9]), mode="wrap")
    return one


def of_some_kinds(mx: Any) -> dict[str, Callable[[], Any]]:
    """Operators that MXNet has for some kinds alone."""
    nd = mx.nd
    table = {"input_dim": 4, "output_dim": 3}
    named: dict[str, Callable[[], Any]] = {}
    for kind in ("default", "row_sparse"):
        named[f"Embedding of {kind}"] = partial(
            on_one, mx, lambda w: nd.Embedding(nd.array([[0, 2]]), w, **table), kind
        )
    for axes in ({"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}):
        named[f"_square_sum {axes}"] = partial(
            on_one, mx, partial(nd._internal._square_sum, **axes), "row_sparse"
        )
    named["retain"] = partial(
        on_one, mx, lambda x: nd.sparse.retain(x, nd.array([3, 1], dtype="int64")), "row_sparse"
    )
    for name, kinds in itertools.product(UPDATES, itertools.product(KINDS[:2], KINDS[:2])):
        if name != "adagrad_update" or kinds[1] == "row_sparse":
            named[f"{name} of {' and '.join(kinds)}"] = partial(updated, mx, name, kinds)
    rows, columns = nd.array([0, 2, 3, 3, 1]), nd.array([2, 0, 2, 0, 0])
    named["edge_id"] = partial(on_one, mx, lambda x: nd.contrib.edge_id(x, rows, columns), "csr")
    for kind in ("default", "row_sparse"):
        named[f"FullyConnected with a bias of {kind} in a column"] = partial(
            or_refused,
            mx,
            partial(on_two, mx, partial(layer, mx), (kind,), ([[2], [1], [4], [3]],)),
        )
    for kind, fixed in itertools.product(KINDS, (False, True)):
        named[f"BatchNorm of {kind}, fix_gamma={fixed}"] = partial(
            or_refused, mx, partial(on_one, mx, partial(standardized, mx, fix_gamma=fixed), kind)
        )
    for name in ("broadcast_mul", "broadcast_div"):
        named[f"{name} with a row"] = partial(
            on_two, mx, getattr(nd, name), ("csr", "default"), (MATRIX, [[1.0, 4, 2]])
        )
    return named


def products(mx: Any) -> dict[str, Callable[[], Any]]:
    """Products of matrices."""
    named: dict[str, Callable[[], Any]] = {}
    for kinds, (a, b), wanted in itertools.product(
        itertools.product(KINDS, repeat=2),
        itertools.product((False, True), repeat=2),
        (None, *KINDS),
    ):
        if (a, wanted, kinds) == (True, "default", ("csr", "row_sparse")):
            continue  # MXNet has not implemented it
        settings: dict[str, Any] = {"transpose_a": a, "transpose_b": b}
        if wanted is not None:
            settings["forward_stype"] = wanted
        named[f"dot of {' and '.join(kinds)} {settings}"] = partial(
            on_two, mx, partial(mx.nd.dot, **settings), kinds, (SQUARE, SQUARE[1:] + SQUARE[:1])
        )
    return named


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """The cases by name."""
    nd = mx.nd
    named: dict[str, Callable[[], Any]] = {
        f"{name} of {kind}": partial(on_one, mx, operator, kind)
        for (name, operator), kind in itertools.product(of_one_input(mx).items(), KINDS)
    }
    named.update(of_some_kinds(mx))
    named.update(products(mx))
    two = {name: getattr(nd, name) for name in BINARY.split()}
    two.update({name: getattr(nd._internal, name) for name in INTERNAL})
    two["concat"] = partial(nd.concat, dim=0)
    pairs = itertools.product(KINDS, repeat=2)
    for (name, operator), kinds in itertools.product(two.items(), list(pairs)):
        named[f"{name} of {' and '.join(kinds)}"] = partial(
            on_two, mx, operator, kinds, (MATRIX, OTHER)
        )
    for kinds3 in itertools.product(KINDS, repeat=3):
        for name in ("where", "add_n"):
            named[f"{name} of {' and '.join(kinds3)}"] = partial(
                on_two, mx, getattr(nd, name), kinds3, (MATRIX, OTHER, MATRIX[::-1])
            )
    return named
