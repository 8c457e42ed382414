"""The base of initializers, their choice by a parameter's name, and their creation by name."""

import json
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic import registry
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.random import functions


class InitDesc(str):
    """The name of a parameter, with further attributes for the initializer.

    Parameters
    ----------
    name : the name
    attrs : attributes of the parameter; ``__init__`` is its own initializer
    global_init : the initializer to fall back upon

    Attributes
    ----------
    attrs, global_init : as given
    """

    attrs: dict[str, Any]
    global_init: Any

    def __new__(
        cls, name: str, attrs: Mapping[str, Any] | None = None, global_init: Any = None
    ) -> "InitDesc":
        """Create a string with attributes."""
        made = super().__new__(cls, name)
        made.attrs, made.global_init = dict(attrs or {}), global_init
        return made


_RULES = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "moving_mean": "_init_zero",
    "moving_var": "_init_one",
    "moving_inv_var": "_init_zero",
    "moving_avg": "_init_zero",
    "min": "_init_zero",
    "max": "_init_one",
    "weight_quantize": "_init_quantized_weight",
    "bias_quantize": "_init_quantized_bias",
}


class Initializer(CheckedArguments):
    """The base of all initializers; a new one overrides `_init_weight`.

    Parameters
    ----------
    kwargs : the settings, for `dumps`
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], str] | None = None

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], str] | None = None
    ) -> "Initializer":
        """Log every initialization.

        Parameters
        ----------
        verbose : whether to log
        print_func : describes an array as text; by default by its root mean square
        """
        self._verbose = verbose
        self._print_func = print_func or _root_mean_square
        return self

    def dumps(self) -> str:
        """Return name and settings as JSON, from which `create` makes an equal initializer."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill `arr`.

        Parameters
        ----------
        desc : the description of the parameter, an `InitDesc`
        arr : the array

        Raises
        ------
        ValueError
            if the name does not determine the values
        """
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
            self._log(desc, own, arr)
            return
        suffix = next((suffix for suffix in _RULES if desc.endswith(suffix)), None)
        if suffix is None:
            self._init_default(desc, arr)
            return
        getattr(self, _RULES[suffix])(desc, arr)
        self._log(desc, suffix, arr)

    def _log(self, desc: str, how: Any, arr: NDArray) -> None:
        if self._verbose and self._print_func is not None:
            logging.info("Initialized %s as %s: %s", desc, how, self._print_func(arr))

    def _legacy_init(self, name: Any, arr: Any) -> None:
        warnings.warn(
            "Calling an initializer with a plain name is deprecated; give it an InitDesc",
            DeprecationWarning,
            stacklevel=3,
        )
        if not isinstance(name, str) or not isinstance(arr, NDArray):
            raise TypeError(
                f"an initializer takes a name and an NDArray, not {type(name).__name__} and "
                f"{type(arr).__name__}"
            )
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            self._init_loc_bias(name, arr)
        else:
            self(InitDesc(name), arr)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__} must override _init_weight")

    def _init_bilinear(self, name: str, arr: NDArray) -> None:
        arr[:] = _bilinear_kernel(arr.shape)

    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        if arr.shape != (6,):
            raise MXNetError(f"{name}: the bias of a localisation net is (6,), not {arr.shape}")
        arr[:] = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0])

    def _init_zero(self, name: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_one(self, name: str, arr: NDArray) -> None:
        arr[:] = 1

    def _init_bias(self, name: str, arr: NDArray) -> None:
        self._init_zero(name, arr)

    def _init_beta(self, name: str, arr: NDArray) -> None:
        self._init_zero(name, arr)

    def _init_gamma(self, name: str, arr: NDArray) -> None:
        self._init_one(name, arr)

    def _init_quantized_bias(self, name: str, arr: NDArray) -> None:
        self._init_zero(name, arr)

    def _init_quantized_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = functions["randint"](-127, 127).asscalar()

    def _init_default(self, name: str, arr: NDArray) -> None:
        raise ValueError(
            describe(
                "the name does not tell how to initialize it",
                where=name,
                facts=[f"names end in {', '.join(_RULES)}"],
                hint=f"label_names=[{name!r}] in the Module"
                if name.endswith("label")
                else "init= for this parameter or variable",
            )
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self._kwargs == other._kwargs

    def __hash__(self) -> int:
        return hash(type(self))


def _root_mean_square(arr: NDArray) -> str:
    return str(np.sqrt(np.mean(np.square(arr.asnumpy()))))


Init = Initializer | str | None
"""The type of a layer's initializer argument: an initializer, its name, or None for the default."""

register = registry.get_register_func(Initializer, "initializer")
alias = registry.get_alias_func(Initializer, "initializer")
_create = registry.get_create_func(Initializer, "initializer")


def create(*args: Any, **kwargs: Any) -> Any:
    """Make an initializer by name, from JSON or from a dictionary; a callable is returned as it is.

    Examples
    --------
    >>> create("constant", value=2).dumps()
    '["constant", {"value": 2}]'
    """
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return args[0]
    return _create(*args, **kwargs)


def _bilinear_kernel(shape: Sequence[int]) -> npt.NDArray[np.float32]:
    """Return, for every filter, the kernel with which a transposed convolution interpolates."""
    half = np.ceil(shape[3] / 2.0)
    centre = (2 * half - 1 - half % 2) / (2.0 * half)
    rows, columns = (1 - np.abs(np.arange(n) / half - centre) for n in shape[2:])
    return np.broadcast_to(np.outer(rows, columns), shape).astype(np.float32)
