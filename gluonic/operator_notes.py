"""What the compiler adds to the pages of operators; see `graph.reference`."""

from gluonic.codegen import lowering_of
from gluonic.graph import Operator
from gluonic.graph.reference import MORE_LINES


def how_it_runs(op: Operator) -> str:
    """Whether hybridized nets run an operator as machine code.

    >>> from gluonic.graph import REGISTRY
    >>> how_it_runs(REGISTRY["tanh"])
    'In hybridized nets: machine code.'
    >>> how_it_runs(REGISTRY["sort"])
    'In hybridized nets: Python runs it, always or in these cases: NumPy sorts.'
    """
    if reason := lowering_of(op).python:
        return f"In hybridized nets: Python runs it, always or in these cases: {reason}."
    if op.kernel.__module__.startswith("gluonic.graph.ops."):
        return "In hybridized nets: machine code."
    return "In hybridized nets: Python calls your function." if op.calls_back else ""


MORE_LINES.append(how_it_runs)
