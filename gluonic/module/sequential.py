"""`SequentialModule`: modules one after the other."""

import logging
from typing import Any, ClassVar, Self

from gluonic.io import DataBatch, DataDesc
from gluonic.module.base import DEFAULT_INITIALIZER, BaseModule
from gluonic.ndarray import NDArray


class SequentialModule(BaseModule):
    """A chain of modules: the outputs of one are the data of the next.

    Parameters
    ----------
    logger : the logger of `fit`

    Examples
    --------
    >>> from gluonic import module, nd, sym
    >>> dense = sym.FullyConnected(sym.var("data"), num_hidden=2, name="dense")
    >>> chain = SequentialModule()
    >>> chain = chain.add(module.Module(dense, label_names=None))
    >>> chain = chain.add(module.Module(sym.tanh(sym.var("x")), ["x"], None), auto_wiring=True)
    >>> chain.bind([("data", (4, 3))])
    >>> chain.output_shapes
    [('tanh0_output', (4, 2))]
    """

    META_TAKE_LABELS: ClassVar[str] = "take_labels"
    META_AUTO_WIRING: ClassVar[str] = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger)
        self._modules: list[BaseModule] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: Any = None

    def add(self, module: BaseModule, **kwargs: Any) -> Self:
        """Add a module to the end of the chain, which has to be bound again then; returns the chain.

        Parameters
        ----------
        module : the module
        take_labels : whether it gets the labels; False by default
        auto_wiring : whether its data are the outputs of the previous module, whatever their names; False by
                default

        Raises
        ------
        AssertionError
            for another keyword
        """
        known = (self.META_TAKE_LABELS, self.META_AUTO_WIRING)
        for name in kwargs:
            if name not in known:
                raise AssertionError(f"add takes {' and '.join(known)}, not {name!r}")
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    # Names and shapes

    @property
    def data_names(self) -> list[str]:
        """The names of the first module's data."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        """The names of the last module's outputs."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        """The descriptions of the first module's data."""
        self.require("binded")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        """The descriptions of the labels; None if no module takes them."""
        self.require("binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """The names and shapes of the last module's outputs."""
        self.require("binded")
        return self._modules[-1].output_shapes

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
        """Bind one module after the other; see `Module.bind`.

        Raises
        ------
        AssertionError
            if there is no module, or `shared_module` is given
        """
        if self.binded and not force_rebind:
            self.logger.warning("already bound; force_rebind=True would bind again")
            return
        if inputs_need_grad and not for_training:
            raise AssertionError("inputs_need_grad needs for_training")
        if shared_module is not None:
            raise AssertionError("a SequentialModule cannot share the parameters of another module")
        if not self._modules:
            raise AssertionError("a SequentialModule without modules cannot be bound: add(…) first")
        shapes = data_shapes
        for module, meta in zip(self._modules, self._metas, strict=True):
            if meta.get(self.META_AUTO_WIRING):
                shapes = _renamed(shapes, module.data_names)
            module.bind(
                data_shapes=shapes,
                label_shapes=label_shapes if meta.get(self.META_TAKE_LABELS) else None,
                for_training=for_training,
                inputs_need_grad=inputs_need_grad
                or (for_training and module is not self._modules[0]),
                force_rebind=force_rebind,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        taken = any(meta.get(self.META_TAKE_LABELS) for meta in self._metas)
        self._label_shapes = label_shapes if taken else None
        self.binded = True

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters of all modules; see `Module.init_params`.

        Raises
        ------
        AssertionError
            if two modules have parameters with the same name
        """
        self.require("binded")
        if self.params_initialized and not force_init:
            return
        for module in self._modules:
            module.init_params(
                initializer=initializer,
                arg_params=arg_params,
                aux_params=aux_params,
                allow_missing=allow_missing,
                force_init=force_init,
                allow_extra=allow_extra,
            )
        self._check_names()
        self.params_initialized = True

    def _check_names(self) -> None:
        owners: dict[str, int] = {}
        for number, module in enumerate(self._modules):
            for name in (name for group in module.get_params() for name in group):
                first = owners.setdefault(name, number)
                if first != number:
                    raise AssertionError(
                        f"the modules {first} and {number} both have a parameter {name!r}"
                    )

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the parameters and the auxiliary states of all modules."""
        self.require("binded", "params_initialized")
        found: tuple[dict[str, NDArray], dict[str, NDArray]] = {}, {}
        for module in self._modules:
            for whole, own in zip(found, module.get_params(), strict=True):
                whole.update(own)
        return found

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer of each module; see `Module.init_optimizer`."""
        self.require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("the optimizer is chosen already; force_init=True chooses again")
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        self.optimizer_initialized = True

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on all modules."""
        self.require("binded")
        for module in self._modules:
            module.install_monitor(mon)

    # Running

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch, one module after the other."""
        self.require("binded", "params_initialized")
        self._modules[0].forward(data_batch, is_train)
        for before, module in zip(self._modules[:-1], self._modules[1:], strict=True):
            following = DataBatch(
                before.get_outputs(),
                getattr(data_batch, "label", None),
                getattr(data_batch, "pad", None),
                getattr(data_batch, "index", None),
                getattr(data_batch, "bucket_key", None),
                before.output_shapes,
                getattr(data_batch, "provide_label", None),
            )
            module.forward(following, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, from the last module to the first."""
        self.require("binded", "params_initialized")
        for module in reversed(self._modules):
            module.backward(out_grads)
            if module is not self._modules[0]:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Update the parameters of all modules by their gradients."""
        self.require("binded", "params_initialized", "optimizer_initialized")
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last module."""
        self.require("binded", "params_initialized")
        return self._modules[-1].get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the first module's data."""
        self.require("binded", "params_initialized")
        if not self.inputs_need_grad:
            raise AssertionError("bind with inputs_need_grad=True first")
        return self._modules[0].get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs of the modules that take labels."""
        self.require("binded", "params_initialized")
        for module, meta in zip(self._modules, self._metas, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)


def _renamed(shapes: Any, names: list[str]) -> list[DataDesc]:
    if len(shapes) != len(names):
        raise AssertionError(f"{len(shapes)} arrays cannot be the data {names} of the next module")
    return [
        DataDesc(name, one[1], *((one.dtype, one.layout) if isinstance(one, DataDesc) else ()))
        for name, one in zip(names, shapes, strict=True)
    ]
