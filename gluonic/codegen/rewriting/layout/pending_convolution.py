"""An unfinished convolution: later nodes may still be fused into it."""

from typing import Any

from gluonic.codegen.convolution.filter_packing import Taps
from gluonic.codegen.convolution.filters import Filters
from gluonic.graph import Application, Entry
from gluonic.support.record import record


@record
class PendingConvolution:
    """An unfinished convolution: later nodes may still be fused into it.

    Attributes
    ----------
    odd : for Winograd's algorithm, how far the last tiles reach over the edges; None for direct sums
    """

    name: str
    data: Entry
    weight: Entry
    filters: Filters
    tile: int
    bias: Entry | None = None
    scale: Entry | None = None
    residual: Entry | None = None
    activation: Application | None = None
    turned: Taps | None = None
    first: tuple[int, int] = (0, 0)
    spatial: Entry | None = None
    remainder: tuple[int, int] = (0, 0)
    apart: tuple[int, ...] = ()
    odd: tuple[int, int] | None = None

    @property
    def groups(self) -> int:
        """The groups of channels of the output."""
        return self.filters.groups

    @property
    def is_open(self) -> bool:
        """Whether sums, or functions of the sums, can still be fused."""
        return self.activation is None

    @property
    def is_bare(self) -> bool:
        """Whether factors can still be fused."""
        return self.is_open and self.scale is None and self.residual is None and self.turned is None


def filter_attributes(filters: Filters, lanes: int) -> dict[str, Any]:
    """The attributes of operators on packed filters."""
    return {
        "channels": filters.channels,
        "filters": filters.filters,
        "groups": filters.groups,
        "kernel": filters.kernel,
        "planar": filters.planar,
        "depthwise": filters.depthwise,
        "lanes": lanes,
    }
