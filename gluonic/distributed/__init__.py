"""Several processes that compute together over MPI, one or more per machine.

All waiting for other ranks is in `waiting`, with a timeout. All sums are computed in the order of the ranks,
whichever arrives first, so two runs give the same bits.
"""

from gluonic.distributed.errors import MPIMissingError, RankFailedError, RanksDisagreeError
from gluonic.distributed.statistics import enter_if_launched
from gluonic.distributed.world import World, world

__all__ = ["MPIMissingError", "RankFailedError", "RanksDisagreeError", "World", "world"]

enter_if_launched()
