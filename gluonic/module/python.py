"""`PythonModule` and `PythonLossModule`: modules that users write in Python, without parameters."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic.module.base import DEFAULT_INITIALIZER, BaseModule
from gluonic.ndarray import NDArray


class PythonModule(BaseModule):
    """A module without parameters, to be used in a `SequentialModule`.

    A derived class defines `forward`, `get_outputs`, `_compute_output_shapes` and, for training,
    `backward` and `get_input_grads`.

    Parameters
    ----------
    data_names, label_names, output_names : the names of inputs and outputs
    logger : the logger of `fit`
    """

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ) -> None:
        super().__init__(logger)
        self._data_names, self._output_names = list(data_names), list(output_names)
        self._label_names = None if label_names is None else list(label_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """The names of the data."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """The descriptions of the data."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """The descriptions of the labels; None without labels."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """The names and shapes of the outputs."""
        return self._output_shapes

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
        """Store the shapes of the inputs and infer those of the outputs.

        Parameters
        ----------
        data_shapes, label_shapes : descriptions, or pairs of name and shape
        for_training, inputs_need_grad : the gradients that will be requested
        force_rebind, shared_module : no effect
        grad_req : ``write``

        Raises
        ------
        AssertionError
            if the inputs have other names, or `grad_req` is not ``write``
        """
        if grad_req != "write":
            raise AssertionError(f"{type(self).__name__} has grad_req='write' only")
        for shapes, names in ((data_shapes, self._data_names), (label_shapes, self._label_names)):
            described = [one[0] for one in shapes or ()]
            if (shapes is not None or shapes is data_shapes) and described != names:
                raise AssertionError(f"the inputs {names} are described as {described}")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the names and shapes of the outputs, for `_data_shapes`."""
        raise self._lacks("_compute_output_shapes")

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Do nothing: there are no parameters."""
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return two empty dictionaries: there are no parameters."""
        return {}, {}

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Do nothing: there are no parameters."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Do nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs, if the module was bound with labels.

        Raises
        ------
        RuntimeError
            if the labels are divided among contexts
        """
        if self._label_shapes is None:
            return
        if pre_sliced:
            raise RuntimeError(f"{type(self).__name__} has one context, but labels are divided")
        eval_metric.update(labels, self.get_outputs())


class PythonLossModule(PythonModule):
    """A loss that is written in Python: its output is its data, and its gradient a function of data and labels.

    Parameters
    ----------
    name : the name of its output, without ``_output``
    data_names, label_names : the names of its two inputs
    logger : the logger of `fit`
    grad_func : maps data and labels to the gradient of the data; or define `_backward_impl` in a derived class

    Examples
    --------
    >>> from gluonic import io
    >>> loss = PythonLossModule(grad_func=lambda scores, labels: scores - labels)
    >>> loss.bind([("data", (2,))], [("softmax_label", (2,))])
    >>> loss.forward(io.DataBatch([nd.array([3, 4])], [nd.array([1, 5])]))
    >>> loss.backward()
    >>> loss.get_input_grads()[0].asnumpy().tolist()
    [2.0, -1.0]
    """

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[NDArray, NDArray], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger)
        if len(data_names) != 1 or len(label_names) != 1:
            raise AssertionError("a PythonLossModule has one name of data and one of labels")
        if grad_func is not None and not callable(grad_func):
            raise AssertionError(f"grad_func must be a function, not {grad_func!r}")
        self._name, self._grad_func = name, grad_func
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None

    def _compute_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(f"{self._name}_output", self._data_shapes[0][1])]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Store the data and, in training, the labels of a batch."""
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the data of the latest batch."""
        self._one_context(merge_multi_context)
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradient of the data."""
        if out_grads is not None:
            raise AssertionError("a loss takes no gradients of its output")
        if not self.for_training:
            raise AssertionError("bind with for_training=True to compute gradients")
        self._backward_impl()

    def _backward_impl(self) -> None:
        """Compute `_scores_grad` from `_scores` and `_labels`."""
        if self._grad_func is None:
            raise self._lacks("_backward_impl: write it, or give a grad_func")
        gradient = self._grad_func(self._scores, self._labels)
        self._scores_grad = gradient if isinstance(gradient, NDArray) else nd.array(gradient)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradient of the data."""
        self._one_context(merge_multi_context)
        return [self._scores_grad]

    def _one_context(self, merged: bool) -> None:
        if not merged:
            raise AssertionError(f"{type(self).__name__} has one context: merge_multi_context=True")
