"""`BucketingModule`: a symbol for each length of sequence, all with the same parameters."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.module.base import DEFAULT_INITIALIZER
from gluonic.module.bucket_files import SavedBuckets
from gluonic.module.module import Module
from gluonic.module.parameters import preload_params
from gluonic.ndarray import NDArray
from gluonic.symbol.naming import NameManager


class BucketingModule(SavedBuckets):
    """A module for each bucket, since inputs of each length need a separate symbol.

    They share parameters and optimizer. The modules of buckets other than the default one are created when a
    batch first has their ``bucket_key``. The code compiled for a bucket serves all its later batches.

    Parameters
    ----------
    sym_gen : maps the key of a bucket to its symbol, the names of its data and those of its labels
    default_bucket_key : the key of the bucket that has all parameters, and should have the largest inputs
    logger, context, work_load_list, fixed_param_names, state_names, group2ctxs, compression_params
        as for `Module`

    Examples
    --------
    >>> from gluonic import io, nd, sym
    >>> def network(length):
    ...     words = sym.Embedding(sym.var("data"), input_dim=9, output_dim=2, name="words")
    ...     scores = sym.FullyConnected(sym.mean(words, axis=1), num_hidden=3, name="scores")
    ...     return sym.SoftmaxOutput(scores, name="softmax"), ("data",), ("softmax_label",)
    >>> module = BucketingModule(network, default_bucket_key=7)
    >>> module.bind([("data", (2, 7))], [("softmax_label", (2,))])
    >>> module.init_params()
    >>> batch = io.DataBatch([nd.ones((2, 4))], bucket_key=4)
    >>> batch.provide_data, batch.provide_label = [("data", (2, 4))], [("softmax_label", (2,))]
    >>> module.forward(batch, is_train=False)
    >>> module.get_outputs()[0].shape
    (2, 3)
    """

    def __init__(
        self,
        sym_gen: Callable[[Any], Any],
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        if default_bucket_key is None:
            raise AssertionError("BucketingModule needs default_bucket_key=")
        self._default_bucket_key, self._sym_gen = default_bucket_key, sym_gen
        self._options = {
            "logger": logger,
            "context": context,
            "work_load_list": work_load_list,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
            "compression_params": compression_params,
        }
        self._grad_req: Any = "write"
        self._monitor: Any = None
        self._unbound()

    def _unbound(self) -> None:
        """Start with the module of the default bucket, which checks the names."""
        self.binded = False
        self._curr_bucket_key = self._default_bucket_key
        self._curr_module = self._new_module(self._default_bucket_key)
        self._buckets = {self._default_bucket_key: self._curr_module}

    def _called(self, key: Any) -> tuple[Any, Any, Any]:
        """The symbol and the input names of a bucket; automatic names are counted from zero in each."""
        with NameManager():
            symbol, data_names, label_names = self._sym_gen(key)
        return symbol, data_names, label_names

    def _new_module(self, key: Any, symbol: Any = None) -> Module:
        made, data_names, label_names = self._called(key)
        return Module(made if symbol is None else symbol, data_names, label_names, **self._options)

    def _take_buckets(self, symbols: Mapping[Any, Any], arg_params: Any, aux_params: Any) -> None:
        """Set the symbols of buckets, and the parameters, before the module is bound."""
        for key, symbol in symbols.items():
            self._buckets[key] = self._new_module(key, symbol)
        self._curr_module = self._default
        preload_params(self._curr_module, dict(arg_params), dict(aux_params))
        self.params_initialized = True

    @property
    def _default(self) -> Module:
        module: Module = self._buckets[self._default_bucket_key]
        return module

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
        """Bind the default bucket; see `Module.bind`.

        Raises
        ------
        AssertionError
            if `shared_module` is given
        """
        if self.binded and not force_rebind:
            self.logger.warning("already bound; force_rebind=True would bind again")
            return
        if shared_module is not None:
            raise AssertionError("a BucketingModule cannot share the parameters of another module")
        kept = self.get_params() if self.params_initialized else None
        if self.binded:
            self._unbound()
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req = grad_req
        self._curr_module, self._curr_bucket_key = self._default, self._default_bucket_key
        self._curr_module.bind(
            data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req
        )
        self.binded = True
        if kept is not None:
            self.set_params(*kept)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Switch to a bucket; bind it at its first use.

        Parameters
        ----------
        bucket_key : its key
        data_shapes, label_shapes : the descriptions of its inputs
        """
        self.require("binded")
        if bucket_key not in self._buckets:
            self._buckets[bucket_key] = self._new_module(bucket_key)
        module = self._buckets[bucket_key]
        if not module.binded:
            module.bind(
                data_shapes,
                label_shapes,
                self.for_training,
                self.inputs_need_grad,
                shared_module=self._default,
                grad_req=self._grad_req,
            )
            if self._monitor is not None:
                module.install_monitor(self._monitor)
        self._curr_module, self._curr_bucket_key = module, bucket_key

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters; see `Module.init_params`."""
        self.require("binded")
        if self.params_initialized and not force_init:
            return
        self._curr_module.init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        self.params_initialized = True

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters and the auxiliary states; see `Module.set_params`."""
        self.require("binded")
        if self.params_initialized and not force_init:
            return
        self._curr_module.set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and the auxiliary states, by name."""
        self.require("params_initialized")
        found: tuple[dict[str, NDArray], dict[str, NDArray]] = self._curr_module.get_params()
        return found

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer of all buckets; see `Module.init_optimizer`."""
        self.require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("the optimizer is chosen already; force_init=True chooses again")
            return
        self._curr_module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._buckets.values():
            if module is not self._curr_module:
                module.borrow_optimizer(self._curr_module)
        self.optimizer_initialized = True

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors of all buckets, including later ones."""
        self.require("binded")
        self._monitor = mon
        for module in self._buckets.values():
            module.install_monitor(mon)

    # Running

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Bind the bucket of a batch at its first use; the current bucket does not change."""
        self.require("binded", "params_initialized")
        present = self._curr_bucket_key, self._curr_module
        self._switch_to(data_batch)
        self._curr_module.prepare(data_batch, sparse_row_id_fn)
        self._curr_bucket_key, self._curr_module = present

    def _switch_to(self, batch: Any) -> None:
        self.switch_bucket(batch.bucket_key, batch.provide_data, batch.provide_label)

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch with the module of its bucket."""
        self.require("binded", "params_initialized")
        self._switch_to(data_batch)
        self._curr_module.forward(data_batch, is_train)

    def update(self) -> None:
        """Update the parameters by their gradients."""
        self.require("binded", "params_initialized", "optimizer_initialized")
        self._curr_module.update()


def with_symbols(
    module: BucketingModule, convert: Callable[..., tuple[Any, Any, Any]]
) -> BucketingModule:
    """Return a module with other symbols and parameters.

    Parameters
    ----------
    module : a module with parameters
    convert : maps the symbol, the parameters and the auxiliary states of a bucket to new ones
    """
    given = module.get_params()
    symbols, arguments, states = {}, *given
    for key, bucket in module._buckets.items():
        symbols[key], arguments, states = convert(bucket.symbol, *given)
    made = (module._sym_gen, module._default_bucket_key, arguments, states)
    return BucketingModule.load_dict(symbols, *made, **module._options)
