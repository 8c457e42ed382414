"""The interface of modules: the steps of training, scoring and predicting."""

import logging
import warnings
from collections.abc import Sequence
from typing import Any

from gluonic.io import DataBatch
from gluonic.ndarray import NDArray

_STEPS = {
    "binded": "bind()",
    "params_initialized": "init_params()",
    "optimizer_initialized": "init_optimizer()",
}


class ModuleInterface:
    """The steps of a module; a kind of module overrides them.

    Parameters
    ----------
    logger : the logger of `fit`

    Attributes
    ----------
    binded, params_initialized, optimizer_initialized : the steps that have been done
    for_training, inputs_need_grad : the arguments of `bind`
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = self.for_training = self.inputs_need_grad = False
        self.params_initialized = self.optimizer_initialized = False
        self._symbol: Any = None

    def require(self, *flags: str) -> None:
        """Check that the steps of these flags have been done.

        Raises
        ------
        AssertionError
            if a step is missing; the error names the method to call
        """
        for flag in flags:
            if not getattr(self, flag):
                raise AssertionError(f"{type(self).__name__}: call {_STEPS[flag]} first")

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}.{what}")

    # Names and shapes

    @property
    def symbol(self) -> Any:
        """The symbol of the module."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        """The names of the data."""
        raise self._lacks("data_names")

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        raise self._lacks("output_names")

    @property
    def data_shapes(self) -> Any:
        """The descriptions of the data."""
        raise self._lacks("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """The descriptions of the labels."""
        raise self._lacks("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """The names and shapes of the outputs."""
        raise self._lacks("output_shapes")

    # Getting ready

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Bind for inputs of given shapes."""
        raise self._lacks("bind")

    def init_params(
        self,
        initializer: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters."""
        raise self._lacks("init_params")

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the parameters and the auxiliary states."""
        raise self._lacks("get_params")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer."""
        raise self._lacks("init_optimizer")

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors."""
        raise self._lacks("install_monitor")

    # Running

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Prepare for a batch; nothing is needed here."""
        if sparse_row_id_fn is not None:
            warnings.warn(
                f"{type(self).__name__}: sparse_row_id_fn is not called: rows are brought by a Module",
                stacklevel=2,
            )

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch."""
        raise self._lacks("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients."""
        raise self._lacks("backward")

    def update(self) -> None:
        """Update the parameters by their gradients."""
        raise self._lacks("update")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the latest batch; unmerged, each is a list with one array per context."""
        raise self._lacks("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data; unmerged, each is a list with one array per context."""
        raise self._lacks("get_input_grads")

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the inputs that keep their values between batches: there are none."""
        self.require("binded", "params_initialized")
        return []

    def set_states(self, states: Sequence[Any] | None = None, value: Any = None) -> None:
        """Raise an error if states are given: no inputs keep their values between batches."""
        self.require("binded", "params_initialized")
        if states or value:
            raise AssertionError(f"{type(self).__name__} has no states")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs."""
        raise self._lacks("update_metric")
