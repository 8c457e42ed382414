"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.visualization import *
from gluonic.visualization import (
    plot_network as plot_network,
    print_summary as print_summary,
)
