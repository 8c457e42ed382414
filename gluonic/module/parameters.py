"""The parameters of a module: their initialization, assignment and copies."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from gluonic.graph.errors import CallError, describe
from gluonic.initializer import InitDesc
from gluonic.module.base import DEFAULT_INITIALIZER, BaseModule
from gluonic.module.executor_group import DataParallelExecutorGroup
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.state import RANDOM


class Parameterized(BaseModule):
    """A symbol whose parameters are in executors, once it is bound.

    Parameters
    ----------
    symbol : the symbol to compute
    names : the arguments that are parameters
    logger : the logger of `fit`
    """

    def __init__(self, symbol: Any, names: Sequence[str], logger: Any) -> None:
        super().__init__(logger)
        self._symbol = symbol
        self._param_names = list(names)
        self._aux_names: list[str] = symbol.list_auxiliary_states()
        self._arg_params: dict[str, NDArray] | None = None
        self._aux_params: dict[str, NDArray] | None = None
        self._params_dirty = False  # whether the copies above are older than the executors' values
        self._exec_group: DataParallelExecutorGroup | None = None

    @property
    def _group(self) -> DataParallelExecutorGroup:
        """The executors; an AssertionError before `bind`."""
        self.require("binded")
        assert self._exec_group is not None
        return self._exec_group

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters, from given values or new ones.

        Parameters
        ----------
        initializer : for values that are not given, `Uniform(0.01)` by default; None leaves them unchanged
        arg_params, aux_params : values of parameters and of auxiliary states by name; None for none
        allow_missing : whether given values may be incomplete
        force_init : whether to initialize again
        allow_extra : no effect; names that the symbol does not have are ignored

        Raises
        ------
        MXNetError
            before anything is changed, if a value has another shape, or there is neither a value nor an
            initializer
        RuntimeError
            if some are missing
        """
        self.require("binded")
        if self.params_initialized and not force_init:
            return
        new: dict[str, list[NDArray]] = {}
        for arrays, given in zip(self._targets(), (arg_params, aux_params), strict=True):
            missing = [name for name in arrays if given is None or name not in given]
            if missing and given is None and initializer is None:
                raise CallError(
                    describe(
                        f"neither values nor an initializer are given for {', '.join(missing)}",
                        where=f"{type(self).__name__}.init_params",
                    )
                )
            if missing and given is not None and not allow_missing:
                raise RuntimeError(
                    f"{', '.join(missing)} is not presented; allow_missing=True initializes what is missing"
                )
            new.update((name, arrays[name]) for name in sorted(missing))
        self._put(arg_params or {}, aux_params or {})
        if initializer is not None:
            attributes = self._symbol.attr_dict()
            RANDOM.source.expect(prod(first.shape) for first, *_ in new.values())
            for name, (first, *others) in new.items():
                value = first.copyto(CPU) if first.on_device else first
                initializer(InitDesc(name, attributes.get(name)), value)
                for array in [first, *others] if value is not first else others:
                    assign_array(array, value)
        self.params_initialized = True
        self._sync_params_from_devices()

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters and the auxiliary states.

        Parameters
        ----------
        arg_params, aux_params : values by name
        allow_missing : whether values may be missing; those parameters keep theirs
        force_init : whether to replace existing values
        allow_extra : whether unknown names are accepted with `allow_missing`; without it they are ignored

        Raises
        ------
        ValueError
            for a name that the symbol does not have
        """
        if not allow_missing:
            super().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        self.require("binded")
        if self.params_initialized and not force_init:
            return
        self._put(arg_params or {}, aux_params or {}, allow_extra=allow_extra)
        self.params_initialized = True
        self._sync_params_from_devices()

    def _sync_params_from_devices(self) -> None:
        """Bring the copies of the parameters up to date."""
        self._arg_params, self._aux_params = self.get_params()
        self._params_dirty = False

    def _targets(self) -> tuple[dict[str, list[NDArray]], dict[str, list[NDArray]]]:
        """The arrays of parameters and of auxiliary states, one per context."""
        return self._group.parameters, self._group.states

    def _put(
        self,
        arguments: Mapping[str, NDArray],
        states: Mapping[str, NDArray],
        *,
        allow_extra: bool = True,
    ) -> None:
        """Copy values into the arrays with their names, if all have the right shapes."""
        self._group.set_params(arguments, states, allow_extra=allow_extra)

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and the auxiliary states, by name."""
        if self._exec_group is None and self._arg_params is not None:
            return self._arg_params, self._aux_params or {}
        self.require("binded", "params_initialized")
        found: tuple[dict[str, NDArray], dict[str, NDArray]] = {}, {}
        self._group.get_params(*found)
        return found


def preload_params(
    module: Parameterized,
    arg_params: dict[str, NDArray] | None,
    aux_params: dict[str, NDArray] | None,
) -> None:
    """Give a module that is not bound yet its parameters and auxiliary states."""
    module._arg_params, module._aux_params = arg_params, aux_params
    module.params_initialized = True
