"""What goes wrong between ranks."""

from collections.abc import Iterable

from gluonic.graph.errors import MXNetError, NotThereError


class MPIMissingError(NotThereError, ImportError):
    """There is no mpi4py, or no MPI that it could load."""


class RankFailedError(MXNetError):
    """A rank died, hangs, has ended its program or was stopped by an error.

    Attributes
    ----------
    ranks : which
    """

    def __init__(self, message: str, ranks: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.ranks = tuple(ranks)


class RanksDisagreeError(MXNetError):
    """Ranks bring different things to one operation: other names, shapes or dtypes.

    All of them raise it, and can go on.
    """
