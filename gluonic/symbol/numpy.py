"""``mx.sym.np``: not there. The class exists so that programs can ask whether a symbol is one."""

from gluonic.graph.errors import NotThereError
from gluonic.symbol.symbol import Symbol


class _Symbol(Symbol):
    """A symbol with NumPy's semantics; there are none."""

    def __init__(self, handle: object) -> None:
        raise NotThereError("mx.sym.np: gluonic has no NumPy interface; use mx.sym")
