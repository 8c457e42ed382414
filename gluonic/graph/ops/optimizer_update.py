"""One step of an optimizer for one weight.

Each operator takes a weight, its gradient and the optimizer's states, updates the states in place
and returns the new weight. The computation is a rule of :mod:`gluonic.graph.updates`; this file has
the signatures and the documentation. Common attributes:

lr : the learning rate
wd : weight decay, which adds ``wd * weight`` to the gradient
rescale_grad : a factor that the gradient is multiplied by first
clip_gradient : the bound to which the rescaled gradient is clipped on both sides; negative for none
lazy_update : accepted and ignored; it concerns sparse gradients only
"""

from typing import Any

from gluonic.graph import updates
from gluonic.graph.operator import Array, State
from gluonic.graph.trust_ratio import trust_ratio
from gluonic.graph.update_operators import all_but, update_operator
from gluonic.graph.view import NodeView


def _bias_corrections(
    m: Any, *, beta1: float, beta2: float, t: int, bias_correction: bool = True, **_: Any
) -> dict[str, float]:
    """The bias corrections of running means that start at zero, after `t` steps."""
    if not bias_correction:
        return {"bias1": 1.0, "bias2": 1.0}
    return {"bias1": 1 - beta1**t, "bias2": 1 - beta2**t}


@update_operator("sgd_update", updates.sgd)
def sgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> None:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""


@update_operator("sgd_mom_update", updates.sgd_momentum)
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
) -> None:
    """A step of gradient descent with momentum.

    ``mom = momentum * mom - lr * (grad + wd * weight)``; the new weight is ``weight + mom``.
    """


@update_operator("nag_mom_update", updates.nag)
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
) -> None:
    """A step of Nesterov's accelerated gradient descent.

    With ``step = lr * (grad + wd * weight)`` the new weight is ``weight + momentum * (momentum * mom -
    step) - step``. The new `mom` is ``momentum * mom - step`` with the new weight in `step`, as in MXNet.
    """


@update_operator("adam_update", updates.adam)
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
) -> None:
    """A step of Adam without bias correction, which is the caller's (in `lr`).

    `mean` and `var` are running means, of rates `beta1` and `beta2`, of the gradient (with weight
    decay, clipped as a whole) and its square; the new weight is
    ``weight - lr * mean / (sqrt(var) + epsilon)`` (Kingma and Ba, Adam: A Method for Stochastic
    Optimization, 2015).
    """


@update_operator("ftml_update", updates.ftml, derived=_bias_corrections)
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
) -> None:
    """A step of FTML, the `t`-th (Zheng and Kwok, Follow the Moving Leader in Deep Learning, 2017).

    `v` is a running mean of the squared gradient;
    ``d' = (1 - beta1**t) / lr * (sqrt(v / (1 - beta2**t)) + epsilon)``;
    ``z = beta1 * z + (1 - beta1) * grad - (d' - beta1 * d) * weight``; the new weight is
    ``-z / d'``.
    """


@update_operator("ftrl_update", updates.ftrl)
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
) -> None:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013).

    `n` sums up squared gradients, `z` gradients minus
    ``(sqrt(n_new) - sqrt(n_old)) / lr * weight``; the new weight is
    ``(sign(z) * lamda1 - z) / ((beta + sqrt(n)) / lr + wd)``, and 0 where ``abs(z) <= lamda1``.
    """


@update_operator("rmsprop_update", updates.rms_prop)
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
) -> None:
    """A step of RMSProp (Tieleman and Hinton, 2012).

    `n` is a running mean, of rate `gamma1`, of the squared gradient; the new weight is
    ``weight - lr * grad / sqrt(n + epsilon)``, clipped to plus and minus `clip_weights` unless that
    is negative.
    """


@update_operator("rmspropalex_update", updates.rms_prop_centered)
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
) -> None:
    """A step of RMSProp with momentum (Graves, Generating Sequences With Recurrent Networks, 2013).

    `n` and `g` are running means, of rate `gamma1`, of the squared gradient and of the gradient;
    ``delta = gamma2 * delta - lr * grad / sqrt(n - g**2 + epsilon)``; the new weight is
    ``weight + delta``, clipped to plus and minus `clip_weights` unless that is negative.
    """


@update_operator("signsgd_update", updates.sign_sgd)
def signsgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """A step along the signs of the gradient: ``(1 - lr * wd) * weight - lr * sign(grad)``."""


@update_operator("signum_update", updates.signum)
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
) -> None:
    """A step along the signs of a running mean of the gradient.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``; the new weight is
    ``(1 - lr * wd_lh) * weight + lr * sign(mom)`` (Bernstein et al., signSGD, 2018).
    """


@update_operator("lamb_update_phase1", updates.lamb_direction, derived=_bias_corrections)
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
) -> None:
    """The direction of the `t`-th step of LAMB (You et al., Reducing BERT Pre-Training Time, 2019).

    `mean` and `var` are running means, of rates `beta1` and `beta2`, of the gradient and its
    square, for the output divided by ``1 - beta**t`` if `bias_correction`. The output is
    ``mean / (sqrt(var) + epsilon) + wd * weight``.
    """


def phase2_shape(n: NodeView) -> None:
    """The shape rule: the weight and its direction have equal shapes, their norms shape (1,)."""
    all_but("r1", "r2")(n)
    n.r1 = n.r2 = (1,)


def _lr_of_layer(
    m: Any, *, lr: Any, r1: Any, r2: Any, lower_bound: Any, upper_bound: Any
) -> dict[str, Any]:
    """The learning rate, relative to the norms of the weight and of its direction."""
    return {"lr": lr * trust_ratio(m, r1, r2, lower_bound, upper_bound)}


@update_operator(
    "lamb_update_phase2",
    updates.lamb,
    derived=_lr_of_layer,
    single=("r1", "r2"),
    shape=phase2_shape,
)
def lamb_update_phase2(
    weight: Array,
    g: Array,
    r1: Array,
    r2: Array,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> None:
    """A step of LAMB along the direction `g`: ``weight - lr * r1 / r2 * g``.

    Parameters
    ----------
    weight, g : the weight and the output of `lamb_update_phase1`
    r1, r2 : the norms of `weight` and `g`, shape (1,); if either is 0, their ratio counts as 1
    lr : the learning rate
    lower_bound, upper_bound : limits of `r1`, none if negative
    """


def _is_usable(m: Any, n: Any) -> Any:
    """Whether a gradient says anything once it is multiplied by its factor."""
    return m.isfinite(n.rescale) & m.not_equal(n.rescale, 0)


@update_operator(
    "_adamw_update",
    updates.adamw,
    single=("rescale_grad",),
    shape=all_but("rescale_grad"),
    is_usable=_is_usable,
)
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
) -> None:
    """A step of AdamW (Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019).

    As Adam, but the new weight is
    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``. `rescale_grad` is an array
    of one number; where it is 0, infinite or NaN, nothing changes.
    """
