"""Conversion of float32 models to inference in low precision."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.contrib.amp.dtypes import Condition, Lists, lists_for, low_dtype
from gluonic.contrib.amp.reduction import Rules, reduce_precision
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.symbol_block import SymbolBlock
from gluonic.graph import REGISTRY, Graph, Node
from gluonic.graph.casting import FULL
from gluonic.graph.dtypes import CODE_OF, as_dtype
from gluonic.graph.errors import CallError, describe
from gluonic.graph.infer import Facts, infer
from gluonic.ndarray import Context, NDArray
from gluonic.symbol import Symbol
from gluonic.symbol.inference import declared_dtype

Parameters = dict[str, NDArray]


class ConversionError(CallError, AssertionError):
    """The arguments of a conversion are not valid."""


def convert_symbol(
    sym: Symbol,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    data_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """Return a symbol with casts, so that some operators are computed in low precision.

    Parameters
    ----------
    sym : a symbol of float32
    target_dtype : ``"float16"``, or ``"bfloat16"``, which needs `ml_dtypes`
    target_dtype_ops : operators computed in `target_dtype`; those of `list_lp16_ops` by default
    fp32_ops : operators computed in float32; those of `list_fp32_ops` by default
    conditional_fp32_ops : operators computed in float32 for some values of an attribute:
        (operator, attribute, values); those of `list_conditional_fp32_ops` by default
    excluded_sym_names : nodes computed in float32
    data_names : the inputs that are not parameters; by default those without a declared dtype
    cast_optional_params : whether parameters are stored in `target_dtype` if all that reads them uses it

    Returns
    -------
    Symbol
        the attribute ``__dtype__`` of a parameter is the dtype to cast it to

    Raises
    ------
    AssertionError
        if an argument is of another type, or an operator is in two lists or in none
    """
    _require(isinstance(sym, Symbol), f"takes a Symbol, not {type(sym).__name__}")
    lists = lists_for(target_dtype)
    low = lists.low if target_dtype_ops is None else target_dtype_ops
    full = lists.full if fp32_ops is None else fp32_ops
    conditional = lists.conditional if conditional_fp32_ops is None else conditional_fp32_ops
    _check_lists(lists, low, full, conditional)
    graph = Graph(sym.entries)
    if data_names is None:
        data_names = [n.name for n in graph.variables if "__dtype__" not in n.attributes]
    values: dict[str, dict[str, list[str]]] = {}
    for name, key, wanted in conditional:
        values.setdefault(_first_name(name), {}).setdefault(key, []).extend(wanted)
    dtype = low_dtype(target_dtype)
    rules = Rules(
        dtype,
        frozenset(map(_first_name, low)),
        frozenset(map(_first_name, full)),
        frozenset(map(_first_name, lists.widest)),
        values,
        frozenset(excluded_sym_names or ()),
        frozenset(data_names),
        bool(cast_optional_params),
    )
    reduced = reduce_precision(graph, rules)
    _declare(graph, reduced, rules)
    return Symbol(reduced.outputs)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ConversionError(describe(message, where="amp.convert_symbol"))


def _check_lists(lists: Lists, low: Any, full: Any, conditional: Sequence[Condition]) -> None:
    """Raise an error for contradictory lists, and for operators without a known precision."""
    for name, value in (
        ("target_dtype_ops", low),
        ("fp32_ops", full),
        ("conditional_fp32_ops", conditional),
    ):
        _require(isinstance(value, list), f"{name} must be a list, not {type(value).__name__}")
    named = {
        "target_dtype_ops": {*low},
        "fp32_ops": {*full},
        "conditional_fp32_ops": {c[0] for c in conditional},
    }
    seen: dict[str, str] = {}
    for title, operators in named.items():
        for operator in sorted(operators):
            _require(operator not in seen, f"{operator} is in {seen.get(operator)} and in {title}")
            seen[operator] = title
    known = {*lists.low, *lists.full, *lists.either, *(name for name, _, _ in lists.conditional)}
    unknown = sorted(seen.keys() - known)
    _require(not unknown, f"the precision of {', '.join(unknown)} cannot be chosen")


def _first_name(name: str) -> str:
    return REGISTRY[name].name


def _declare(old: Graph, graph: Graph, rules: Rules) -> None:
    """Declare the dtypes of parameters: of variables that are not data, or that declared one before."""
    facts = infer(graph, "dtype", {n: FULL for n in graph.variables if n.name in rules.data})
    dtypes = {node: facts[node][0] for node in graph.variables}
    if rules.casts_parameters:
        dtypes.update(_wanted_by_casts(graph, facts, rules))
    parameters = {node.name for node in old.variables} - rules.data
    for node in graph.variables:
        if node.name in parameters if parameters else "__dtype__" in node.attributes:
            dtype = FULL if node.name in rules.data else dtypes[node] or FULL
            node.attributes = {**node.attributes, "__dtype__": str(CODE_OF[dtype])}


def _wanted_by_casts(graph: Graph, facts: Facts, rules: Rules) -> dict[Node, Any]:
    """The dtype of each variable without a known one, if all casts that read it have the same target."""
    wanted: dict[Node, Any] = {}
    conflicts = set()
    for node in graph.nodes:
        for variable, dtype in _casts_of_variables(node, rules):
            if facts[variable][0] is None and wanted.setdefault(variable, dtype) != dtype:
                conflicts.add(variable)
    return {variable: dtype for variable, dtype in wanted.items() if variable not in conflicts}


def _casts_of_variables(node: Node, rules: Rules) -> list[tuple[Node, Any]]:
    """The variables that a cast reads, with its target dtypes."""
    sources = [entry.node for entry in node.inputs]
    if node.operator_name == "amp_cast":
        dtype = as_dtype(node.attributes["dtype"])
    elif node.operator_name == "amp_multicast" and all(n.is_variable for n in sources):
        dtype = rules.low
    else:
        return []
    return [(source, dtype) for source in sources if source.is_variable]


def convert_model(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, Parameters, Parameters]:
    """Convert a symbol and its parameters.

    Parameters
    ----------
    arg_params, aux_params : parameters and auxiliary states by name
    sym, target_dtype, target_dtype_ops, fp32_ops : see `convert_symbol`
    conditional_fp32_ops, excluded_sym_names : see `convert_symbol`
    cast_optional_params : see `convert_symbol`

    Returns
    -------
    sym, arg_params, aux_params
        the converted ones

    Raises
    ------
    AssertionError
        as `convert_symbol`, or if the parameters are not dictionaries
    """
    for name, given in (("arg_params", arg_params), ("aux_params", aux_params)):
        _require(isinstance(given, Mapping), f"{name} must be a dictionary, not {given!r:.60}")
    _require(isinstance(sym, Symbol), f"takes a Symbol, not {type(sym).__name__}")
    data = [name for name in sym.list_inputs() if name not in arg_params and name not in aux_params]
    converted = convert_symbol(
        sym,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        data,
        cast_optional_params,
    )
    dtypes = _declared(converted)
    return converted, _cast(arg_params, dtypes), _cast(aux_params, dtypes)


def _declared(sym: Symbol) -> dict[str, Any]:
    declared = {node.name: declared_dtype(node) for node in Graph(sym.entries).variables}
    return {name: dtype for name, dtype in declared.items() if dtype is not None}


def _cast(values: Mapping[str, NDArray], dtypes: Mapping[str, Any]) -> Parameters:
    return {name: value.astype(dtypes.get(name, value.dtype)) for name, value in values.items()}


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    ctx: Context | None = None,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """Convert a hybridized block that has been called.

    Parameters
    ----------
    block : the block
    ctx : the context for the parameters of the new block; by default that of the old ones
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names : see `convert_symbol`
    cast_optional_params : see `convert_symbol`

    Raises
    ------
    AssertionError
        as `convert_symbol`, or if it is not a HybridBlock
    RuntimeError
        if it has not been hybridized and called
    """
    _require(isinstance(block, HybridBlock), f"takes a HybridBlock, not {type(block).__name__}")
    if not block._cached_graph:
        raise CallError(
            describe(
                "the block has no graph yet",
                where="amp.convert_hybrid_block",
                hint="hybridize and call it",
            )
        )
    inputs, output = block._cached_graph
    converted = convert_symbol(
        output,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        [str(symbol.name) for symbol in inputs],
        cast_optional_params,
    )
    made = SymbolBlock(converted, inputs)
    values = {name: param.data() for name, param in block.collect_params().items()}
    values = _cast({n: values[n] for n in made.collect_params()}, _declared(converted))
    for name, param in made.collect_params().items():
        param.cast(values[name].dtype)
    where = next((value.context for value in values.values()), None) if ctx is None else ctx
    made.collect_params().load_dict(values, ctx=where)
    return made
