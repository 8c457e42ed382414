"""Contributed operators, loops and branches: ``sym.contrib.box_iou``, ``sym.contrib.foreach``."""

from typing import TYPE_CHECKING, Any

from gluonic.graph import sampling
from gluonic.graph.namespaces import Functions
from gluonic.symbol import _internal
from gluonic.symbol.control_flow import cond, foreach, while_loop
from gluonic.symbol.functions import full
from gluonic.symbol.random import uniform
from gluonic.symbol.register import make_function
from gluonic.symbol.symbol import Symbol

_functions = Functions("contrib", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.symbol.typed.contrib import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
__all__ = ["cond", "foreach", "rand_zipfian", "while_loop"]


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> tuple[Symbol, ...]:
    """Draw classes from an approximately Zipfian distribution; see ``nd.contrib.rand_zipfian``.

    Parameters
    ----------
    true_classes : classes whose expected counts are returned, shape (n,)
    num_sampled : number of draws
    range_max : the number of classes

    Returns
    -------
    samples : the classes drawn, int64
    expected_count_true : expected count of each of `true_classes`, float64
    expected_count_sample : expected count of each of `samples`, float64
    """
    return sampling.rand_zipfian(uniform, true_classes, num_sampled, range_max)  # type: ignore[no-any-return]


def _as_symbol(scale: Any) -> Symbol:
    return scale if isinstance(scale, Symbol) else full((1,), scale)


def adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **settings: Any,
) -> Symbol:
    """Take a step of AdamW; it is skipped if `rescale_grad` is 0 or not finite.

    Parameters
    ----------
    weight, grad, mean, var : the weight, its gradient, and variables of the two moments, which change in place
    rescale_grad : the factor on the gradient, a number or a symbol of one element
    lr, eta : the learning rate and the factor of the schedule
    settings : `beta1`, `beta2`, `epsilon`, `wd`, `clip_gradient`, `name`
    """
    inputs = (weight, grad, mean, var, _as_symbol(rescale_grad))
    return _internal._adamw_update(*inputs, lr=lr, eta=eta, **settings)  # type: ignore[no-any-return]


def mp_adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    weight32: Symbol,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **settings: Any,
) -> Symbol:
    """Take a step of AdamW, with the weight kept in float32 too; see `adamw_update`."""
    inputs = (weight, grad, mean, var, weight32, _as_symbol(rescale_grad))
    return _internal._mp_adamw_update(*inputs, lr=lr, eta=eta, **settings)  # type: ignore[no-any-return]
