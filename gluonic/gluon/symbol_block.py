"""`SymbolBlock`: a block made from symbols, or from exported files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic import symbol as sym
from gluonic.gluon.constant import CONSTANT
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.parameter_dict import (
    ParameterDict,
    PathLike,
    find_parameter,
    read_named,
    without_kind,
)
from gluonic.gluon.structure import LEAF, flatten, format_of, restore
from gluonic.gluon.trace import Trace, opened
from gluonic.graph import Graph, Node
from gluonic.graph.errors import CallError, MismatchError, describe, nearest
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched
from gluonic.symbol.inference import declared_shape


class SymbolBlock(HybridBlock):
    """A block that computes given symbols.

    Parameters
    ----------
    outputs : the outputs: a symbol or a nested list of symbols
    inputs : the variables that are its inputs
    params : parameters to use; new ones are created for the rest

    Examples
    --------
    >>> import gluonic as mx
    >>> x = mx.sym.var("x")
    >>> mx.gluon.SymbolBlock(x * 2, x)(mx.nd.ones((1, 2)))
    <BLANKLINE>
    [[2. 2.]]
    <NDArray 1x2 @cpu(0)>
    """

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=None, params=None)
        self._prefix, self._params = "", ParameterDict("", params)
        if isinstance(inputs, sym.Symbol):
            inputs = [inputs]
        if isinstance(outputs, sym.Symbol) and len(outputs.list_outputs()) > 1:
            outputs = outputs.each_output()
        elif isinstance(outputs, (list, tuple)) and len(outputs) == 1:
            outputs = outputs[0]
        symbols, structure = flatten(tuple(inputs), lambda x: isinstance(x, sym.Symbol))
        for symbol in symbols:
            if not symbol.entries[0].node.is_variable:
                raise MismatchError(
                    describe(
                        f"the input {symbol.name!r} is computed; inputs must be variables",
                        where="SymbolBlock",
                        hint="inputs=[mx.sym.var(name), …], the variables that the outputs depend on",
                    )
                )
        variables = _variables(outputs)
        symbols = [variables.get(s.entries[0].name, s) for s in symbols]
        leaves, returned = flatten(opened(outputs), lambda x: isinstance(x, sym.Symbol))
        output = leaves[0] if len(leaves) == 1 else sym.Group(leaves, type(leaves[0]))
        self._given: Trace = Trace.of_graph(symbols, output, structure, returned)
        self._make_parameters()
        self._active = True

    def _make_parameters(self) -> None:
        """Create a parameter for each variable that is no input; dtypes are inferred from declared ones."""
        trace = self._given
        names = {symbol.entries[0].name for symbol in trace.inputs}
        dtypes = self._declared_dtypes()
        states = {node.name for node in trace.graph.states}
        for node in trace.graph.variables:
            if node.name not in names:
                self._add_parameter(node, dtypes.get(node.name, np.float32), node.name in states)
        length = len(_common_prefix(list(self._params)))
        self._reg_params = {name[length:]: p for name, p in self._params.items()}

    def _add_parameter(self, node: Node, dtype: Any, is_state: bool) -> None:
        """Use the given parameter, or create it from its variable's declaration."""
        if find_parameter(self._params, node.name) is not None:
            return
        if node.attributes.get("__storage_type__", "0") != "0":
            raise MismatchError(
                describe(
                    f"the variable {node.name!r} is declared as sparse",
                    where="SymbolBlock",
                    hint="mx.sym.var without stype=: a SymbolBlock has dense parameters",
                )
            )
        init, shape = node.attributes.get("__init__"), declared_shape(node)
        if init is not None and init.startswith("<"):
            init = None  # an operator's attr= left the address of an object, not a declaration
        constant = init is not None and init.startswith(CONSTANT)
        self._params.get(
            node.name,
            shape=None if shape is None else tuple(axis or 0 for axis in shape),
            allow_deferred_init=True,
            grad_req="null" if constant or is_state else "write",
            dtype=dtype,
            init=None if constant else init,
        )

    def _declared_dtypes(self) -> dict[str, Any]:
        output = self._given.output
        arguments, _, states = output.infer_type_partial()
        found = zip(
            [*output.list_arguments(), *output.list_auxiliary_states()],
            [*(arguments or ()), *(states or ())],
            strict=False,
        )
        return {name: dtype for name, dtype in found if dtype is not None}

    @staticmethod
    def imports(
        symbol_file: PathLike,
        input_names: str | Sequence[str],
        param_file: PathLike | None = None,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> "SymbolBlock":
        """Load files written by `HybridBlock.export` or by MXNet.

        Parameters
        ----------
        symbol_file : the graph, ``net-symbol.json``
        input_names : the names of the graph's inputs
        param_file : the parameters, ``net-0000.params``
        ctx : the contexts of the parameters
        allow_missing, ignore_extra : allow the file to lack parameters, or to have more
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        symbol = as_switched(sym.load(os.fspath(symbol_file)))
        values = None if param_file is None else read_named(param_file)
        _check_input_names(names, symbol.graph(), values or {}, symbol_file)
        graph = {node.name: node for node in symbol.graph().variables}
        block = SymbolBlock(symbol, [type(symbol)([graph[name].entry()]) for name in names])
        if values is not None and param_file is not None:
            if not allow_missing:
                _check_nothing_missing(names, block.collect_params(), values, param_file)
            block.collect_params().load_dict(
                values, ctx, allow_missing, ignore_extra, "", param_file, True, "saved"
            )
        return block

    def __repr__(self) -> str:
        trace = self._given
        return (
            f"{type(self).__name__}(\n{trace.output!r} : {len(trace.inputs)} -> "
            f"{len(trace.output.list_outputs())}\n)"
        )

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Accept the flags; a block made of symbols is always compiled."""
        super().hybridize(active, **kwargs)
        self._active = True

    def _forget_given(self) -> None:
        """Keep the graph: the block has nothing else."""

    def cast(self, dtype: Any) -> None:
        """Convert all parameters; float16 leaves those of batch norms float32, for the statistics."""
        super().cast(dtype)
        if np.dtype(dtype) == np.float16:
            for name in _normalizing(self._given.graph):
                if name in self._params:
                    self._params[name].cast("float32")

    def reset_ctx(self, ctx: Any) -> None:
        """Move all parameters to other contexts.

        Parameters
        ----------
        ctx : a context or a list of them; the current one by default
        """
        self.collect_params().reset_ctx(ctx)
        self._clear_traces()

    def _eager(self, inputs: tuple[Any, ...], arrays: list[NDArray]) -> Any:
        return self._call_compiled(
            inputs, arrays, flatten(inputs, lambda x: isinstance(x, NDArray))[1]
        )

    def _symbolic(self, *inputs: Any) -> Any:
        given, structure = flatten(inputs, lambda x: isinstance(x, sym.Symbol))
        if format_of(structure) != self._in_format:
            raise CallError("SymbolBlock: the inputs are not nested as those it was made with")
        trace = self._given
        replacement = dict(zip([s.entries[0].name for s in trace.inputs], given, strict=True))
        composed = trace.output(**replacement)
        leaves = [composed] if trace.output_structure is LEAF else composed.each_output()
        return restore(leaves, trace.output_structure)


def _variables(outputs: Any) -> dict[str, sym.Symbol]:
    """The variables that symbols depend on, by name, for inputs are matched by name."""
    leaves, _ = flatten(outputs, lambda x: isinstance(x, sym.Symbol))
    graph = Graph(entry for leaf in leaves for entry in leaf.entries)
    return {node.name: type(leaves[0])([node.entry()]) for node in graph.variables}


def _normalizing(graph: Graph) -> Iterator[str]:
    """The names of the variables that batch norms read in addition to their data."""
    for node in graph.nodes:
        application = node.application
        if application is not None and application.states and "gamma" in application.inputs:
            yield from (entry.node.name for entry in node.inputs[1:])


def _check_input_names(
    names: Sequence[str], graph: Graph, values: Mapping[str, Any], file: PathLike
) -> None:
    variables = [node.name for node in graph.variables]
    for name in names:
        if name not in variables:
            shown = ", ".join(variables[:12]) + " …" * (len(variables) > 12)
            inputs = _likely_inputs(graph, values)
            raise CallError(
                describe(
                    f"the graph has no input {name!r}{nearest(name, inputs)}",
                    where=str(file),
                    facts=[f"its variables are {shown}"],
                    hint=f"input_names={inputs!r}",
                )
            )


def _likely_inputs(graph: Graph, values: Mapping[str, Any]) -> list[str]:
    """The variables that are no parameters: not in the file of these, nor read by a layer behind its data."""
    known = {without_kind(name) for name in values}
    for reader in graph.nodes:
        if not values and reader.application is not None and reader.applied.weights:
            known.update(entry.node.name for entry in reader.inputs[1:])
    names = [node.name for node in graph.variables]
    return [name for name in names if name not in known] or names


def _check_nothing_missing(
    names: Sequence[str], parameters: ParameterDict, values: Mapping[str, Any], file: PathLike
) -> None:
    """Raise an error that suggests naming as inputs the variables that the file lacks."""
    known = {without_kind(name) for name in values}
    missing = [name for name in parameters if name not in known]
    if missing:
        shown = ", ".join(missing[:8]) + " …" * (len(missing) > 8)
        raise MismatchError(
            describe(
                f"the graph reads {shown}, and the file has no such parameter",
                where=str(file),
                hint=f"input_names={[*names, *missing[:8]]!r} if they are inputs of the graph, "
                "or allow_missing=True",
            )
        )


def _common_prefix(names: Sequence[str]) -> str:
    """The longest prefix that all names share.

    >>> _common_prefix(["net_a", "net_b"])
    'net_'
    """
    if not names:
        return ""
    first, last = min(names), max(names)
    length = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first)
    )
    return first[:length]
