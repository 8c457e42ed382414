"""Several processes that compute together, one or more a machine, over MPI.

Everything that waits for other ranks does it in `waiting`, with a limit of time; everything that is summed up
is summed in the order of the ranks, whatever comes first, so two runs give the same bits.
"""

from gluonic.distributed.errors import MPIMissingError, RankFailedError, RanksDisagreeError
from gluonic.distributed.statistics import enter_if_launched
from gluonic.distributed.world import World, world

__all__ = ["MPIMissingError", "RankFailedError", "RanksDisagreeError", "World", "world"]

enter_if_launched()
