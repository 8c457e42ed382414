"""The algorithms of convolutions that the environment allows."""

import os


def may_use_winograd() -> bool:
    """Whether Winograd's algorithm may be chosen: not with ``GLUONIC_WINOGRAD=0``, for direct sums alone."""
    return os.environ.get("GLUONIC_WINOGRAD", "1") != "0"
