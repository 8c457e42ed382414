"""Machine code that draws random numbers, from the same states as :mod:`gluonic.graph.random_source`."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.draws_code import draws_text
from gluonic.codegen.machine.gamma_draws import MODE_BITS, PRODUCT_MODES
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.module_text import part_of
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.twisters_code import C_FUNCTIONS
from gluonic.codegen.machine.workers import most_threads, workers
from gluonic.graph.twisters import Array, Twisters

_WORTH = 1 << 15
"""From this number of elements on, threads share the runs of an array."""
_CHUNK = 16
"""The number of runs that a thread claims at a time."""
_OPERANDS, _GIVEN = ctypes.c_size_t * 5, ctypes.c_int64 * 4
_NO_TABLE = np.zeros(1)


class DrawingCode:
    """The machine code; each kind of draw is compiled on first use."""

    def __init__(self) -> None:
        self._target = host()  # the text is for it, whatever the environment asks for later
        self._text, kinds = draws_text(has_half=self._target.has_half)
        wide = self._target.vector_bytes * 8
        self._text += f'\nattributes #0 = {{ nounwind "prefer-vector-width"="{wide}" }}\n'
        self._names = {key: name for name, key in kinds.items()}
        self._drawn: dict[Any, tuple[LinkedLibrary, int, Callable[..., None]]] = {}

    def _function(self, code: Any) -> tuple[int, Callable[..., None]]:
        """The address of the code for a kind of draw and a dtype, and the function."""
        drawn = self._drawn.get(code)
        if drawn is None:
            name = self._names[code]
            library = load(part_of(self._text, [name]), [name], C_FUNCTIONS, self._target)
            kind = ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * 4)
            made = library, library[name], kind(library[name])
            drawn = self._drawn.setdefault(code, made)  # another thread's may be running
        return drawn[1:]

    def fill(
        self,
        name: str,
        twisters: Twisters,
        found: Array,
        runs: tuple[int, int],
        parameters: Sequence[Any],
    ) -> bool:
        """Fill a contiguous one-dimensional array; return False if there is no code for the draw."""
        code = name, found.dtype
        numbers = _numbers(name, parameters)
        if numbers is None or code not in self._names:
            return False
        table, share = numbers
        address, function = self._function(code)
        operands = _OPERANDS(
            address_of(twisters.blocks),
            address_of(twisters.ready),
            address_of(twisters.positions),
            address_of(found),
            address_of(table),
        )
        given = _GIVEN(twisters.first_seed, runs[1], found.size, share)
        addresses = ctypes.addressof(operands), ctypes.addressof(given)
        threads = most_threads() if found.size >= _WORTH and runs[0] > _CHUNK else 1
        if threads > 1:
            _share()(address, *addresses, runs[0], _CHUNK, threads, 0, 0)
        else:
            function(*addresses, 0, runs[0])
        return True


def _numbers(name: str, parameters: Sequence[Any]) -> tuple[Array, int] | None:
    """The parameters as a table of doubles, and a number; None if machine code does not support them."""
    if name == "kept":
        return _NO_TABLE, parameters[0]
    if name in ("uniform", "normal", "paired"):
        return np.array(parameters, np.float64), 0
    if name in ("exponential", "poisson"):
        return np.ascontiguousarray(parameters[0], np.float64), parameters[1]
    if name in ("gamma", "mixed"):
        table, share, product = parameters
        if product == np.float16 and not host().has_half:
            return None
        mode = PRODUCT_MODES[np.dtype(product).name]
        return np.ascontiguousarray(table), share << MODE_BITS | mode
    return _NO_TABLE, parameters[0] if parameters else 0


@cache
def _share() -> Any:
    """The function with which threads share runs."""
    return ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * 8)(workers().share)


@cache
def machine() -> DrawingCode:
    """The machine code of this process."""
    return DrawingCode()
