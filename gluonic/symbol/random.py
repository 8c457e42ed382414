"""Random numbers: ``sym.random.normal``."""

from typing import TYPE_CHECKING, Any

from gluonic.graph.calling import NULL
from gluonic.graph.namespaces import Functions
from gluonic.graph.sampling import make_sampler
from gluonic.symbol import _internal
from gluonic.symbol.register import make_function
from gluonic.symbol.symbol import Symbol


def _find(name: str) -> Any:
    return getattr(_internal, name)


uniform = make_sampler("uniform", _find, Symbol)
normal = make_sampler("normal", _find, Symbol)
poisson = make_sampler("poisson", _find, Symbol)
exponential = make_sampler("exponential", _find, Symbol)
gamma = make_sampler("gamma", _find, Symbol)
negative_binomial = make_sampler("negative_binomial", _find, Symbol)
generalized_negative_binomial = make_sampler("generalized_negative_binomial", _find, Symbol)


def randn(*shape: int, loc: Any = 0, scale: Any = 1, dtype: Any = NULL, **kwargs: Any) -> Symbol:
    """Draw from a normal distribution; the shape is given as separate numbers."""
    given = normal(loc, scale, shape=shape, dtype=dtype, **kwargs)
    assert isinstance(given, Symbol)
    return given


def randint(low: int, high: int, shape: Any = NULL, dtype: Any = NULL, **kwargs: Any) -> Any:
    """Draw whole numbers, from `low` up to but not including `high`."""
    return _internal._random_randint(low=low, high=high, shape=shape, dtype=dtype, **kwargs)


def multinomial(
    data: Symbol, shape: Any = NULL, get_prob: bool = True, dtype: Any = "int32", **kwargs: Any
) -> Any:
    """Draw indices with the probabilities in the last axis of `data`."""
    return _internal._sample_multinomial(data, shape, get_prob, dtype=dtype, **kwargs)


def shuffle(data: Symbol, **kwargs: Any) -> Any:
    """Shuffle `data` along its first axis."""
    return _internal._shuffle(data, **kwargs)


_functions = Functions("random", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.symbol.typed.random import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
