"""``mx.sym.np``: not there. The class exists so that programs can ask whether a symbol is one."""

from typing import Any, NoReturn

from gluonic.graph.errors import NotThereError
from gluonic.symbol.symbol import Symbol


class _Symbol(Symbol):
    """A symbol with NumPy's semantics; there are none."""

    def __init__(self, *arguments: Any) -> None:
        raise NotImplementedError("mx.sym.np: gluonic has no NumPy interface; use mx.sym")


def __getattr__(name: str) -> NoReturn:
    raise NotThereError(f"mx.sym.np.{name}: gluonic has no NumPy interface; use mx.sym")
