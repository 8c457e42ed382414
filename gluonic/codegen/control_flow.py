"""Loops and branches as operators of graphs: ``_foreach``, ``_while_loop``, ``_cond`` and their gradient.

The node holds its sub-graphs. A hidden output carries what the backward run needs to repeat each step.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.control_flow_body import Body, Trail, sliced
from gluonic.graph import Array, Operator, Run
from gluonic.graph.all_gradients import by_input, or_zeros, wanted_indices
from gluonic.graph.carried import carried
from gluonic.graph.errors import MXNetError
from gluonic.graph.gradient import has_losses
from gluonic.graph.operator import operator
from gluonic.graph.rules import gradients_like
from gluonic.graph.subgraphs import Subgraphs
from gluonic.graph.view import NodeView, is_training, peek, put, unify

Positions = tuple[int, ...]
_CARRIED = "_steps"
_GIVING = {1: 1, 2: 1, 3: 2}  # bodies that compute the node's outputs, by the number of bodies


def _inputs(n: Any, graphs: int) -> list[str]:
    """The names of the inputs, after a check that there are enough sub-graphs."""
    if len(n.subgraphs) != graphs or not 0 <= n.num_args - graphs <= 2**16:
        raise MXNetError(f"needs {graphs} sub-graphs and num_args={graphs} or more")
    return [f"data{i}" for i in range(n.num_args - graphs)]


def _checked(n: Any, names: Sequence[str], *bodies: Body) -> list[str]:
    """Check the sub-graphs and their inputs, and store the bodies on the node."""
    for number, body in enumerate(bodies):
        wanted = n.num_outputs if number < _GIVING[len(bodies)] else 1
        body.check(len(names), wanted)
    if not n.subgraphs.bodies:
        n.subgraphs.bodies = bodies
    return list(names)


def _outputs(n: Any) -> list[str]:
    names = ["output"] if n.num_outputs == 1 else [f"output{i}" for i in range(n.num_outputs)]
    return [*names, _CARRIED]


def _foreach_inputs(n: Any) -> list[str]:
    positions = (*n.in_data_locs, *n.in_state_locs, *n.remain_locs)
    if sorted(positions) != list(range(len(positions))):
        raise MXNetError("the positions of inputs must name each variable of the sub-graph once")
    outer = [0] * len(positions)
    for index, position in enumerate(positions):
        outer[position] = index
    names = _inputs(n, 1)
    return _checked(
        n,
        names,
        Body(n.subgraphs[0], tuple(outer), n.in_data_locs, n.in_state_locs, n.num_out_data),
    )


def _while_inputs(n: Any) -> list[str]:
    names = _inputs(n, 2)
    return _checked(
        n,
        names,
        Body(n.subgraphs[1], n.func_input_locs, (), n.func_var_locs, n.num_out_data),
        Body(n.subgraphs[0], n.cond_input_locs),
    )


def _cond_inputs(n: Any) -> list[str]:
    names = _inputs(n, 3)
    locations = (n.then_input_locs, n.else_input_locs, n.cond_input_locs)
    graphs = (n.subgraphs[1], n.subgraphs[2], n.subgraphs[0])
    return _checked(n, names, *map(Body, graphs, locations))


def _control_flow(name: str, arguments: Callable[[Any], list[str]]) -> Callable[..., Operator]:
    return operator(
        name,
        arguments=arguments,
        outputs=_outputs,
        visible=lambda n: n.num_outputs,
        is_loss=lambda n: any(map(has_losses, n.subgraphs)),
    )


@_control_flow("_foreach", _foreach_inputs)
def foreach(
    *data: Array,
    num_args: int,
    num_outputs: int,
    num_out_data: int,
    in_data_locs: Positions,
    in_state_locs: Positions,
    remain_locs: Positions,
    subgraphs: Subgraphs,
    run: Run,
) -> Any:
    """Run a graph on each slice of arrays along the first axis; states pass from step to step.

    Parameters
    ----------
    data : the arrays, the initial states, and the other inputs of the graph
    num_args : the number of graphs and inputs
    num_outputs, num_out_data : the number of outputs, and the number of stacked ones
    in_data_locs, in_state_locs, remain_locs : the variables of the graph that the inputs stand for
    subgraphs : the graph of a step
    """
    lengths = {len(x) for x in data[: len(in_data_locs)]}
    if len(lengths) != 1:
        raise MXNetError(f"foreach: the first axes of data differ: {sorted(lengths)}")
    results, trail = subgraphs.bodies[0].run(data, run, lengths.pop())
    return (*results, carried(trail))


@_control_flow("_while_loop", _while_inputs)
def while_loop(
    *data: Array,
    num_args: int,
    num_outputs: int,
    num_out_data: int,
    max_iterations: int,
    cond_input_locs: Positions,
    func_input_locs: Positions,
    func_var_locs: Positions,
    subgraphs: Subgraphs,
    run: Run,
) -> Any:
    """Run a graph on loop variables as long as another graph computes a number other than zero.

    Parameters
    ----------
    data : the initial loop variables, and the other inputs of the graphs
    num_args : the number of graphs and inputs
    num_outputs, num_out_data : the number of outputs, and the number of stacked ones
    max_iterations : the largest number of steps, and the length of stacked outputs
    cond_input_locs, func_input_locs : for each variable of the graphs, its input
    func_var_locs : the variables of the second graph that are the loop variables
    subgraphs : the condition, and the graph of a step
    """
    body, condition = subgraphs.bodies
    first = [body.outer[p] for p in body.states]

    def goes_on(states: list[Array]) -> bool:
        now = dict(zip(first, states, strict=True))
        values = [now.get(i, data[i]) for i in condition.outer]
        return _truth(condition.program(values, run), "while_loop: cond")

    results, trail = body.run(data, run, max_iterations, goes_on)
    return (*results, carried(trail))


@_control_flow("_cond", _cond_inputs)
def cond(
    *data: Array,
    num_args: int,
    num_outputs: int,
    cond_input_locs: Positions,
    then_input_locs: Positions,
    else_input_locs: Positions,
    subgraphs: Subgraphs,
    run: Run,
) -> Any:
    """Run one of two graphs.

    Parameters
    ----------
    data : the inputs of the graphs
    num_args : the number of graphs and inputs
    num_outputs : the number of outputs
    cond_input_locs, then_input_locs, else_input_locs : for each variable of the graphs, its input
    subgraphs : the condition, the graph for a number other than zero, the graph for zero
    """
    condition = subgraphs.bodies[2]
    values = [data[i] for i in condition.outer]
    branch = 0 if _truth(condition.program(values, run), "cond: pred") else 1
    results, trail = subgraphs.bodies[branch].run(data, run, 1)
    return (*results, carried(trail))


def _truth(results: Sequence[Array], where: str) -> bool:
    if results[0].size != 1:
        raise MXNetError(f"{where} must have one element, not the shape {results[0].shape}")
    return bool(results[0].reshape(()))


# ------------------------------------------------------------------------------------ inference


def _inference(kind: str) -> Callable[[NodeView], None]:
    def rule(n: NodeView) -> None:
        put(n, _CARRIED, () if kind == "shape" else np.dtype(object))
        outputs = _outputs(n)[:-1]
        for number, body in enumerate(n.subgraphs.bodies):
            _infer_body(n, kind, body, outputs if number < _GIVING[len(n.subgraphs)] else [])

    return rule


def _infer_body(n: NodeView, kind: str, body: Body, outputs: Sequence[str]) -> None:
    names = [f"data{i}" for i in body.outer]
    given = [peek(n, name) for name in names]
    length: Any = getattr(n, "max_iterations", None) if body.stacked and not body.slices else None
    if kind == "shape":
        for position in body.slices:
            if given[position] is not None:
                length = unify(length, given[position][0], names[position])
                given[position] = sliced(given[position])
    found, results = body.infer(kind, given)
    for position, fact in enumerate(found):
        if position not in body.slices or kind == "dtype":
            put(n, names[position], fact)
        elif fact is not None and len(peek(n, names[position]) or (0, 0)) > 1:
            put(n, names[position], (length, *fact))
    for number, (name, fact) in enumerate(zip(outputs, results, strict=False)):
        if kind == "shape" and number < body.stacked:
            fact = None if fact is None else (length, *fact)
        put(n, name, fact)


for _op in (foreach, while_loop, cond):
    _op.shape, _op.dtype = _inference("shape"), _inference("dtype")


# ------------------------------------------------------------------------------------- gradient


def _gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    count = n.num_args - len(n.subgraphs)
    values = [getattr(n, name) for name in _outputs(n)]
    found = F._backward_control_flow(
        values[-1],
        *[getattr(n, f"data{i}") for i in range(count)],
        *or_zeros(F, heads, values[:-1]),
        inputs=count,
        subgraphs=n.subgraphs,
        train=is_training(n),
        wanted=wanted_indices(n),
    )
    return by_input([f"data{i}" for i in range(count)], found)


for _op in (foreach, while_loop, cond):
    _op.all_gradients(_gradients)


@operator(
    "_backward_control_flow",
    count="num_args",
    outputs=lambda n: [f"in_grad{i}" for i in range(n.inputs)],
)
def backward_control_flow(
    steps: Array,
    *data: Array,
    num_args: int,
    inputs: int,
    subgraphs: Subgraphs,
    train: bool,
    wanted: Positions,
    run: Run,
) -> Any:
    """Compute the gradients of the inputs of a loop or a branch.

    Parameters
    ----------
    steps : the trail of the forward run
    data : the inputs, then the gradients of the outputs
    inputs : number of inputs
    subgraphs : the graphs of the node
    train : whether the steps ran in training mode
    wanted : for each input, whether its gradient is requested
    """
    trail: Trail = steps.item()
    repeated = Run(train, run.random)
    return tuple(trail.body.backward(data[:inputs], data[inputs:], trail, repeated, wanted))


backward_control_flow.shape = backward_control_flow.dtype = gradients_like("data", "in_grad")


@backward_control_flow.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    raise NotImplementedError("gradients of gradients of _foreach, _while_loop and _cond")
