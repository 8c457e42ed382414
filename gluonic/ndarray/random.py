"""``nd.random``: samples of distributions whose parameters are numbers or arrays."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic.graph.arithmetic import is_number
from gluonic.graph.calling import NULL
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.namespaces import Functions
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.ndarray import _internal
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context, current_context
from gluonic.ndarray.functions import make_function


class DistributionError(MXNetError, ValueError, AssertionError, TypeError):
    """Parameters of a distribution are of different kinds."""


class _Distribution(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    parameters : the names and defaults of the parameters; `REQUIRED` has none
    documentation : the description of the samples
    adapt : maps the parameters to the operator's
    """

    parameters: dict[str, Any]
    documentation: str
    adapt: Callable[..., tuple[Any, ...]] = lambda *parameters: parameters


_REQUIRED = inspect.Parameter.empty

DISTRIBUTIONS: dict[str, _Distribution] = {
    "uniform": _Distribution(
        {"low": 0, "high": 1}, "from the uniform distribution on ``[low, high)``"
    ),
    "normal": _Distribution(
        {"loc": 0, "scale": 1},
        "from the normal distribution with mean `loc` and standard deviation `scale`",
    ),
    "poisson": _Distribution({"lam": 1}, "from the Poisson distribution with mean `lam`"),
    "exponential": _Distribution(
        {"scale": 1},
        "from the exponential distribution with mean `scale`",
        lambda scale: (1.0 / scale,),
    ),
    "gamma": _Distribution(
        {"alpha": 1, "beta": 1}, "from the gamma distribution with shape `alpha` and scale `beta`"
    ),
    "negative_binomial": _Distribution(
        {"k": 1, "p": 1},
        "from the negative binomial distribution: failures before `k` successes of probability `p`",
    ),
    "generalized_negative_binomial": _Distribution(
        {"mu": 1, "alpha": 1},
        "from the negative binomial distribution with mean `mu` and dispersion `alpha`",
    ),
    "randint": _Distribution(
        {"low": _REQUIRED, "high": _REQUIRED}, "integers of ``[low, high)``, all equally likely"
    ),
}


def _draw(
    name: str, parameters: tuple[Any, ...], shape: Any, dtype: Any, ctx: Context | None, out: Any,
) -> Any:  # fmt: skip
    """Call the operator for numbers or the one for arrays of parameters."""
    keywords = {"out": out, "dtype": dtype}
    if all(isinstance(p, NDArray) for p in parameters) and name != "randint":
        return getattr(_internal, f"_sample_{name}")(*parameters, shape=shape, **keywords)
    if all(is_number(p) for p in parameters):
        if shape is NULL and out is None:
            shape = 1
        context = current_context() if ctx is None else ctx
        sampler = getattr(_internal, f"_random_{name}")
        return sampler(*parameters, shape=shape, ctx=context, **keywords)
    kinds = ", ".join(type(p).__name__ for p in parameters)
    raise DistributionError(
        describe(
            f"distribution parameters must all be numbers or all be NDArrays, but got {kinds}",
            where=f"random.{name}",
        )
    )


def _make(name: str, row: _Distribution) -> Callable[..., Any]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    tail = {"shape": NULL, "dtype": NULL, "ctx": None, "out": None}
    known = {**row.parameters, **tail}
    required = {each for each, default in known.items() if default is _REQUIRED}
    signature = inspect.Signature(
        [inspect.Parameter(each, kind, default=default) for each, default in known.items()]
    )

    def function(*arguments: Any, **keywords: Any) -> Any:
        keywords.pop("name", None)
        given = {**dict(zip(known, arguments, strict=False)), **keywords}
        values = {**known, **given}
        is_clear = len(given) == len(arguments) + len(keywords) and len(values) == len(known)
        if not is_clear or not required <= given.keys():
            signature.bind(*arguments, **keywords)  # raises the error
        *parameters, shape, dtype, ctx, out = values.values()
        return _draw(name, row.adapt(*parameters), shape, dtype, ctx, out)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    names = ", ".join(row.parameters)
    function.__doc__ = (
        f"Draw {row.documentation}.\n\n"
        "Parameters\n----------\n"
        f"{names} : numbers, or NDArrays of one shape, for samples of one distribution each\n"
        "shape : the shape of the samples; with arrays it comes after theirs\n"
        "dtype : the element type\n"
        "ctx : the context; the current one by default\n"
        "out : an array to be filled instead\n"
    )
    return function


functions: dict[str, Callable[..., Any]] = {n: _make(n, row) for n, row in DISTRIBUTIONS.items()}
globals().update(functions)


def randn(*shape: int, **keywords: Any) -> Any:
    """Draw from the normal distribution; the lengths of the axes are the first arguments.

    Parameters
    ----------
    shape : the lengths; without any, one number is drawn (an array without axes under `np_shape`)
    loc, scale, dtype, ctx, out : as for `normal`
    """
    asked = shape if shape or is_np_shape() else NULL
    return functions["normal"](
        keywords.pop("loc", 0), keywords.pop("scale", 1), shape=asked, **keywords
    )


def multinomial(
    data: NDArray,
    shape: Any = NULL,
    get_prob: bool = False,
    out: Any = None,
    dtype: Any = "int32",
    **keywords: Any,
) -> Any:
    """Draw indices of categories.

    Parameters
    ----------
    data : the probabilities, shape (categories,) or (distributions, categories)
    shape : the shape of the samples of each distribution
    get_prob : return the logarithm of the samples' probabilities too
    dtype : the element type of the samples
    out : an array to be filled instead
    """
    return _internal._sample_multinomial(
        data, shape=shape, get_prob=get_prob, out=out, dtype=dtype, **keywords
    )


def shuffle(data: NDArray, **keywords: Any) -> Any:
    """Return the array with its rows (entries along the first axis) in random order.

    Parameters
    ----------
    data : the array
    out : an array to be filled instead
    """
    return _internal._shuffle(data, **keywords)


_others = Functions("random", globals(), make_function)
__all__ = ["multinomial", "randn", "shuffle"]
if TYPE_CHECKING:
    from gluonic.ndarray.typed import random as _typed
    from gluonic.ndarray.typed.random import *

    __all__ += _typed.__all__
else:
    __all__ += DISTRIBUTIONS
    __getattr__ = _others.find
__dir__ = _others.names
