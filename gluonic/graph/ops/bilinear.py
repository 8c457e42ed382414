"""Gradients of layers that are linear in `data` and in `weight`: three operators in a cycle.

For a layer L(data, weight) there are D(grad, weight), the gradient of data, and W(grad, data), that
of weight. All three are linear in both arguments, and what one of them is in one argument, another
one transposes. So derivatives of every order are uses of the same three kernels.
"""

from collections.abc import Callable
from typing import Any

from gluonic.graph.operator import Array, Operator
from gluonic.graph.ops.companions import companion
from gluonic.graph.view import NodeView, settings_of

Kernel = Callable[..., Array]


def declare_bilinear(
    op: Operator,
    data_gradient: Kernel,
    weight_gradient: Kernel,
    channel_axis: Callable[[NodeView], int],
) -> tuple[Operator, Operator]:
    """D and W for the operator ``op(data, weight, bias)``, registered, with the gradients of all three.

    Parameters
    ----------
    op : an operator with inputs `data`, `weight` and `bias`, the last absent with `no_bias`
    data_gradient, weight_gradient : kernels of ``(grad, data, weight, **attributes)``; of what they
        are the gradient of only the shape counts
    channel_axis : the axis of the output that `bias` is added along
    """
    towards_data, towards_weight = (
        companion(
            op,
            f"_backward_{op.name}_{target}",
            ("grad", "data", "weight"),
            kernel,
            output_like=target,
            documentation=f"The gradient of {target} through {op.name}.",
        )
        for target, kernel in (("data", data_gradient), ("weight", weight_gradient))
    )

    def forward(F: Any, n: NodeView, data: Any, weight: Any) -> Any:
        return getattr(F, op.name)(data, weight, **{**settings_of(n), "no_bias": True})

    def data_of(F: Any, n: NodeView, grad: Any, data: Any, weight: Any) -> Any:
        return getattr(F, towards_data.name)(grad, data, weight, **settings_of(n))

    def weight_of(F: Any, n: NodeView, grad: Any, data: Any, weight: Any) -> Any:
        return getattr(F, towards_weight.name)(grad, data, weight, **settings_of(n))

    op.gradient(
        data=lambda F, n, g: data_of(F, n, g, n.data, n.weight),
        weight=lambda F, n, g: weight_of(F, n, g, n.data, n.weight),
        bias=lambda F, n, g: F.sum(g, axis=channel_axis(n), exclude=True),
    )
    towards_data.gradient(
        grad=lambda F, n, g: forward(F, n, g, n.weight),
        weight=lambda F, n, g: weight_of(F, n, n.grad, g, n.weight),
    )
    towards_weight.gradient(
        grad=lambda F, n, g: forward(F, n, n.data, g),
        data=lambda F, n, g: data_of(F, n, n.grad, n.data, g),
    )
    return towards_data, towards_weight
