"""The parameters of a module: their first values, given ones, and copies of them."""

from collections.abc import Sequence
from typing import Any

from gluonic.initializer import InitDesc, Uniform
from gluonic.module.base import BaseModule
from gluonic.ndarray import NDArray
from gluonic.ndarray.kernels import overwrite


class Parameterized(BaseModule):
    """A symbol whose parameters lie in an executor, once there is one.

    Parameters
    ----------
    symbol : what to compute
    names : the arguments that are parameters
    logger : where `fit` reports
    """

    def __init__(self, symbol: Any, names: Sequence[str], logger: Any) -> None:
        super().__init__(logger)
        self._symbol = symbol
        self._param_names = list(names)
        self._aux_names: list[str] = symbol.list_auxiliary_states()
        self._arg_params: dict[str, NDArray] | None = None
        self._aux_params: dict[str, NDArray] | None = None
        self._executor: Any = None

    def init_params(
        self,
        initializer: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Give the parameters their values: given ones, or new ones.

        Parameters
        ----------
        initializer : for parameters that are not given; `Uniform(0.01)` by default
        arg_params, aux_params : values by name
        allow_missing : whether parameters may be missing among the given
        allow_extra : whether there may be others among the given
        """
        self._require("binded")
        if self.params_initialized and not force_init:
            return
        attributes = self._symbol.attr_dict()
        given = {**(arg_params or {}), **(aux_params or {})}
        targets = self._parameters()
        self._check_given(given, targets, arg_params is not None, allow_missing, allow_extra)
        for name, array in targets.items():
            if name in given:
                overwrite(array, given[name]._data)
            elif initializer is not None or not given:
                description = InitDesc(name, attributes.get(name))
                (Uniform(0.01) if initializer is None else initializer)(description, array)
        self.params_initialized = True

    def _parameters(self) -> dict[str, NDArray]:
        arguments, states = self._executor.arg_dict, self._executor.aux_dict
        return {
            **{name: arguments[name] for name in self._param_names},
            **{name: states[name] for name in self._aux_names},
        }

    @staticmethod
    def _check_given(
        given: Any, targets: Any, complete: bool, allow_missing: bool, allow_extra: bool
    ) -> None:
        missing = [name for name in targets if name not in given]
        if complete and missing and not allow_missing:
            raise RuntimeError(
                f"no value is given for {', '.join(missing)}; allow_missing=True keeps them"
            )
        extra = [name for name in given if name not in targets]
        if extra and not allow_extra:
            raise ValueError(
                f"there is no parameter {', '.join(extra)}; allow_extra=True ignores them"
            )

    def _put(self, arguments: Any, states: Any) -> None:
        targets = self._parameters()
        for name, value in {**arguments, **states}.items():
            if name in targets:
                overwrite(targets[name], value._data)

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and the auxiliary states, by name."""
        if self._executor is None and self._arg_params is not None:
            return self._arg_params, self._aux_params or {}
        self._require("binded", "params_initialized")
        arguments, states = self._executor.arg_dict, self._executor.aux_dict
        return (
            {name: arguments[name].copy() for name in self._param_names},
            {name: states[name].copy() for name in self._aux_names},
        )
