"""The update rules of optimizers: scalar expressions, read by NumPy and by LLVM like operators'.

A rule takes `m` (see `scalar_math`), the numbers `n`, then one weight, its gradient and its states;
it returns the new weight and the new states. It may ask whether a number is None; numbers' values,
like elements, are known only at run time.

Numbers that all rules know: ``n.lr`` and ``n.wd``, learning rate and weight decay; ``n.rescale``, a
factor on the gradient; ``n.clip``, the bound on its absolute value, None for none.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

Values: TypeAlias = tuple[Any, ...]
UpdateRule: TypeAlias = Callable[..., Values]


def _bounded(m: Any, x: Any, bound: float | None) -> Any:
    """Keep `x` within plus and minus `bound`."""
    return x if bound is None else m.minimum(m.maximum(x, -bound), bound)


def _scaled(m: Any, n: Any, grad: Any) -> Any:
    """Rescale and clip; weight decay comes later."""
    return _bounded(m, m.times(n.rescale, grad), n.clip)


def _decayed(m: Any, n: Any, weight: Any, grad: Any) -> Any:
    """Rescale, add weight decay, and clip both together."""
    return _bounded(m, m.times(n.rescale, grad) + n.wd * weight, n.clip)


def sgd(m: Any, n: Any, weight: Any, grad: Any) -> Values:
    """Descend along the gradient."""
    return (m.times(1 - n.lr * n.wd, weight) - n.lr * _scaled(m, n, grad),)


def sgd_momentum(m: Any, n: Any, weight: Any, grad: Any, velocity: Any) -> Values:
    """Descend with heavy-ball momentum."""
    velocity = n.momentum * velocity - n.lr * n.wd * weight - n.lr * _scaled(m, n, grad)
    return weight + velocity, velocity


def nag(m: Any, n: Any, weight: Any, grad: Any, velocity: Any) -> Values:
    """Descend with Nesterov's accelerated momentum; what stays of it decays the new weight, as in MXNet."""
    grad = _scaled(m, n, grad)
    step = n.lr * (grad + n.wd * weight)
    weight = weight + n.momentum * (n.momentum * velocity - step) - step
    return weight, n.momentum * velocity - n.lr * (grad + n.wd * weight)


def sign_sgd(m: Any, n: Any, weight: Any, grad: Any) -> Values:
    """Take steps of equal size along the gradient's signs."""
    return (m.times(1 - n.lr * n.wd, weight) - n.lr * m.sign(grad),)


def signum(m: Any, n: Any, weight: Any, grad: Any, velocity: Any) -> Values:
    """Take steps of equal size along the signs of the averaged gradient."""
    pull = n.wd * weight + _scaled(m, n, grad)
    velocity = n.momentum * velocity - (1 - n.momentum) * pull
    return m.times(1 - n.lr * n.wd_lh, weight) + n.lr * m.sign(velocity), velocity


def adam(m: Any, n: Any, weight: Any, grad: Any, mean: Any, variance: Any) -> Values:
    """Adam; ``n.lr`` includes the correction of the bias of both averages."""
    grad = _decayed(m, n, weight, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    variance = n.beta2 * variance + (1 - n.beta2) * grad * grad
    return weight - n.lr * mean / (m.sqrt(variance) + n.epsilon), mean, variance


def adamw(m: Any, n: Any, weight: Any, grad: Any, mean: Any, variance: Any) -> Values:
    """Adam with weight decay apart from the gradient; ``n.eta`` scales both."""
    grad = _scaled(m, n, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    variance = n.beta2 * variance + (1 - n.beta2) * grad * grad
    step = n.lr * mean / (m.sqrt(variance) + n.epsilon) + n.wd * weight
    return weight - n.eta * step, mean, variance


def adabelief(m: Any, n: Any, weight: Any, grad: Any, mean: Any, variance: Any) -> Values:
    """Adam with the variance of the gradient about its mean."""
    grad = _decayed(m, n, weight, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    apart = grad - mean
    variance = n.beta2 * variance + (1 - n.beta2) * apart * apart + n.epsilon
    return weight - n.lr * mean / (m.sqrt(variance) + n.epsilon), mean, variance


def adamax(m: Any, n: Any, weight: Any, grad: Any, mean: Any, largest: Any) -> Values:
    """Adam with the decaying maximum in place of the variance."""
    grad = _decayed(m, n, weight, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    largest = m.maximum(n.beta2 * largest, m.abs(grad))
    return weight - n.lr * mean / largest, mean, largest


def nadam(m: Any, n: Any, weight: Any, grad: Any, mean: Any, variance: Any) -> Values:
    """Adam with Nesterov momentum; ``n.schedule`` is the product of all momenta so far."""
    grad = _decayed(m, n, weight, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    variance = n.beta2 * variance + (1 - n.beta2) * grad * grad
    now = (1 - n.momentum) / (1 - n.schedule) * grad
    ahead = n.next_momentum / (1 - n.schedule * n.next_momentum) * mean
    size = m.sqrt(variance / n.bias2) + n.epsilon
    return weight - n.lr * (now + ahead) / size, mean, variance


def ada_grad(m: Any, n: Any, weight: Any, grad: Any, history: Any) -> Values:
    """Divide steps by the root of the sum of all squared gradients."""
    grad = _scaled(m, n, grad)
    history = history + grad * grad
    return weight - n.lr * (grad / m.sqrt(history + n.epsilon) + n.wd * weight), history


def ada_delta(m: Any, n: Any, weight: Any, grad: Any, squares: Any, steps: Any) -> Values:
    """Scale steps by the ratio of averaged steps and averaged gradients."""
    grad = _scaled(m, n, grad)
    squares = n.rho * squares + (1 - n.rho) * grad * grad
    step = m.sqrt(steps + n.epsilon) / m.sqrt(squares + n.epsilon) * grad
    steps = n.rho * steps + (1 - n.rho) * step * step
    return weight - (step + n.wd * weight), squares, steps


def rms_prop(m: Any, n: Any, weight: Any, grad: Any, squares: Any) -> Values:
    """Divide steps by the root of the averaged squared gradient."""
    grad = _decayed(m, n, weight, grad)
    squares = (1 - n.gamma1) * (grad * grad) + n.gamma1 * squares
    weight = weight - n.lr * (grad / m.sqrt(squares + n.epsilon))
    return _bounded(m, weight, n.clip_weights), squares


def rms_prop_centered(
    m: Any, n: Any, weight: Any, grad: Any, squares: Any, mean: Any, velocity: Any
) -> Values:
    """Divide steps by the root of the variance, with momentum."""
    grad = _decayed(m, n, weight, grad)
    squares = (1 - n.gamma1) * grad * grad + n.gamma1 * squares
    mean = (1 - n.gamma1) * grad + n.gamma1 * mean
    velocity = n.gamma2 * velocity - n.lr * grad / m.sqrt(squares - mean * mean + n.epsilon)
    return _bounded(m, weight + velocity, n.clip_weights), squares, mean, velocity


def ftrl(m: Any, n: Any, weight: Any, grad: Any, z: Any, squares: Any) -> Values:
    """Follow the regularized leader, proximally, which makes weights exactly zero."""
    grad = _scaled(m, n, grad)
    total = squares + grad * grad
    z = z + grad - (m.sqrt(total) - m.sqrt(squares)) * weight / n.lr
    leader = (m.sign(z) * n.lamda1 - z) / ((n.beta + m.sqrt(total)) / n.lr + n.wd)
    return m.where(m.abs(z) > n.lamda1, leader, 0 * leader), z, total


def ftml(m: Any, n: Any, weight: Any, grad: Any, denominator: Any, variance: Any, z: Any) -> Values:
    """Follow the moving leader; ``n.bias1`` and ``n.bias2`` are one minus powers of the betas."""
    grad = _decayed(m, n, weight, grad)
    variance = n.beta2 * variance + (1 - n.beta2) * grad * grad
    new = n.bias1 / n.lr * (m.sqrt(variance / n.bias2) + n.epsilon)
    z = n.beta1 * z + (1 - n.beta1) * grad - (new - n.beta1 * denominator) * weight
    return -z / new, new, variance, z


def dcasgd(m: Any, n: Any, weight: Any, grad: Any, previous: Any) -> Values:
    """Descend, making up for the delay of the gradient."""
    return weight - _delayed_step(m, n, weight, grad, previous), weight


def dcasgd_momentum(m: Any, n: Any, weight: Any, grad: Any, velocity: Any, previous: Any) -> Values:
    """Descend with momentum, making up for the delay of the gradient."""
    velocity = n.momentum * velocity - _delayed_step(m, n, weight, grad, previous)
    return weight + velocity, velocity, weight


def _delayed_step(m: Any, n: Any, weight: Any, grad: Any, previous: Any) -> Any:
    grad = _scaled(m, n, grad)
    return n.lr * (grad + n.wd * weight + n.lamda * grad * grad * (weight - previous))


def langevin(m: Any, n: Any, weight: Any, grad: Any, noise: Any) -> Values:
    """Take half a gradient step and a random one; `noise` is drawn anew for each step."""
    return weight - n.lr / 2 * (_scaled(m, n, grad) + n.wd * weight) + noise, noise


def lamb_direction(m: Any, n: Any, weight: Any, grad: Any, mean: Any, variance: Any) -> Values:
    """Find the direction of a LAMB step, returned in place of the weight.

    ``n.bias1`` and ``n.bias2`` are one minus powers of the betas, or 1 for no correction.
    """
    grad = _scaled(m, n, grad)
    mean = n.beta1 * mean + (1 - n.beta1) * grad
    variance = n.beta2 * variance + (1 - n.beta2) * grad * grad
    direction = mean / n.bias1 / (m.sqrt(variance / n.bias2) + n.epsilon) + n.wd * weight
    return direction, mean, variance


def lamb(m: Any, n: Any, weight: Any, direction: Any) -> Values:
    """Go along a direction of LAMB; ``n.lr`` includes the trust ratio."""
    return (weight - n.lr * direction,)


def lans_look_ahead(m: Any, n: Any, weight: Any, grad: Any, variance: Any) -> Values:
    """Find the direction of a LANS step along the gradient itself; `lamb_direction` is that along its mean."""
    direction = _scaled(m, n, grad) / (m.sqrt(variance / n.bias2) + n.epsilon) + n.wd * weight
    return direction, variance


def lans(m: Any, n: Any, weight: Any, direction: Any, ahead: Any) -> Values:
    """Go along both directions of LANS; ``n.lr`` and ``n.lr_ahead`` include the trust ratios."""
    return weight - n.lr * direction - n.lr_ahead * ahead, ahead


def group_ada_grad(m: Any, n: Any, weight: Any, grad: Any, history: Any) -> Values:
    """AdaGrad for matrices, with one history for each row: the sum of its mean squared gradients.

    It is for NumPy alone, since means of rows are no scalar expressions.
    """
    grad = _scaled(m, n, grad)
    history = history + m.mean(grad * grad, axis=1, keepdims=True)
    return weight - n.lr * grad / m.sqrt(history + n.epsilon), history


def accumulate(m: Any, n: Any, weight: Any, grad: Any, copy: Any) -> Values:
    """Add the gradient and remember the sum; for tests."""
    weight = weight + m.times(n.rescale, grad)
    return weight, weight
