"""``mx.gluon.HybridBlock`` and `SymbolBlock` of MXNet 2.0: `forward` is written for arrays, and traced."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic import symbol as sym
from gluonic.gluon import block, hybrid, symbol_block
from gluonic.gluon.array_classes import check_of_numpy
from gluonic.gluon.eager_scope import EAGER
from gluonic.gluon.parameter_dict import PathLike
from gluonic.gluon.structure import Structure
from gluonic.gluon.trace import Trace
from gluonic.gluon.tracing import TRACING
from gluonic.graph import Node
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import CallError, MXNetError, describe, nearest
from gluonic.mxnet2.files import read_parameters, save_named, savez
from gluonic.mxnet2.gluon.block import BASES, BlockOfTwo, adopt
from gluonic.mxnet2.gluon.parameter import ConstantOfTwo, ParameterOfTwo
from gluonic.mxnet2.traced import as_symbols, tracer, tracing
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched

__all__ = ["HybridBlock", "SymbolBlock"]


class HybridBlockOfTwo(BlockOfTwo, hybrid.HybridBlock):
    """A block whose `forward`, written for arrays, is traced into a graph once it is hybridized."""

    _reads_shapes = False
    _dispatches = False
    """Whether `forward` is one of MXNet 1.x, which itself decides between arrays, symbols and the graph."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "forward" in vars(cls) and "_of_one" not in vars(cls):
            cls.hybrid_forward = _by_forward  # type: ignore[assignment]
            cls._dispatches = False

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
        if not args and self._takes_inputs():
            return self
        output = self._replayed(args) if self._replay is not None and not EAGER.depth else None
        if output is not None:
            return output
        has_hooks = not TRACING.depth
        if self._forward_pre_hooks and has_hooks:
            for hook in list(self._forward_pre_hooks.values()):
                hook(self, args)
        out = self._forward_or_graph(args)
        if self._forward_hooks and has_hooks:
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        if is_np_array():
            check_of_numpy(self, out)
        return out

    def _replayed(self, args: tuple[Any, ...]) -> Any:
        """The outputs, if the call is like the previous one; else None."""
        assert self._replay is not None
        try:
            output = self._replay(args)
        except MXNetError as error:
            self._tell_where(error)
            raise
        if output is None:
            self._set_replay(None)
        return output

    def _forward_or_graph(self, args: tuple[Any, ...]) -> Any:
        """Run `forward`, or its graph; errors tell the block."""
        try:
            inputs = tuple(map(as_symbols, args)) if TRACING.depth else args
            if self._dispatches:
                return self.forward(*inputs)
            return hybrid.HybridBlock.forward(self, *inputs)
        except MXNetError as error:
            self._tell_where(error)
            raise
        except TypeError:
            self._check_call(args)
            raise

    def hybridize(
        self, active: bool = True, partition_if_dynamic: bool = True, **kwargs: Any
    ) -> None:
        """Compile the block; see `hybridize` of MXNet 1.x for the flags.

        Parameters
        ----------
        partition_if_dynamic : accepted, and without effect
        """
        super().hybridize(active, **kwargs)

    def infer_shape(self, *args: Any, **keywords: Any) -> None:
        """Complete the shapes of the parameters from those of the inputs."""
        super().infer_shape(*args, *keywords.values())

    @staticmethod
    def generate_arg_names(arg_num: int) -> list[str]:
        """Return the names of a graph's inputs: ``data``, or ``data0``, ``data1`` and so on."""
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
    def imports(  # type: ignore[override]
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
            made.load_dict(values, where, allow_missing, ignore_extra, True, "saved")
        return made


HybridBlock = HybridBlockOfTwo
SymbolBlock = SymbolBlockOfTwo
HybridBlockOfTwo.__name__ = HybridBlockOfTwo.__qualname__ = "HybridBlock"
SymbolBlockOfTwo.__name__ = SymbolBlockOfTwo.__qualname__ = "SymbolBlock"
BASES.update({hybrid.HybridBlock: HybridBlockOfTwo, symbol_block.SymbolBlock: SymbolBlockOfTwo})
