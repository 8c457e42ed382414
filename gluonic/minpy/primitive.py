"""``minpy.primitive``: `customop`, which makes an operator of a Python function."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.minpy.call import Call, NoGradientFuncError, plain
from gluonic.minpy.definition import Definition, Gradient, enter
from gluonic.minpy.node import make_symbols
from gluonic.minpy.template import Template
from gluonic.ndarray import NDArray
from gluonic.ndarray.differentiate import record_function
from gluonic.ndarray.recording import wrap
from gluonic.ndarray.state import STATE
from gluonic.symbol import Symbol

__all__ = ["NoGradientFuncError", "Primitive", "customop"]

_KINDS = ("numpy", "mxnet")


class Primitive(Definition):
    """An operator from a Python function; made by `customop`.

    Parameters
    ----------
    func, kind, outputs : see `customop`
    """

    def __init__(self, func: Callable[..., Any], kind: str, outputs: int = 1) -> None:
        functools.update_wrapper(self, func)
        super().__init__(func, kind, outputs)
        if "<locals>" not in self.title:  # so that graphs that use it can be loaded
            enter(self)

    def __str__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"<{self.kind} operator {self.__name__}>"

    # Derivatives

    def def_grad(self, func: Gradient, argnum: int = 0) -> "Primitive":
        """Define the derivative with respect to one argument.

        Parameters
        ----------
        func : ``func(ans, *args, **kwargs)`` takes the result and the arguments, and returns a function from
            the gradient of the result to that of the argument
        argnum : the position of the argument
        """
        self.gradients[argnum] = func, None
        return self

    def def_grad_kw(self, func: Gradient, key: str) -> "Primitive":
        """Define the derivative with respect to a keyword argument."""
        self.gradients[key] = func, None
        return self

    def def_grad_zero(self, argnum: int = 0) -> "Primitive":
        """Define the derivative with respect to one argument as zero."""
        return self.def_grad(lambda *args, **kwargs: lambda g: 0.0, argnum)

    def def_multiple_grad(self, func: Gradient, argnums: Sequence[int]) -> "Primitive":
        """Define the derivatives with respect to several arguments, with one function that returns all."""
        numbers = tuple(argnums)
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"def_multiple_grad: argnums={numbers} has duplicates")
        for number in numbers:
            self.gradients[number] = func, numbers
        return self

    # Calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function on arrays, or add it to a graph if there are Symbols among the arguments.

        Returns
        -------
        NDArray, Symbol or a tuple of them
            one for each result; a number becomes an array of one element
        """
        if any(isinstance(value, Symbol) for value in (*args, *kwargs.values())):
            return make_symbols(self, args, kwargs)
        template, arrays = Template.of_call(args, self.without_name(kwargs), _is_array)
        call = Call(self, template, [plain(a) for a in arrays])
        results = [wrap(array) for array in call.run()]
        if STATE.recording:
            inputs = [a if isinstance(a, NDArray) else NDArray(np.asarray(a)) for a in arrays]
            self._record(call, inputs, results)
        return tuple(results) if call.is_tuple else results[0]

    def _record(self, call: "Call", inputs: list[NDArray], results: list[NDArray]) -> None:
        wanted = [i for i, x in enumerate(inputs) if x.tape_entry is not None]
        if wanted:
            call.prepare(wanted)

        def gradients(heads: list[NDArray | None]) -> list[NDArray | None]:
            given = [None if head is None else head.elements for head in heads]
            found = call.gradients(given, wanted)
            return [wrap(found[i]) if i in found else None for i in range(len(inputs))]

        record_function(inputs, results, gradients)


def _is_array(value: Any) -> bool:
    return isinstance(value, (NDArray, np.ndarray))


def customop(op_type: str, *, outputs: int = 1) -> Callable[[Callable[..., Any]], Primitive]:
    """Make an operator of a function (a decorator).

    Parameters
    ----------
    op_type : ``"numpy"`` if the function computes with NumPy arrays, ``"mxnet"`` if with NDArrays
    outputs : number of results in symbols and hybridized blocks

    Raises
    ------
    ValueError
        for another `op_type`

    Examples
    --------
    >>> from gluonic import nd
    >>> @customop("numpy")
    ... def square(x):
    ...     return x * x
    >>> square.def_grad(lambda ans, x: lambda g: 2 * x * g)
    <numpy operator square>
    >>> square(nd.array([3.0])).asnumpy()
    array([9.], dtype=float32)
    """
    if op_type not in _KINDS:
        raise ValueError(f'customop({op_type!r}) must be "numpy" or "mxnet"')
    return lambda func: Primitive(func, op_type, outputs)
