"""One step of an optimizer for one weight.

Each operator takes a weight, its gradient and the optimizer's states, updates the states in place
and returns the new weight. Common attributes:

lr : the learning rate
wd : weight decay, which adds ``wd * weight`` to the gradient
rescale_grad : the gradient is multiplied by it first
clip_gradient : the rescaled gradient is then clipped to plus and minus this; not if it is negative
lazy_update : means something to sparse gradients only; it is accepted and ignored
"""

from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Rule, State, operator
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, unify


def scaled(grad: Array, rescale_grad: float, clip_gradient: float) -> Any:
    """The gradient, rescaled and clipped."""
    result = grad * rescale_grad
    return np.clip(result, -clip_gradient, clip_gradient) if clip_gradient >= 0 else result


def accumulate(state: Array, decay: float, value: Array) -> None:
    """Make a running mean forget a little and take in a new value, in place."""
    state *= decay
    state += (1 - decay) * value


def _floating(n: NodeView) -> None:
    same(n)
    for name, dtype in n._slots.items():
        if dtype is not None and dtype.kind != "f":
            raise InferenceError(f"{n._title}: {name} must be floating, not {dtype.name}")


def all_but(*names: str) -> Rule:
    """The shape rule: all inputs and outputs have one shape, except for those named."""

    def rule(n: NodeView) -> None:
        common = None
        alike = [name for name in n._slots if name not in names]
        for name in alike:
            common = unify(common, n._known(name), f"{n._title}: {name}")
        for name in alike:
            setattr(n, name, common)

    return rule


@operator("sgd_update", dtype=_floating)
def sgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""
    return (1 - lr * wd) * weight - lr * scaled(grad, rescale_grad, clip_gradient)


@operator("sgd_mom_update", dtype=_floating)
def sgd_mom_update(
    weight: Array,
    grad: Array,
    mom: State,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """A step of gradient descent with momentum.

    ``mom = momentum * mom - lr * (grad + wd * weight)``; the new weight is ``weight + mom``.
    """
    mom *= momentum
    mom -= lr * wd * weight + lr * scaled(grad, rescale_grad, clip_gradient)
    return weight + mom


@operator("nag_mom_update", dtype=_floating)
def nag_mom_update(
    weight: Array,
    grad: Array,
    mom: State,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """A step of Nesterov's accelerated gradient descent.

    ``mom = momentum * mom - step`` with ``step = lr * (grad + wd * weight)``; the new weight is
    ``weight + momentum * mom - step``.
    """
    step = lr * (scaled(grad, rescale_grad, clip_gradient) + wd * weight)
    mom *= momentum
    mom -= step
    return weight + momentum * mom - step


@operator("adam_update", dtype=_floating)
def adam_update(
    weight: Array,
    grad: Array,
    mean: State,
    var: State,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """A step of Adam without bias correction, which is the caller's (in `lr`).

    `mean` and `var` are running means, of rates `beta1` and `beta2`, of the gradient (with weight
    decay, clipped as a whole) and its square; the new weight is
    ``weight - lr * mean / (sqrt(var) + epsilon)`` (Kingma and Ba, Adam: A Method for Stochastic
    Optimization, 2015).
    """
    g = scaled(grad * rescale_grad + wd * weight, 1.0, clip_gradient)
    accumulate(mean, beta1, g)
    accumulate(var, beta2, g * g)
    return weight - lr * mean / (np.sqrt(var) + epsilon)


@operator("ftml_update", dtype=_floating)
def ftml_update(
    weight: Array,
    grad: Array,
    d: State,
    v: State,
    z: State,
    *,
    lr: float,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    t: int,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> Any:
    """A step of FTML, the `t`-th (Zheng and Kwok, Follow the Moving Leader in Deep Learning, 2017).

    `v` is a running mean of the squared gradient;
    ``d' = (1 - beta1**t) / lr * (sqrt(v / (1 - beta2**t)) + epsilon)``;
    ``z = beta1 * z + (1 - beta1) * grad - (d' - beta1 * d) * weight``; the new weight is
    ``-z / d'``.
    """
    g = scaled(grad * rescale_grad + wd * weight, 1.0, clip_grad)
    accumulate(v, beta2, g * g)
    new_d = (1 - beta1**t) / lr * (np.sqrt(v / (1 - beta2**t)) + epsilon)
    accumulate(z, beta1, g)
    z -= (new_d - beta1 * d) * weight
    d[...] = new_d
    return -z / new_d


@operator("ftrl_update", dtype=_floating)
def ftrl_update(
    weight: Array,
    grad: Array,
    z: State,
    n: State,
    *,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013).

    `n` sums up squared gradients, `z` gradients minus
    ``(sqrt(n_new) - sqrt(n_old)) / lr * weight``; the new weight is
    ``(sign(z) * lamda1 - z) / ((beta + sqrt(n)) / lr + wd)``, and 0 where ``abs(z) <= lamda1``.
    """
    g = scaled(grad, rescale_grad, clip_gradient)
    root = np.sqrt(n)
    n += g * g
    z += g - (np.sqrt(n) - root) * weight / lr
    new = (np.sign(z) * lamda1 - z) / ((beta + np.sqrt(n)) / lr + wd)
    return np.where(np.abs(z) > lamda1, new, np.zeros_like(new))


@operator("rmsprop_update", dtype=_floating)
def rmsprop_update(
    weight: Array,
    grad: Array,
    n: State,
    *,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """A step of RMSProp (Tieleman and Hinton, 2012).

    `n` is a running mean, of rate `gamma1`, of the squared gradient; the new weight is
    ``weight - lr * grad / sqrt(n + epsilon)``, clipped to plus and minus `clip_weights` unless that
    is negative.
    """
    g = scaled(grad * rescale_grad + wd * weight, 1.0, clip_gradient)
    accumulate(n, gamma1, g * g)
    return scaled(weight - lr * (g / np.sqrt(n + epsilon)), 1.0, clip_weights)


@operator("rmspropalex_update", dtype=_floating)
def rmspropalex_update(
    weight: Array,
    grad: Array,
    n: State,
    g: State,
    delta: State,
    *,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """A step of RMSProp with momentum (Graves, Generating Sequences With Recurrent Networks, 2013).

    `n` and `g` are running means, of rate `gamma1`, of the squared gradient and of the gradient;
    ``delta = gamma2 * delta - lr * grad / sqrt(n - g**2 + epsilon)``; the new weight is
    ``weight + delta``, clipped to plus and minus `clip_weights` unless that is negative.
    """
    gradient = scaled(grad * rescale_grad + wd * weight, 1.0, clip_gradient)
    accumulate(n, gamma1, gradient * gradient)
    accumulate(g, gamma1, gradient)
    delta *= gamma2
    delta -= lr * gradient / np.sqrt(n - g * g + epsilon)
    return scaled(weight + delta, 1.0, clip_weights)


@operator("signsgd_update", dtype=_floating)
def signsgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """A step along the signs of the gradient: ``(1 - lr * wd) * weight - lr * sign(grad)``."""
    return (1 - lr * wd) * weight - lr * np.sign(grad)


@operator("signum_update", dtype=_floating)
def signum_update(
    weight: Array,
    grad: Array,
    mom: State,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> Any:
    """A step along the signs of a running mean of the gradient.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``; the new weight is
    ``(1 - lr * wd_lh) * weight + lr * sign(mom)`` (Bernstein et al., signSGD, 2018).
    """
    accumulate(mom, momentum, -(scaled(grad, rescale_grad, clip_gradient) + wd * weight))
    return (1 - lr * wd_lh) * weight + lr * np.sign(mom)


@operator("lamb_update_phase1", dtype=_floating)
def lamb_update_phase1(
    weight: Array,
    grad: Array,
    mean: State,
    var: State,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    t: int,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """The direction of the `t`-th step of LAMB (You et al., Reducing BERT Pre-Training Time, 2019).

    `mean` and `var` are running means, of rates `beta1` and `beta2`, of the gradient and its
    square, for the output divided by ``1 - beta**t`` if `bias_correction`. The output is
    ``mean / (sqrt(var) + epsilon) + wd * weight``.
    """
    g = scaled(grad, rescale_grad, clip_gradient)
    accumulate(mean, beta1, g)
    accumulate(var, beta2, g * g)
    first, second = (1 - beta1**t, 1 - beta2**t) if bias_correction else (1.0, 1.0)
    return (mean / first) / (np.sqrt(var / second) + epsilon) + wd * weight


def phase2_shape(n: NodeView) -> None:
    """The weight and its direction have one shape, their norms are single numbers."""
    all_but("r1", "r2")(n)
    n.r1 = n.r2 = (1,)


@operator("lamb_update_phase2", shape=phase2_shape, dtype=_floating)
def lamb_update_phase2(
    weight: Array,
    g: Array,
    r1: Array,
    r2: Array,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Any:
    """A step of LAMB along the direction `g`: ``weight - lr * r1 / r2 * g``.

    Parameters
    ----------
    weight, g : the weight and the output of `lamb_update_phase1`
    r1, r2 : the norms of `weight` and `g`, shape (1,); if either is 0, their ratio counts as 1
    lr : the learning rate
    lower_bound, upper_bound : limits of `r1`, none if negative
    """
    return weight - lr * trust_ratio(r1, r2, lower_bound, upper_bound) * g


def trust_ratio(r1: Array, r2: Array, lower_bound: float, upper_bound: float) -> Any:
    """How many times longer than its gradient a weight is, within limits; 1 where either is 0."""
    norm = np.maximum(r1, lower_bound) if lower_bound >= 0 else r1
    norm = np.minimum(norm, upper_bound) if upper_bound >= 0 else norm
    return np.where((norm == 0) | (r2 == 0), np.ones_like(norm), norm / r2)


@operator("_adamw_update", dtype=_floating)
def adamw_update(
    weight: Array,
    grad: Array,
    mean: State,
    var: State,
    rescale_grad: Array,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> Any:
    """A step of AdamW (Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019).

    As Adam, but the new weight is
    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``. `rescale_grad` is an array
    of one number; where it is 0, infinite or NaN, nothing changes.
    """
    factor = float(rescale_grad.reshape(()))
    if not is_usable(factor):
        return weight
    g = scaled(grad, factor, clip_gradient)
    accumulate(mean, beta1, g)
    accumulate(var, beta2, g * g)
    return weight - eta * (lr * mean / (np.sqrt(var) + epsilon) + wd * weight)


def is_usable(factor: float) -> bool:
    """Whether a gradient multiplied by a factor says anything."""
    return bool(np.isfinite(factor)) and factor != 0


adamw_update.infer_shape(all_but("rescale_grad"))
