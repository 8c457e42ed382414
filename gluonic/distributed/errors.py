"""The errors of communication between ranks."""

from collections.abc import Iterable

from gluonic.graph.errors import MXNetError, NotThereError


class MPIMissingError(NotThereError, ImportError):
    """mpi4py is missing, or an MPI library that it can load."""


class RankFailedError(MXNetError):
    """A rank died, hangs, has ended its program or was stopped by an error.

    Attributes
    ----------
    ranks : the failed ranks
    """

    def __init__(self, message: str, ranks: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.ranks = tuple(ranks)


class RanksDisagreeError(MXNetError):
    """Ranks disagree in one operation: in names, shapes or dtypes.

    All of them raise it, and can continue.
    """
