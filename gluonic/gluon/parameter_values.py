"""The values of a parameter: an array for each context, and their gradients."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from gluonic import ndarray as nd
from gluonic.gluon import parameter_errors as errors
from gluonic.gluon.sparse_values import RowsOfParameter, set_to_zero, with_all_rows
from gluonic.graph.memory import copied
from gluonic.graph.versions import mark_replaced
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.context import CPU, current_context, usable
from gluonic.ndarray.differentiate import mark_variables
from gluonic.ndarray.frozen import FROZEN
from gluonic.ndarray.numpy_class import as_switched
from gluonic.ndarray.placing import placed
from gluonic.ndarray.state import Flags

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _noting(change: _Method) -> _Method:
    """A list method that also notifies compiled nets that a parameter's arrays were replaced."""

    def changed(self: "ParameterArrays", *args: Any, **kwargs: Any) -> Any:
        result = change(self, *args, **kwargs)
        mark_replaced()
        return result

    changed.__name__, changed.__doc__ = change.__name__, change.__doc__
    return changed  # type: ignore[return-value]


class ParameterArrays(list[NDArray]):
    """The arrays of a parameter; programs written for MXNet assign other arrays to its items."""

    __setitem__ = _noting(list.__setitem__)
    __delitem__ = _noting(list.__delitem__)
    __iadd__ = _noting(list.__iadd__)
    __imul__ = _noting(list.__imul__)
    append, extend, insert = _noting(list.append), _noting(list.extend), _noting(list.insert)
    pop, remove, clear = _noting(list.pop), _noting(list.remove), _noting(list.clear)
    sort, reverse = _noting(list.sort), _noting(list.reverse)


class ParameterValues(RowsOfParameter):
    """The values and the gradients of a parameter, with the private names that MXNet's users know.

    Attributes
    ----------
    _ctx_list : the contexts
    _ctx_map : for contexts of even and of odd kinds, a list of positions in `_ctx_list`, by device index
    _deferred_init : a deferred initialization: the initializer, the contexts, the default initializer and a
        value, if it was set; empty if none is deferred
    """

    name: str
    _arrays: list[NDArray] | None
    _gradients: list[NDArray] | None
    _ctx_list: list[Context] | None
    _ctx_map: list[list[int | None]] | None
    _deferred_init: tuple[Any, ...]
    _grad_req: str
    _differentiable: bool
    _shape: tuple[int, ...] | None
    _stype: str
    _grad_stype: str
    _trainer: Any

    @property
    def _data(self) -> list[NDArray] | None:
        """The values on all contexts; None if there are none."""
        return self._arrays

    @_data.setter
    def _data(self, arrays: list[NDArray] | None) -> None:
        self._arrays = arrays
        mark_replaced()

    @property
    def _grad(self) -> list[NDArray] | None:
        """The gradients on all contexts; None if there are none."""
        return self._gradients

    @_grad.setter
    def _grad(self, gradients: list[NDArray] | None) -> None:
        self._gradients = gradients
        mark_replaced()

    # What it has

    @property
    def declared_shape(self) -> tuple[int, ...] | None:
        """The shape as far as it is known; 0 is an unknown axis."""
        return self._shape

    @property
    def is_initialized(self) -> bool:
        """Whether it has values."""
        return self._arrays is not None

    @property
    def is_deferred(self) -> bool:
        """Whether its initialization waits for its shape."""
        return bool(self._deferred_init)

    @property
    def has_sparse_value(self) -> bool:
        """Whether its storage type is ``"row_sparse"`` or ``"csr"``."""
        return self._stype != "default"

    @property
    def has_sparse_gradient(self) -> bool:
        """Whether the storage type of its gradient is one of these."""
        return self._grad_stype != "default"

    @property
    def notes_replacements(self) -> bool:
        """Whether it notifies nets of replaced arrays; not if a program has assigned its own lists."""
        held = (self._arrays, self._gradients)
        return all(isinstance(x, ParameterArrays) for x in held if x is not None)

    # Taking values

    def on_initialization(self, action: Callable[[], None]) -> None:
        """Call a function whenever the parameter has been initialized."""
        initialize = self._init_impl

        def initialize_and_act(*arguments: Any) -> None:
            initialize(*arguments)
            action()

        self._init_impl = initialize_and_act  # type: ignore[assignment, method-assign]

    def _init_impl(self, data: NDArray, ctx_list: Iterable[Context]) -> None:
        """Set copies of a value, one per context, and create gradients for them."""
        contexts = list(ctx_list)
        if self._stype != "default":
            data = with_all_rows(data, self._stype)
            self._hold([data.copyto(ctx) for ctx in contexts])
            return
        value = data.host_elements()
        what = f"the value of {self.name}"
        self._hold([as_switched(placed(copied(value, what), ctx)) for ctx in contexts])

    def _hold(self, arrays: Sequence[NDArray]) -> None:
        self._ctx_list = [array.context for array in arrays]
        self._ctx_map = _positions(self._ctx_list)
        self._data = ParameterArrays(arrays)
        self._init_grad()
        self._deferred_init = ()  # last, so that an initialization that failed before can be tried again

    def _init_grad(self) -> None:
        """Create gradients of zeros, unless `grad_req` is ``"null"``."""
        if self._arrays is None:
            return
        self._grad = None
        if self._grad_req == "null":
            return
        for array in self._arrays:
            array.attach_grad(self._grad_req, self._grad_stype)
        self._grad = ParameterArrays(array.grad for array in self._arrays)

    def _replace_values(self, convert: Callable[[NDArray], NDArray]) -> None:
        """Replace all values and gradients by converted arrays."""
        with Flags(False, None):
            assert self._arrays is not None
            arrays = ParameterArrays(map(convert, self._arrays))
            if self._grad is not None:
                self._grad = ParameterArrays(map(convert, self._grad))
                mark_variables(arrays, self._grad, self._grad_req)
        self._data = arrays

    def _detach_values(self) -> None:
        """Make the values constants on the tape."""
        if self._arrays is not None:
            self._grad = None
            self._data = ParameterArrays(array.detach() for array in self._arrays)

    # Giving them

    def _check_and_get(self, arr_list: list[NDArray] | None, ctx: Any) -> Any:
        """The array on a context, or all of them if `ctx` is the type `list`."""
        if arr_list is None:
            self._refuse_uninitialized()
        if ctx is list:
            return arr_list
        if ctx is None:
            if len(arr_list) == 1:
                return arr_list[0]
            ctx = current_context()
        for array in arr_list:
            if (array.stated_context or CPU) is ctx:
                return array
        return self._found_on(usable(ctx), arr_list)

    def _found_on(self, ctx: Context, arr_list: Sequence[NDArray]) -> NDArray:
        """The array on the same device; page-locked and shared memory belong to the CPU, too."""
        number, kind = ctx.device_id, ctx.device_typeid & 1
        for array in arr_list:
            found = array.stated_context or CPU
            if found.device_id == number and found.device_typeid & 1 == kind:
                return array
        raise errors.other_context(self, ctx)

    def _refuse_uninitialized(self) -> NoReturn:
        if self._deferred_init:
            raise errors.still_deferred(self)
        raise errors.uninitialized(self)

    def data(self, ctx: Context | None = None) -> NDArray:
        """Return the value on a context.

        A derived class may return something computed from the value: blocks compute with that.

        Raises
        ------
        DeferredInitializationError
            if its shape is not known yet
        RuntimeError
            if it was never initialized, or not on that context
        """
        arrays = self._arrays
        if self._stype == "row_sparse":
            self._refuse_rows()
        if arrays is not None and len(arrays) == 1:
            only = arrays[0]
            if ctx is None or ctx is (only.stated_context or CPU):
                return only
        found: NDArray = self._check_and_get(arrays, ctx)
        return found

    def list_data(self) -> list[NDArray]:
        """Return the values on all contexts."""
        if self._stype == "row_sparse":
            self._refuse_rows()
        found: list[NDArray] = self._check_and_get(self._arrays, list)
        return found

    def held_arrays(self) -> list[NDArray]:
        """Return the arrays on all contexts, of any storage type; see `list_data`."""
        found: list[NDArray] = self._check_and_get(self._data, list)
        return found

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Return the gradient buffer on a context."""
        found: NDArray = self._check_and_get(self._existing_gradients(), ctx)
        return found

    def list_grad(self) -> list[NDArray]:
        """Return the gradient buffers on all contexts."""
        found: list[NDArray] = self._check_and_get(self._existing_gradients(), list)
        return found

    def _existing_gradients(self) -> list[NDArray] | None:
        if self._arrays is not None and self._grad is None:
            raise errors.no_gradient(self, self._grad_req)
        return self._grad

    def zero_grad(self) -> None:
        """Set the gradients to zero."""
        for gradient in self._grad or ():
            set_to_zero(gradient)

    def list_ctx(self) -> list[Context]:
        """Return the contexts the parameter is, or will be, on."""
        if self._arrays is not None:
            return self._ctx_list or [array.context for array in self._arrays]
        if self._deferred_init:
            contexts: list[Context] = self._deferred_init[1]
            return contexts
        return self._refuse_uninitialized()

    def value_for_files(self) -> NDArray:
        """Return a copy of the value: the mean over all contexts."""
        return self._reduce()

    def _reduce(self) -> NDArray:
        """A copy of the value, for files: the mean over all contexts."""
        with Flags(False, None):
            if self._stype != "default":
                return self._all_rows()
            values = self.list_data()
            if len(values) == 1:
                values = [self.data()]
            copies = [value.copyto(CPU) for value in values]
            mean: NDArray = copies[0] if len(copies) == 1 else nd.add_n(*copies) / len(copies)
            return mean

    def _all_rows(self) -> NDArray:
        """A copy of a sparse value, from the trainer if there is one."""
        held: NDArray = self._check_and_get(self._arrays, list)[0]
        copy: NDArray = held.copyto(CPU)
        if self._trainer is not None:
            self._trainer.pull_all_rows(self, copy)
        return copy

    # Copies and pickles

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the trainer and the symbol, under the names of MXNet's pickles."""
        state = {**self.__dict__, "_trainer": None, "_var": None}
        return {**state, "_data": state.pop("_arrays"), "_grad": state.pop("_gradients")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = [state.pop(name) for name in ("_data", "_grad")]
        self.__dict__.update(state)
        arrays, gradients = (
            x if x is None or isinstance(x, ParameterArrays) else ParameterArrays(x) for x in held
        )
        if arrays is not None and gradients is not None:
            mark_variables(arrays, gradients, self._grad_req)
        self._data, self._grad = arrays, gradients
        self._note_whether_frozen()

    def _note_whether_frozen(self) -> None:
        """Let the error of a `backward` without variables name a parameter whose grad_req is ``"null"``."""
        if self._grad_req == "null" and self._differentiable:
            FROZEN.add(self)
        else:
            FROZEN.discard(self)


def is_overridden(parameter: ParameterValues, method: str) -> bool:
    """Whether the class of a parameter, or the parameter itself, computes something else in a method."""
    held: Any = getattr(type(parameter), method)
    is_own = held is not getattr(ParameterValues, method) and not hasattr(held, "gives_the_value")
    return is_own or method in parameter.__dict__


def _positions(contexts: Sequence[Context]) -> list[list[int | None]]:
    """For contexts of even and of odd kinds, a list of their positions by device index."""
    found: list[list[int | None]] = [[], []]
    for position, ctx in enumerate(contexts):
        of_kind = found[ctx.device_typeid & 1]
        of_kind += [None] * (ctx.device_id + 1 - len(of_kind))
        of_kind[ctx.device_id] = position
    return found
