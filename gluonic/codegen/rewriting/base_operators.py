"""A pass that replaces derived operators by their base operators, wherever shapes and dtypes allow."""

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Application, Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import signature
from gluonic.graph.ops.numpy.reductions import narrows
from gluonic.graph.origin import give_origin


class UseBaseOperators(Pass):
    """Operators of ``mx.np`` become equal ones of ``mx.nd``, which later passes know.

    Examples
    --------
    >>> x, y = (Node(None, name).entry() for name in "xy")
    >>> print(UseBaseOperators().shown(F._npi_add(x, F._np_sum(y, axis=1)), x=(2,), y=(2, 3)))
    np_sum = _np_sum(y, axis=1)
    npi_add = _npi_add(x, np_sum)
    return npi_add
    --------------------
    np_sum = sum(y, axis=1)
    npi_add = broadcast_add(x, np_sum)
    return npi_add
    """

    name = "use base operators"
    contract = "an operator that casts its inputs gets them in the dtype of its output"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Cast the inputs that operators would cast, and replace operators by their base."""
        if not any(node.application and node.application.op.base for node in graph.nodes):
            return graph
        facts, observed = context.unguarded(graph), context.facts(graph)

        def replace(node: Node, inputs: Sequence[Entry]) -> Node | Sequence[Entry] | None:
            if node.application is None or node.application.op.base is None:
                return None
            return _replaced(node, node.application, inputs, facts, observed)

        return graph.rewrite(replace)


def _replaced(
    node: Node, application: Application, inputs: Sequence[Entry], facts: Facts, observed: Facts
) -> Node | Sequence[Entry] | None:
    wanted = facts.shapes[node.entry()], facts.dtypes[node.entry()]
    given = [(facts.shapes[entry], facts.dtypes[entry]) for entry in node.inputs]
    read = list(inputs)
    if application.op.reduction and narrows(given[0][1], wanted[1]):
        return _rounded_last(application, inputs, wanted[1], node)
    if application.op.casts:
        for index, (shape, dtype) in enumerate(given):
            if dtype != wanted[1]:
                read[index] = F.Cast(inputs[index], dtype=wanted[1])
                given[index] = shape, wanted[1]
        give_origin(read, node)
    base = _base_of(node, application, observed)
    if base is not None and _gives(base, given, wanted):
        return node.with_application(base, read)
    return node.with_inputs(read) if read != list(inputs) else None


def _rounded_last(
    application: Application, inputs: Sequence[Entry], dtype: Dtype, node: Node
) -> Sequence[Entry]:
    """A reduction in the dtype of its input, whose result is cast."""
    wide = application.op.apply({**application.settings, "dtype": None})
    found = [F.Cast(node.with_application(wide, inputs).entry(), dtype=dtype)]
    give_origin(found, node)
    return found


def _base_of(node: Node, application: Application, facts: Facts) -> Application | None:
    """The operator that another is derived from, with its attributes; None if it lacks one that matters."""
    op, settings = application.op, application.settings
    base = op.base
    if base is None or settings.get("axis", 0) == ():  # the base takes that for all axes
        return None
    if op.as_base is not None:
        known = facts.decide(partial(_settings_of_base, node.inputs, application))
        return None if known is None else base.apply(known)
    own = {name: value for name, value in settings.items() if name in base.attributes}
    lacking = settings.keys() - own.keys() - ({"dtype"} if op.casts else set())
    if any(settings[name] != op.attributes[name].default for name in lacking):
        return None
    return base.apply(own)


def _settings_of_base(
    inputs: Sequence[Entry], application: Application, facts: Facts
) -> dict[str, Any] | None:
    """The attributes with which the base computes the same for inputs of these shapes; None if it does not."""
    assert application.op.as_base is not None
    shapes = [facts.shapes[entry] for entry in inputs]
    return application.op.as_base(SimpleNamespace(**application.settings), shapes)


def _gives(
    base: Application, inputs: Sequence[tuple[Shape, Dtype]], wanted: tuple[Shape, Dtype]
) -> bool:
    """Whether the base's output has the same rank and dtype."""
    try:
        found = signature(base, [shape for shape, _ in inputs], [dtype for _, dtype in inputs])
    except MXNetError:
        return False
    (shape, *_), (dtype, *_) = found.shapes, found.dtypes
    if shape is None or None in shape:
        return False
    return len(shape) == len(wanted[0]) and dtype == wanted[1]
