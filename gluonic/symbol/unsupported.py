"""What only arrays can do."""

from gluonic.graph.errors import MXNetError, describe


class NotImplementedForSymbol(MXNetError):
    """Something was asked of a Symbol that needs values, which a Symbol does not have.

    Parameters
    ----------
    what : the method or the Python operator
    hint : what to use instead
    """

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = what
        super().__init__(
            describe(
                f"a Symbol has no {what}: it stands for a computation and holds no values",
                hint=hint or "bind or eval the symbol, or compute with NDArrays",
            )
        )
