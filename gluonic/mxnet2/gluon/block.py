"""``mx.gluon.Block``, `HybridBlock` and `SymbolBlock` of MXNet 2.0.

They are those of 1.x, with 2.0's names and defaults: parameters are attributes, named by their place in the net,
and `forward` computes with arrays. Layers are 1.x's classes under these bases (`of_two`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import block, hybrid, symbol_block
from gluonic.gluon.array_classes import check_of_numpy
from gluonic.gluon.eager_scope import EAGER
from gluonic.gluon.parameter_dict import (
    ParameterDict,
    PathLike,
    check_names,
    load_all,
    without_kind,
)
from gluonic.gluon.structure import Structure
from gluonic.gluon.trace import Trace
from gluonic.gluon.tracing import TRACING
from gluonic.graph import Node
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import CallError, MXNetError, describe, nearest
from gluonic.mxnet2.files import read_parameters, save_named, savez
from gluonic.mxnet2.gluon.parameter import ConstantOfTwo, OwnParameters, ParameterOfTwo
from gluonic.mxnet2.traced import as_symbols, tracer, tracing
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU
from gluonic.ndarray.numpy_class import as_switched

__all__ = ["Block", "HybridBlock", "SymbolBlock"]


class BlockOfTwo(block.Block):
    """The base of all layers and nets. Blocks and parameters set as attributes are registered with it."""

    _params: OwnParameters

    def _named(self, prefix: str | None, params: ParameterDict | None) -> tuple[str, ParameterDict]:
        full, own = super()._named(prefix, params)
        return full, OwnParameters(full, own._shared if params is not None else None)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ParameterOfTwo) and "_reg_params" in self.__dict__:
            self._reg_params.pop(name, None)
            self._params.enter(name, value)
        super().__setattr__(name, value)

    def register_child(self, block: block.Block, name: str | None = None) -> None:
        """Make another block a child of this one; a block of MXNet 1.x becomes one of 2.0."""
        adopt(block)
        super().register_child(block, name)

    # Parameters, by their place in the net

    def collect_params(self, select: str | None = None) -> Any:
        """Return the parameters of the block and all its children by their places: ``body.0.weight``.

        Parameters
        ----------
        select : only those whose place begins with a match of this regular expression
        """
        self._check_container_with_block()
        found = self._collect_params_with_prefix()
        if select is None:
            return found
        pattern = re.compile(select)
        return {name: parameter for name, parameter in found.items() if pattern.match(name)}

    def _graph_parameters(self) -> dict[str, Any]:
        """The parameters by the names of their variables, which are made unique."""
        found: dict[str, Any] = {}
        for parameter in self._collect_params_with_prefix().values():
            held = found.setdefault(parameter.name, parameter)
            if held is not parameter:
                parameter.rename()
                found[parameter.name] = parameter
        return found

    def initialize(
        self,
        init: Any = None,
        device: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Initialize the parameters of the block and its children.

        Parameters
        ----------
        init : the initializer for parameters without one of their own; `Uniform` by default
        device : the device or devices
        verbose : print the initializer of each parameter
        force_reinit : initialize parameters again that are initialized already
        ctx : the name of `device` in MXNet 1.x
        """
        init = initializer.Uniform() if init is None else init
        if verbose and hasattr(init, "set_verbosity"):
            init.set_verbosity(verbose=verbose)
        where = ctx if device is None else device
        for parameter in dict.fromkeys(self.collect_params().values()):
            parameter.initialize(None, where, init, force_reinit=force_reinit)

    def share_parameters(self, shared: Mapping[str, Any]) -> "BlockOfTwo":
        """Use the parameters of another block of the same structure, from now on.

        Parameters
        ----------
        shared : parameters by place, as `collect_params` returns them; places that are not in it keep theirs

        Returns
        -------
        BlockOfTwo
            the block itself
        """
        if shared is None:
            return self
        if not isinstance(shared, Mapping):
            raise CallError(
                describe(
                    f"shared must be a dictionary of parameters, not {type(shared).__name__}",
                    where="share_parameters",
                    hint="net.share_parameters(other.collect_params())",
                )
            )
        self._share(dict(shared), "")
        return self

    def _share(self, shared: dict[str, Any], prefix: str) -> None:
        for name in list(self._reg_params):
            if prefix + name in shared:
                setattr(self, name, shared[prefix + name])
        for name, child in self._children.items():
            child._share(shared, f"{prefix}{name}.")  # type: ignore[attr-defined]

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of every parameter, such as ``grad_req``."""
        for parameter in self.collect_params().values():
            setattr(parameter, name, value)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for parameter in self.collect_params().values():
            parameter.zero_grad()

    def reset_device(self, device: Any) -> None:
        """Move all parameters to other devices."""
        for parameter in self.collect_params().values():
            parameter.reset_device(device)

    reset_ctx = reset_device

    # Files

    def save_parameters(self, filename: PathLike, deduplicate: bool = False) -> None:
        """Save the parameters by their places; as ``.npz`` if Gluon works on arrays of `mx.np`.

        Parameters
        ----------
        deduplicate : save a shared parameter only once
        """
        if not is_np_array():
            super().save_parameters(filename, deduplicate)
            return
        named = self._collect_params_with_prefix()
        if deduplicate:
            last = {parameter: name for name, parameter in named.items()}
            named = {name: p for name, p in named.items() if last[p] == name}
        savez(filename, **{name: p.value_for_files() for name, p in named.items()})

    def load_parameters(
        self,
        filename: PathLike,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        ctx: Any = None,
    ) -> None:
        """Load parameters saved by `save_parameters`, or by MXNet 1.x by place.

        Parameters
        ----------
        device : the target devices of uninitialized parameters
        allow_missing : keep the values of parameters that the file lacks
        ignore_extra : skip entries of the file that the block lacks
        cast_dtype, dtype_source : accept another dtype, casting to the ``"current"`` or taking the ``"saved"``
        ctx : the name of `device` in MXNet 1.x
        """
        where = ctx if device is None else device
        values = read_parameters(filename)
        self._load(values, filename, where, allow_missing, ignore_extra, cast_dtype, dtype_source)

    def load_dict(
        self,
        param_dict: Mapping[str, Any],
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters from a dictionary of arrays by place; see `load_parameters`."""
        values = {
            name: x if isinstance(x, NDArray) else nd.array(x, dtype=x.dtype)
            for name, x in param_dict.items()
        }
        self._load(
            values, "the dictionary", device, allow_missing, ignore_extra, cast_dtype, dtype_source
        )

    def _load(
        self,
        values: Mapping[str, NDArray],
        source: PathLike,
        device: Any,
        allow_missing: bool,
        ignore_extra: bool,
        cast_dtype: bool,
        dtype_source: str,
    ) -> None:
        found = {without_kind(name): value for name, value in values.items()}
        wanted = self._collect_params_with_prefix()
        present = {parameter for name, parameter in wanted.items() if name in found}
        needed = {n: p for n, p in wanted.items() if n in found or p not in present}
        check_names(needed, found, source, allow_missing, ignore_extra)
        load_all(wanted, found, device, cast_dtype, dtype_source)


class HybridBlockOfTwo(BlockOfTwo, hybrid.HybridBlock):
    """A block whose `forward`, written for arrays, is traced into a graph once it is hybridized."""

    _reads_shapes = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "forward" in vars(cls) and "_of_one" not in vars(cls):
            cls.hybrid_forward = _by_forward  # type: ignore[method-assign]

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, block.Block):
            adopt(value)
        super().__setattr__(name, value)

    def forward(self, x: Any, *args: Any) -> Any:
        """Compute the outputs; each kind of block overrides it."""
        raise NotImplementedError(
            describe(
                "no forward is written", where=type(self).__name__, hint="def forward(self, x): …"
            )
        )

    def __call__(self, *args: Any) -> Any:
        """Run the block: hooks before, `forward` or its graph, hooks after."""
        replay = self._replay
        if replay is not None and not EAGER.depth:
            try:
                output = replay(args)
            except MXNetError as error:
                self._tell_where(error)
                raise
            if output is not None:
                return output
            self._set_replay(None)
        is_traced = bool(TRACING.depth)
        if self._forward_pre_hooks and not is_traced:
            for hook in list(self._forward_pre_hooks.values()):
                hook(self, args)
        try:
            inputs = tuple(map(as_symbols, args)) if is_traced else args
            out = hybrid.HybridBlock.forward(self, *inputs)
        except MXNetError as error:
            self._tell_where(error)
            raise
        except TypeError:
            self._check_call(args)
            raise
        if self._forward_hooks and not is_traced:
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        if is_np_array():
            check_of_numpy(self, out)
        return out

    def hybridize(
        self, active: bool = True, partition_if_dynamic: bool = True, **kwargs: Any
    ) -> None:
        """Compile the block; see `hybridize` of MXNet 1.x for the flags.

        Parameters
        ----------
        partition_if_dynamic : accepted, and without effect
        """
        super().hybridize(active, **kwargs)

    def infer_shape(self, *args: Any) -> None:
        """Complete the shapes of the parameters from those of the inputs."""
        super().infer_shape(*args)

    @staticmethod
    def generate_arg_names(arg_num: int) -> list[str]:
        """The names of a graph's inputs: ``data``, or ``data0``, ``data1``, …"""
        return ["data"] if arg_num == 1 else [f"data{i}" for i in range(arg_num)]

    # Tracing

    def _is_overridden(self, name: str) -> bool:
        return name != "forward" and super()._is_overridden(name)

    def _own_trace(self, structure: Structure, arrays: Sequence[Any]) -> Trace:
        self._graph_parameters()  # makes their names unique
        names = self.generate_arg_names(len(arrays))
        given = {n: x for n, x in zip(names, arrays, strict=True) if isinstance(x, NDArray)}
        with tracing(given) as made:
            trace = super()._own_trace(structure, arrays)
        self._reads_shapes = self._reads_shapes or made.reads_shapes
        trace.constants = {name: _constant(name, array) for name, array in made.constants.items()}
        return trace

    def _symbolic(self, *inputs: Any) -> Any:
        waiting = any(
            p.shape is None or min(p.shape, default=1) < 1 for p in self._reg_params.values()
        )
        if waiting and tracer() is not None and self._infers_own_shapes():
            self.infer_shape(*inputs)
        return super()._symbolic(*inputs)

    def _infers_own_shapes(self) -> bool:
        """Whether the program has written an `infer_shape` for the block."""
        return type(self).infer_shape is not HybridBlockOfTwo.infer_shape

    def _infers_as_is(self) -> bool:
        return True

    def _call_compiled(
        self, inputs: tuple[Any, ...], arrays: list[NDArray], structure: Structure
    ) -> Any:
        if self._reads_shapes:  # the trace counts for these shapes alone
            shapes = tuple((x.shape, str(x.dtype)) for x in arrays)
            structure = structure._replace(variety=shapes)
        return super()._call_compiled(inputs, arrays, structure)

    def _offer_replay(self, *offered: Any) -> None:
        if not self._reads_shapes:
            super()._offer_replay(*offered)

    def export(
        self, path: Any, epoch: int = 0, remove_amp_cast: bool = True, proof: Any = False
    ) -> Any:
        """Write the graph and the parameters, named by their places in the net.

        Parameters
        ----------
        path : the prefix of the file names; None returns the symbol and a dictionary of arrays instead
        epoch : the number in the name of the parameter file
        remove_amp_cast, proof : as in MXNet 1.x
        """
        trace = self._traces.of_prediction
        if trace is None:
            return super().export(path, epoch, remove_amp_cast, proof)  # which says what to do
        if proof is not False:
            return super().export(path, epoch, remove_amp_cast, proof)
        places: dict[str, str] = {}
        for place, parameter in self._collect_params_with_prefix().items():
            places.setdefault(parameter.name, place)
        states = {node.name for node in trace.graph.states}
        read = {node.name for node in trace.graph.variables}
        values = {
            f"{'aux' if name in states else 'arg'}:{places.get(name, name)}": p.value_for_files()
            for name, p in {**self._graph_parameters(), **trace.constants}.items()
            if name in read
        }
        output = renamed(trace.output, places)
        if path is None:
            return output, values
        symbol_file, parameter_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
        output.save(symbol_file, remove_amp_cast=remove_amp_cast)
        (savez if is_np_array() else save_named)(parameter_file, **values)
        return symbol_file, parameter_file if values else None


def _constant(name: str, array: NDArray) -> ConstantOfTwo:
    """A parameter that holds an array which a trace has met."""
    made = ConstantOfTwo(array)
    made.name = name
    made.initialize(device=array.context)
    return made


def renamed(symbol: sym.Symbol, names: Mapping[str, str]) -> sym.Symbol:
    """The symbol with other names for some of its variables."""
    variables = [node for node in symbol.graph().variables if node.name in names]
    made = {
        node.name: type(symbol)([Node(None, names[node.name], (), node.attributes).entry()])
        for node in variables
    }
    return symbol(**made) if made else symbol


def _by_forward(self: HybridBlockOfTwo, F: Any, *inputs: Any, **parameters: Any) -> Any:
    """A `hybrid_forward` that calls the block's `forward`."""
    return self.forward(*inputs)


class SymbolBlockOfTwo(HybridBlockOfTwo, symbol_block.SymbolBlock):
    """A block of a graph that exists: of symbols, or of files.

    Parameters
    ----------
    outputs : the outputs: a symbol or a nested list of symbols
    inputs : the variables that are its inputs
    params : parameters to use, by name; new ones are created for the rest
    """

    def _make_parameters(self) -> None:
        super()._make_parameters()
        for parameter in self._params.values():
            ParameterOfTwo.adopt(parameter)
        self._reg_params = dict(self._params.items())

    @staticmethod
    def imports(
        symbol_file: PathLike,
        input_names: str | Sequence[str],
        param_file: PathLike | None = None,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        *,
        ctx: Any = None,
    ) -> "SymbolBlockOfTwo":
        """Load files written by `HybridBlock.export`, of MXNet 1.x or 2.0.

        Parameters
        ----------
        symbol_file : the graph, ``net-symbol.json``
        input_names : the names of the graph's inputs
        param_file : the parameters, ``net-0000.params``
        device : the devices of the parameters
        allow_missing, ignore_extra : allow the file to lack parameters, or to have more
        ctx : the name of `device` in MXNet 1.x
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        symbol = as_switched(sym.load(str(symbol_file)))
        graph = {node.name: node for node in symbol.graph().variables}
        unknown = [name for name in names if name not in graph]
        if unknown:
            raise CallError(
                describe(
                    f"the graph has no input {unknown[0]!r}{nearest(unknown[0], list(graph))}",
                    where=str(symbol_file),
                    facts=[f"its variables are {', '.join([*graph][:12])}"],
                )
            )
        made = SymbolBlockOfTwo(symbol, [type(symbol)([graph[name].entry()]) for name in names])
        if param_file is not None:
            where = ctx if device is None else device
            values = read_parameters(param_file)
            made._load(values, param_file, where, allow_missing, ignore_extra, True, "saved")
        return made


@cache
def of_two(kind: type[block.Block]) -> Any:
    """The class of MXNet 2.0 for a class of blocks of 1.x."""
    if issubclass(kind, BlockOfTwo):
        return kind
    if kind in _BASES:
        return _BASES[kind]
    bases = [of_two(base) for base in kind.__bases__ if issubclass(base, block.Block)]
    members: dict[str, Any] = {"__module__": __name__, "__doc__": kind.__doc__, "_of_one": kind}
    own = vars(kind).get("hybrid_forward")
    if own is not None:
        members["forward"] = _forward_of(own)
    made = type(kind)(kind.__name__, (*bases, kind), members)
    return made


def _forward_of(hybrid_forward: Callable[..., Any]) -> Callable[..., Any]:
    """The `forward` of a layer that is written as `hybrid_forward`."""

    def forward(self: HybridBlockOfTwo, x: Any, *args: Any) -> Any:
        first = x[0] if isinstance(x, (list, tuple)) else x
        if isinstance(first, sym.Symbol):
            values = {name: p.var() for name, p in self._reg_params.items()}
            return hybrid_forward(self, sym, x, *args, **values)
        device = first.stated_context or CPU
        values = {name: p.data(device) for name, p in self._reg_params.items()}
        return hybrid_forward(self, nd, x, *args, **values)

    forward.__doc__ = hybrid_forward.__doc__
    return forward


_BASES: dict[type, type] = {
    block.Block: BlockOfTwo,
    hybrid.HybridBlock: HybridBlockOfTwo,
    symbol_block.SymbolBlock: SymbolBlockOfTwo,
}


def adopt(child: block.Block) -> None:
    """Make a block of MXNet 1.x, and all below it, blocks of 2.0."""
    if isinstance(child, BlockOfTwo) or not isinstance(child, block.Block):
        return
    for below in child._children.values():
        adopt(below)
    own = OwnParameters(child.prefix)
    child.__class__ = of_two(type(child))
    for name, parameter in child._reg_params.items():
        ParameterOfTwo.adopt(parameter)
        own.enter(name, parameter)
    child.__dict__["_params"] = own


Block, HybridBlock, SymbolBlock = BlockOfTwo, HybridBlockOfTwo, SymbolBlockOfTwo
for _kind, _name in ((Block, "Block"), (HybridBlock, "HybridBlock"), (SymbolBlock, "SymbolBlock")):
    _kind.__name__ = _kind.__qualname__ = _name
