"""Loops and branches as nodes: ``sym.contrib.foreach``, ``while_loop`` and ``cond``."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen import control_flow as _operators  # noqa: F401 - registers the operators
from gluonic.graph import REGISTRY, Entry, Node
from gluonic.graph.errors import user_location
from gluonic.symbol.naming import current_names
from gluonic.symbol.nesting import Nested, OutputNesting, flatten, is_alike, regroup
from gluonic.symbol.scopes import block_path, current_attributes
from gluonic.symbol.subgraph import Subgraph
from gluonic.symbol.symbol import Symbol

Settings = dict[str, Any]


def _make(
    operator: str, subgraphs: Sequence[Subgraph], inputs: Sequence[Entry], settings: Settings
) -> list[Entry]:
    """Create the node of a loop or a branch."""
    settings = {**settings, "num_args": len(inputs) + len(subgraphs)}
    graphs = [subgraph.graph for subgraph in subgraphs]
    application = REGISTRY[operator].apply({**settings, "subgraphs": graphs})
    attributes = {**current_attributes().get(None), **{k: str(v) for k, v in settings.items()}}
    name = current_names().get(None, operator)
    node = Node(application, name, inputs, attributes, user_location(), block_path())
    return [node.entry(i) for i in range(node.visible_count)]


def foreach(
    body: Callable[[Nested, Nested], tuple[Nested, Nested]],
    data: Nested,
    init_states: Nested,
    name: str = "foreach",
) -> tuple[Nested, Nested]:
    """Run a function on each slice of arrays along the first axis; states pass from step to step.

    Parameters
    ----------
    body : maps a slice (a list of slices, if `data` is a list) and states to an output and states;
        called once, with symbols
    data : a symbol, or nested lists of symbols with first axes of equal length
    init_states : the initial states, a symbol or nested lists of symbols
    name : the name of the body's graph

    Returns
    -------
    outputs : the outputs of all steps, stacked along a new first axis
    states : the last states

    Raises
    ------
    AssertionError
        if the structure of the states changes, or a slice or a state is not used

    Examples
    --------
    >>> from gluonic import symbol as sym
    >>> x, s = sym.var("x"), sym.var("s")
    >>> total, last = foreach(lambda x, s: (x + s, x + s), x, s)
    >>> total.list_arguments()
    ['x', 's']
    """
    slices, data_form = flatten(data, "foreach: data")
    states, state_form = flatten(init_states, "foreach: init_states")
    forms: list[OutputNesting] = []

    def step(parameters: list[Symbol]) -> tuple[list[Entry], list[Entry]]:
        entries = [p.entries[0] for p in parameters]
        outputs, new = body(
            regroup(entries[: len(slices)], data_form), regroup(entries[len(slices) :], state_form)
        )
        found, output_form = flatten(outputs, "foreach: the output of body")
        found_states, new_form = flatten(new, "foreach: the states of body")
        if not is_alike(new_form, state_form):
            raise AssertionError("foreach: body must return states of the form it was given")
        forms.append(output_form)
        return found, found_states

    traced = Subgraph(step, [*slices, *states], name, separate=True)
    positions = [_position(traced, i, len(slices)) for i in range(len(slices) + len(states))]
    others = [p for p, entry in enumerate(traced.captured) if entry is not None]
    output_count = len(traced.graph.outputs)
    results = _make(
        "_foreach",
        [traced],
        [*slices, *states, *(entry for entry in traced.captured if entry is not None)],
        {
            "num_outputs": output_count,
            "num_out_data": output_count - len(states),
            "in_state_locs": positions[len(slices) :],
            "in_data_locs": positions[: len(slices)],
            "remain_locs": others,
        },
    )
    stacked = output_count - len(states)
    return regroup(results[:stacked], forms[0]), regroup(results[stacked:], state_form)


def _position(traced: Subgraph, number: int, data_count: int) -> int:
    if number not in traced.formal:
        kind = "data" if number < data_count else "states"
        raise AssertionError(f"foreach: body must use all {kind} that it is given")
    return traced.formal.index(number)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Nested, Nested]],
    loop_vars: Nested,
    max_iterations: Any = None,
    name: str = "while_loop",
) -> tuple[Nested, Nested]:
    """Run a function on loop variables as long as a condition holds.

    Parameters
    ----------
    cond : maps the loop variables to a symbol of one element: whether to continue
    func : maps the loop variables to an output (None for none) and new loop variables
    loop_vars : the initial loop variables, a symbol or nested lists of symbols
    max_iterations : largest number of calls of `func`
    name : the name of the graphs

    Returns
    -------
    outputs : the outputs of all steps, stacked along a new first axis of length `max_iterations`;
        after the last step they are zero
    loop_vars : their last values
    """
    limit = _limit(max_iterations)
    variables, form = flatten(loop_vars, "while_loop: loop_vars")
    if not variables:
        raise ValueError("loop_vars should contain at least one element")
    forms: list[OutputNesting] = []

    def given(parameters: list[Symbol]) -> Any:
        grouped = regroup([p.entries[0] for p in parameters], form)
        return [grouped] if isinstance(grouped, Symbol) else grouped

    def step(parameters: list[Symbol]) -> tuple[list[Entry], list[Entry]]:
        output, new = func(*given(parameters))
        found, output_form = flatten([] if output is None else output, "while_loop: the output")
        states, _ = flatten([] if new is None else new, "while_loop: the new loop_vars")
        if len(states) != len(variables):
            raise ValueError("The number of loop_vars should be consistent during the loop")
        forms.append(output_form)
        return found, states

    graphs = (
        Subgraph(lambda p: (_condition(cond(*given(p))), []), variables, f"{name}_cond"),
        Subgraph(step, variables, f"{name}_func"),
    )
    positions = _positions_of_variables(graphs[1], len(variables))
    inputs, (cond_locations, func_locations) = _joined_inputs(graphs, variables)
    output_count = len(graphs[1].graph.outputs)
    stacked = output_count - len(variables)
    results = _make(
        "_while_loop",
        graphs,
        inputs,
        {
            "max_iterations": limit,
            "cond_input_locs": cond_locations,
            "func_input_locs": func_locations,
            "func_var_locs": positions,
            "num_out_data": stacked,
            "num_outputs": output_count,
        },
    )
    return regroup(results[:stacked], forms[0]), regroup(results[stacked:], form)


def _condition(result: Any) -> list[Entry]:
    """The single output of a condition."""
    if not isinstance(result, Symbol):
        raise ValueError("Return of cond must be a Symbol")
    return list(result.entries)


def _positions_of_variables(body: Subgraph, count: int) -> list[int]:
    """The positions of the loop variables among the body's variables."""
    for number in range(count):
        if number not in body.formal:
            raise ValueError(f"func must use all loop_vars; number {number} is not used")
    return [body.formal.index(number) for number in range(count)]


def _limit(value: Any) -> int:
    if value is None:
        raise ValueError("max_iterations should be specified")
    try:
        return int(value.asnumpy().item() if hasattr(value, "asnumpy") else value)
    except (TypeError, ValueError):
        raise ValueError(f"max_iterations must be a whole number, not {value!r}") from None


def _joined_inputs(
    graphs: Sequence[Subgraph], variables: Sequence[Entry]
) -> tuple[list[Entry], list[list[int]]]:
    """Merge the inputs of several graphs, with their positions; graphs share the loop variables."""
    inputs: list[Entry] = []
    positions: dict[int, int] = {}
    locations = []
    for graph in graphs:
        found = []
        for number, entry in zip(graph.formal, graph.captured, strict=True):
            if number is None or number not in positions:
                if number is not None:
                    positions[number] = len(inputs)
                    entry = variables[number]
                assert entry is not None
                found.append(len(inputs))
                inputs.append(entry)
            else:
                found.append(positions[number])
        locations.append(found)
    return inputs, locations


def cond(
    pred: Any,
    then_func: Callable[[], Nested],
    else_func: Callable[[], Nested],
    name: str = "cond",
) -> Nested:
    """Run one of two functions.

    Parameters
    ----------
    pred : a symbol of one element: whether to run the first
    then_func, else_func : functions without arguments that return the same number of symbols
    name : the name of the graphs

    Returns
    -------
    Symbol or list
        the results, in the structure of `then_func`'s
    """
    forms: list[OutputNesting] = []

    def branch(function: Callable[[], Nested]) -> Callable[..., tuple[list[Entry], list[Entry]]]:
        def call(_: list[Symbol]) -> tuple[list[Entry], list[Entry]]:
            found, form = flatten(function(), "cond: the result")
            forms.append(form)
            return found, []

        return call

    graphs = [
        Subgraph(branch(function), [], f"{name}_{part}")
        for part, function in (("pred", lambda: pred), ("then", then_func), ("else", else_func))
    ]
    counts = [len(graph.graph.outputs) for graph in graphs]
    if counts[0] != 1:
        raise ValueError("pred should always be a single output")
    if counts[1] != counts[2]:
        raise ValueError("Number of outputs differs between then-branch and else-branch")
    inputs, locations = _joined_inputs(graphs, [])
    names = ("cond_input_locs", "then_input_locs", "else_input_locs")
    settings = {**dict(zip(names, locations, strict=True)), "num_outputs": counts[1]}
    return regroup(_make("_cond", graphs, inputs, settings), forms[1])
