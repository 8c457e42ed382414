"""The algorithms for a product of matrices, and the measured sizes at which one beats another."""

SMALL = 64
"""Up to so many elements of the right factor plain loops do, however many rows there are."""
FEW_ROWS = 6
"""Up to so many rows packing the right factor may cost more than it spares; BLAS has ways without."""
LARGE = 1 << 21
"""From so many elements on the right factor, packed, has left the cache when it is read."""
MOST_KEPT = 1 << 22
"""Weights of more elements are no longer in the cache when they are read again, packed or not."""
BLOCK_BYTES = 3 << 17
"""How much of the left factor all packed panels go over before more of it: what a second level cache holds."""
PACKED_PART = 1536
"""How much of the length is summed over at a time if panels are packed: of more, too few rows are a block."""
LONG = 8192
"""From such a length on a packed panel does not fit the cache."""
PART = 256
"""How much of the length is summed over at a time, if the left factor lies transposed."""
LOOPS, PANELS, BLAS = range(3)
"""The ways of computing a product."""
ROWS = 192
"""So many rows of a panel's columns are one unit of work: tiles fit in."""
TURNED_COLUMNS = 128
"""About so many columns are one unit if the left factor is packed for each."""
BLAS_COLUMNS = 256
"""So many columns BLAS computes at a time."""
