"""SoftmaxOutput: softmax forward, the gradient of the cross entropy backward."""

from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.axes import axis_of, product
from gluonic.graph.errors import InferenceError
from gluonic.graph.indices import check_classes
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.ops.softmax import softmax_of
from gluonic.graph.view import NodeView, PartialShape, peek, title_of, written

Normalization = Literal["null", "batch", "valid"]


@operator("SoftmaxOutput", "Softmax", dtype=floating(), is_loss=lambda n: not n.out_grad)
def softmax_output(
    data: Array,
    label: Array,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Normalization = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
) -> Any:
    """Softmax, with the gradient of the cross entropy against `label`.

    The gradient is ``softmax(data) - one_hot(label)``, or ``softmax(data) - label`` where labels
    are probabilities. It does not depend on the gradient that flows in, unless `out_grad`.

    Parameters
    ----------
    data : array of shape (batch, classes) or (batch, …)
        The scores.
    label : array of shape (batch,), of data's shape, or (batch, spatial) with `multi_output`
        Class numbers, or a probability for every class.
    grad_scale : float, default 1
        Multiplies the gradient.
    ignore_label : float, default -1
        The class whose labels have no gradient, with `use_ignore`.
    multi_output : bool, default False
        Whether the classes are along axis 1, and the axes after it are spatial.
    use_ignore : bool, default False
        Whether to respect `ignore_label`.
    preserve_shape : bool, default False
        Whether the classes are along the last axis; otherwise all axes but the first are classes.
    normalization : {"null", "batch", "valid"}, default "null"
        Divide the gradient by nothing, by the batch size, or by the number of labels not ignored.
    out_grad : bool, default False
        Whether to multiply by the gradient that flows in.
    smooth_alpha : float, default 0
        The part of the true class's probability that is shared among the other classes.

    Returns
    -------
    array like data : the probabilities
    """
    if label.shape != data.shape:
        classes = (
            data.shape[1]
            if multi_output
            else data.shape[-1]
            if preserve_shape
            else prod(data.shape[1:])
        )
        check_classes(label, classes, "SoftmaxOutput", ignore_label if use_ignore else None)
    if multi_output or preserve_shape:
        return softmax_of(data, 1 if multi_output else -1)
    return softmax_of(_by_class(data, False, False), 1).reshape(data.shape)


def _label_shapes(data: PartialShape) -> list[PartialShape]:
    """The shapes that labels may have with `multi_output`, the usual one first."""
    batch, spatial = data[0], data[2:]
    return [(batch, product(spatial)), (batch, *spatial), (batch, 1, *spatial), data]


def _fits(shape: PartialShape, pattern: PartialShape) -> bool:
    return len(shape) == len(pattern) and all(
        a == b or a is None or b is None for a, b in zip(shape, pattern, strict=True)
    )


@softmax_output.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    data, label = n.data, peek(n, "label")
    axis_of(1 if n.multi_output else 0, len(data), title_of(n))
    if not n.multi_output:
        n.label = data if label is not None and len(label) == len(data) else data[:-1]
        return
    shapes = _label_shapes(data)
    fitting = [shape for shape in shapes if label is None or _fits(label, shape)]
    if not fitting:
        expected = " or ".join(dict.fromkeys(map(written, shapes)))
        raise InferenceError(f"{title_of(n)}: label is {written(label)} but must be {expected}")
    n.label = fitting[0]


def _backward(F: Any, n: NodeView, value: Any, subtract: bool) -> Any:
    return F._backward_SoftmaxOutput(
        value,
        n.label,
        grad_scale=n.grad_scale,
        ignore_label=n.ignore_label,
        multi_output=n.multi_output,
        use_ignore=n.use_ignore,
        preserve_shape=n.preserve_shape,
        normalization=n.normalization,
        smooth_alpha=n.smooth_alpha,
        subtract=subtract,
    )


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    gradient = _backward(F, n, n.output, True)
    return gradient * g if n.out_grad else gradient


softmax_output.gradient(data=_gradient)


def _by_class(array: Array, multi_output: bool, preserve_shape: bool) -> Array:
    """The numbers with the classes along axis 1: (rows, classes), or (batch, classes, spatial)."""
    shape = array.shape
    if multi_output:
        return array.reshape(shape[0], shape[1], prod(shape[2:]))
    if preserve_shape:
        return array.reshape(prod(shape[:-1]), shape[-1])
    return array.reshape(shape[0], prod(shape[1:]))


def _labels(label: Array, flat: Array) -> Array:
    """The class numbers, shaped to broadcast with the scores of all classes."""
    whole = label.astype(np.int64)
    if flat.ndim == 3:
        return whole.reshape(len(flat), 1, flat.shape[2])
    return whole.reshape(-1, 1)[: len(flat)]  # read in order, however many there are


def _share(label: Array, flat: Array, ignored: int, normalization: str) -> float:
    """The factor on the gradient for its normalization."""
    spatial = flat.shape[2] if flat.ndim == 3 else 1
    if normalization == "valid":
        return 1 / max(1, int(np.count_nonzero(label.astype(np.int64) != ignored)))
    if normalization == "batch":
        spatial *= len(label) if flat.ndim == 3 else label.size
    return 1 / max(1, spatial)


@operator("_backward_SoftmaxOutput", dtype=floating())
def backward_softmax_output(
    value: Array,
    label: Array,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Normalization = "null",
    smooth_alpha: float = 0.0,
    subtract: bool = True,
) -> Any:
    """SoftmaxOutput's gradient at the probabilities `value`: labels are subtracted, then the result weighted.

    With ``subtract=False`` labels are not subtracted, and the gradient is linear in `value`.
    """
    if value.shape == label.shape:
        return (value - label if subtract else value) * grad_scale
    flat = _by_class(value, multi_output, preserve_shape)
    labels = _labels(label, flat)
    if subtract:
        alpha = 0.0 if multi_output else smooth_alpha
        classes = np.arange(flat.shape[1]).reshape([1, -1, 1][: flat.ndim])
        target = np.where(labels == classes, 1 - alpha, alpha / max(1, flat.shape[1] - 1))
        flat = flat - target.astype(flat.dtype)
    weight = grad_scale * _share(label, flat, int(ignore_label), normalization)
    weights = weight * (labels != int(ignore_label)) if use_ignore else weight
    return (flat * weights).reshape(value.shape)


@backward_softmax_output.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "value", "output")


backward_softmax_output.gradient(value=lambda F, n, g: _backward(F, n, g, False))
