"""The samplers of ``nd.random`` and ``sym.random``: numbers as parameters, or arrays of them.

With numbers, one distribution fills an array of a given shape; with arrays, each element has a
distribution of its own. MXNet has an operator for each case; the functions here choose.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.arithmetic import is_number
from gluonic.graph.calling import NULL


class DrawingFunction(NamedTuple):
    """A distribution.

    Attributes
    ----------
    parameters : the function's parameters and their defaults
    single : the attributes of the operator for numbers
    documentation : a description of the draws
    inverse : whether the operators take the parameter's reciprocal
    """

    parameters: dict[str, float]
    single: tuple[str, ...]
    documentation: str
    inverse: bool = False


SAMPLERS = {
    "uniform": DrawingFunction(
        {"low": 0, "high": 1}, ("low", "high"), "Draw from a uniform distribution over [low, high)."
    ),
    "normal": DrawingFunction(
        {"loc": 0, "scale": 1},
        ("loc", "scale"),
        "Draw from a normal distribution with mean `loc` and standard deviation `scale`.",
    ),
    "poisson": DrawingFunction(
        {"lam": 1}, ("lam",), "Draw from a Poisson distribution with mean `lam`."
    ),
    "exponential": DrawingFunction(
        {"scale": 1}, ("lam",), "Draw from an exponential distribution with mean `scale`.", True
    ),
    "gamma": DrawingFunction(
        {"alpha": 1, "beta": 1},
        ("alpha", "beta"),
        "Draw from a gamma distribution with shape `alpha` and scale `beta`.",
    ),
    "negative_binomial": DrawingFunction(
        {"k": 1, "p": 1},
        ("k", "p"),
        "Draw the number of failures before the `k`-th success, each of probability `p`.",
    ),
    "generalized_negative_binomial": DrawingFunction(
        {"mu": 1, "alpha": 1},
        ("mu", "alpha"),
        "Draw from a negative binomial distribution with mean `mu` and dispersion `alpha`.",
    ),
}
_PARAMETERS = """

Parameters
----------
{names} : numbers, or arrays (of equal shapes) with an element for each distribution
shape : the shape of the draws from each distribution
dtype : the dtype of the result, float32 by default
"""


def make_sampler(
    name: str, find: Callable[[str], Callable[..., Any]], kind: type
) -> Callable[..., Any]:
    """Make a function of ``random``.

    Parameters
    ----------
    name : the name in `SAMPLERS`
    find : finds an operator's function by the operator's name
    kind : the class of arrays: NDArray or Symbol
    """
    sampler = SAMPLERS[name]
    names = list(sampler.parameters)

    def function(*args: Any, shape: Any = NULL, dtype: Any = NULL, **kwargs: Any) -> Any:
        if len(args) > len(names):
            extra = dict(zip(("shape", "dtype", "ctx", "out"), args[len(names) :], strict=False))
            shape, dtype = extra.pop("shape", shape), extra.pop("dtype", dtype)
            kwargs.update({k: v for k, v in extra.items() if v is not None})
        values = [
            args[i] if i < len(args) else kwargs.pop(each, sampler.parameters[each])
            for i, each in enumerate(names)
        ]
        if kwargs.get("ctx", NULL) is None:
            del kwargs["ctx"]
        given = {"shape": shape, "dtype": dtype, **kwargs}
        given = {key: value for key, value in given.items() if value is not NULL}
        if all(isinstance(value, kind) for value in values):
            return find(f"_sample_{name}")(*map(inverted, values), **given)
        for each, value in zip(names, values, strict=True):
            _require_number(name, each, value, kind)
        settings = dict(zip(sampler.single, map(inverted, values), strict=True))
        return find(f"_random_{name}")(**settings, **given)

    def inverted(value: Any) -> Any:
        return 1.0 / value if sampler.inverse else value

    _dress(function, name, sampler)
    return function


def _require_number(name: str, parameter: str, value: Any, kind: type) -> None:
    if isinstance(value, kind):
        raise ValueError(
            f"random.{name}: its parameters must be all numbers or all {kind.__name__}s"
        )
    if not is_number(value):
        raise ValueError(
            f"random.{name}: {parameter} must be a number or a {kind.__name__}, not {value!r}"
        )


def _dress(function: Callable[..., Any], name: str, sampler: DrawingFunction) -> None:
    parameter = inspect.Parameter
    members = [
        parameter(each, parameter.POSITIONAL_OR_KEYWORD, default=default)
        for each, default in {**sampler.parameters, "shape": NULL, "dtype": NULL}.items()
    ]
    members.append(parameter("kwargs", parameter.VAR_KEYWORD))
    function.__name__ = function.__qualname__ = name
    function.__signature__ = inspect.Signature(members)  # type: ignore[attr-defined]
    names = ", ".join(sampler.parameters)
    function.__doc__ = sampler.documentation + _PARAMETERS.format(names=names)


def rand_zipfian(
    uniform: Callable[..., Any], true_classes: Any, num_sampled: int, range_max: int
) -> Any:
    """Draw classes whose probability decreases with their number, about as ``1 / (class + 1)``.

    The probability is ``(log(class + 2) - log(class + 1)) / log(range_max + 1)``.

    Parameters
    ----------
    uniform : the function of ``random`` to draw with
    true_classes : classes whose expected counts to return, shape (n,)
    num_sampled : number of draws
    range_max : the number of classes

    Returns
    -------
    samples : the classes drawn, int64
    expected_count_true : expected count of each of `true_classes`, float64
    expected_count_sample : expected count of each of `samples`, float64
    """
    log_range = math.log(range_max + 1)

    def expected(classes: Any) -> Any:
        numbers = classes.astype("float64")
        return ((numbers + 2) / (numbers + 1)).log() * (num_sampled / log_range)

    draws = uniform(0, log_range, shape=(num_sampled,), dtype="float64")
    samples = (draws.exp() - 1).astype("int64") % range_max
    return samples, expected(true_classes), expected(samples)
