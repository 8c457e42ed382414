"""Optimizer steps in ``nd.contrib``: AdamW with a gradient scale, and for many tensors at once."""

from collections.abc import Sequence
from typing import Any

from gluonic.ndarray import _internal
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import full

Arrays = Sequence[NDArray]


def _as_array(scale: Any, like: NDArray) -> NDArray:
    """The scale of the gradients as an array of one element."""
    return scale if isinstance(scale, NDArray) else full((1,), scale, like.context)


def _interleaved(*groups: Arrays) -> list[NDArray]:
    """The weight, the gradient, ... of the first tensor, then those of the second, and so on.

    Raises
    ------
    ValueError
        if the groups have different lengths
    """
    return [array for tensor in zip(*groups, strict=True) for array in tensor]


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **settings: Any,
) -> Any:
    """Take a step of AdamW; it is skipped if `rescale_grad` is 0 or not finite.

    Parameters
    ----------
    weight, grad, mean, var : the weight, its gradient and the two moments, which change in place
    rescale_grad : the factor on the gradient, a number or an array of one element
    lr, eta : the learning rate and the factor of the schedule
    settings : `beta1`, `beta2`, `epsilon`, `wd`, `clip_gradient`, `out`
    """
    scale = _as_array(rescale_grad, weight)
    return _internal._adamw_update(weight, grad, mean, var, scale, lr=lr, eta=eta, **settings)


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **settings: Any,
) -> Any:
    """Take a step of AdamW, with the weight kept in float32 too; see `adamw_update`."""
    scale = _as_array(rescale_grad, weight)
    return _internal._mp_adamw_update(
        weight, grad, mean, var, weight32, scale, lr=lr, eta=eta, **settings
    )


def multi_adamw_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **settings: Any,
) -> Any:
    """Take a step of AdamW with many tensors; see `adamw_update`."""
    arrays = [*_interleaved(weights, grads, mean, var), _as_array(rescale_grad, weights[0])]
    return _internal._multi_adamw_update(
        *arrays, out=out, num_weights=size or len(weights), lrs=lrs, wds=wds, etas=etas, **settings
    )


def multi_mp_adamw_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    weights32: Arrays,
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **settings: Any,
) -> Any:
    """Take a step of AdamW with many tensors, kept in float32 too; see `adamw_update`."""
    scale = _as_array(rescale_grad, weights[0])
    arrays = [*_interleaved(weights, grads, mean, var, weights32), scale]
    return _internal._multi_mp_adamw_update(
        *arrays, out=out, num_weights=size or len(weights), lrs=lrs, wds=wds, etas=etas, **settings
    )


def multi_lamb_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **settings: Any,
) -> Any:
    """Take a step of LAMB with many tensors.

    Parameters
    ----------
    weights, grads, mean, var : the weights, gradients and moments; the moments change in place
    step_count : for each tensor, the number of the step
    lrs, wds : for each tensor, the learning rate and the weight decay
    out : the arrays that receive the weights
    num_tensors : the number of tensors, if not all
    settings : attributes of ``_internal._multi_lamb_update``
    """
    return _internal._multi_lamb_update(
        *_interleaved(weights, grads, mean, var),
        out=out,
        num_tensors=num_tensors or len(weights),
        step_count=step_count,
        learning_rates=lrs,
        wds=wds,
        **settings,
    )


def multi_mp_lamb_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    weights32: Arrays,
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **settings: Any,
) -> Any:
    """Take a step of LAMB with many tensors, kept in float32 too; see `multi_lamb_update`."""
    return _internal._multi_mp_lamb_update(
        *_interleaved(weights, grads, mean, var, weights32),
        out=out,
        num_tensors=num_tensors or len(weights),
        step_count=step_count,
        learning_rates=lrs,
        wds=wds,
        **settings,
    )
