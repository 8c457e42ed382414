"""Errors and warnings of hybrid blocks; warnings point at the user's line."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gluonic.gluon.structure import leaf_count
from gluonic.graph import Graph, Node
from gluonic.graph.errors import CallError, InferenceError, MXNetError, describe, nearest, warn
from gluonic.graph.view import written

if TYPE_CHECKING:
    from gluonic.gluon.backend import BackendSteps
    from gluonic.gluon.block import Block
    from gluonic.gluon.parameter import Parameter
    from gluonic.gluon.trace import Trace
    from gluonic.ndarray import NDArray


def _title(block: "Block") -> str:
    return type(block).__name__


def not_hybrid(block: "Block", child: Any) -> CallError:
    """A plain block cannot be a child of a hybrid one."""
    kind = type(child).__name__
    return CallError(
        describe(
            f"the children of a HybridBlock must be HybridBlocks, but {kind} is none",
            where=_title(block),
            hint=f"nn.Sequential instead of nn.HybridSequential for plain blocks, or derive {kind} from "
            "HybridBlock",
        )
    )


def unknown_flag(block: "Block", name: str, flags: Sequence[str]) -> CallError:
    """`hybridize` was given a flag that it does not have."""
    return CallError(
        describe(
            f"hybridize has no flag {name!r}{nearest(name, flags)}",
            where=_title(block),
            facts=[f"it has {', '.join(flags)}"],
        )
    )


def mixed_inputs(block: "Block") -> CallError:
    """Arrays and symbols were given in one call."""
    return CallError(
        describe(
            "NDArrays and Symbols in one call",
            where=_title(block),
            hint="only NDArrays to compute, only Symbols to build a graph",
        )
    )


def no_arrays(block: "Block", inputs: Sequence[Any]) -> CallError:
    """Neither arrays nor symbols are among the inputs."""
    kinds = ", ".join(f"{type(i).__module__}.{type(i).__qualname__}" for i in inputs)
    return CallError(
        describe(
            "needs an NDArray or a Symbol among its inputs",
            where=_title(block),
            facts=[f"it was given {kinds}"],
            hint="mx.nd.array(value) for NumPy arrays and lists",
        )
    )


def unhashable_inputs(block: "Block", inputs: Sequence[Any]) -> CallError:
    """An input is not hashable, so no trace can be cached for it."""
    kinds = ", ".join(type(value).__name__ for value in inputs)
    return CallError(
        describe(
            "inputs of a hybridized block are arrays, lists and tuples of them, None and plain values",
            where=_title(block),
            facts=[f"it was given {kinds}"],
            hint="mx.nd.array(value) for NumPy arrays; list(mapping.values()) for mappings",
        )
    )


def several_contexts(contexts: Iterable[Any]) -> CallError:
    """Inputs are on several contexts."""
    return CallError(
        describe(
            f"inputs are on several contexts: {', '.join(sorted(map(str, contexts)))}",
            where="a hybridized block",
            hint="x.as_in_context(ctx), so that all are on one",
        )
    )


def check_contexts(arrays: "Sequence[NDArray]") -> None:
    """Refuse inputs on several contexts."""
    if all(array.stated_context is arrays[0].stated_context for array in arrays):
        return
    contexts = {array.context for array in arrays}
    if len(contexts) > 1:
        raise several_contexts(contexts)


def nothing_to_export(block: "Block") -> MXNetError:
    """The block has not been traced yet."""
    return MXNetError(
        describe(
            "there is no graph to export yet",
            where=_title(block),
            hint="net.hybridize() and one batch through the net before export()",
        )
    )


def check_rewritten(block: "Block", backends: "BackendSteps") -> None:
    """Refuse to export a graph that a backend has rewritten before the block changed."""
    if backends.are_asked:
        raise MXNetError(
            describe(
                "an attribute has changed since the backend has rewritten the graph",
                where=_title(block),
                hint="one batch through the net, or optimize_for, before export()",
            )
        )


def warn_of_unused(block: "Block", trace: "Trace", parameters: "dict[str, Parameter]") -> None:
    """Warn of inputs and parameters that no operator reads."""
    unused = trace.unused_inputs()
    if unused:
        warn(
            f"{block.name}: no operator reads input {', '.join(map(str, unused))}; is that intended?"
        )
    read = {node.name for node in trace.graph.variables}
    idle = [name for name in parameters if name not in read]
    if idle:
        warn(f"{block.name}: no operator reads the parameter {', '.join(idle)}; is that intended?")


def warn_of_hooks(block: "Block", hooked: Sequence[str]) -> None:
    """Warn that hooks within a block prevent compiling it as a whole."""
    warn(
        f"{', '.join(hooked[:4])} {'has' if len(hooked) == 1 else 'have'} forward hooks: as long as that is "
        f"so, {block.name} calls its parts one by one instead of as one compiled graph"
    )


def warn_of_many_traces(block: "Block", most: int) -> None:
    """Warn that a block is retraced too often."""
    warn(
        f"{block.name} has been traced for more than {most} kinds of inputs; each value of a plain number "
        "among them, or of an attribute that hybrid_forward reads, is one: pass numbers that change as arrays"
    )


def undetermined(graph: Graph, unknown: Sequence[tuple[Node, Any]]) -> InferenceError:
    """The shapes of parameters are not known after inference.

    Parameters
    ----------
    unknown : their variables, and what is known of the shapes
    """
    facts = []
    for node, shape in unknown[:8]:
        readers = ", ".join(reader.title for reader in graph.consumers[node][:3])
        facts.append(f"{node.name}: {written(shape)}, read by {readers or 'nothing'}")
    return InferenceError(
        describe(
            "the shapes of some parameters do not follow from the inputs",
            where="deferred initialization",
            facts=facts,
            hint="give their whole shapes, or an operator that infers them such as F.FullyConnected",
        )
    )


def check_count(block: "Block", trace: "Trace", count: int) -> None:
    """Refuse a call whose number of arrays differs from the graph's number of inputs."""
    if count != len(trace.inputs):
        names = ", ".join(str(symbol.name) for symbol in trace.inputs)
        raise CallError(
            describe(
                f"takes {len(trace.inputs)} arrays ({names}), not {count}",
                where=_title(block),
                hint="as many arrays as the graph has inputs, in that order",
            )
        )


def check_formats(block: "Block", trace: "Trace") -> None:
    """Refuse formats that do not cover all inputs and outputs of a graph."""
    for what, structure, count in (
        ("inputs", trace.input_structure, len(trace.inputs)),
        ("outputs", trace.output_structure, len(trace.output)),
    ):
        if leaf_count(structure) != count:
            raise CallError(
                describe(
                    f"a format for {leaf_count(structure)} {what} does not fit a graph of {count}",
                    where=_title(block),
                    hint="_in_format and _out_format with 0 for each array, -1 for each None",
                )
            )
