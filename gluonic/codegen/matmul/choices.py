"""The algorithms for matrix products, and the measured sizes at which one beats another."""

SMALL = 64
"""Up to this number of elements in the right factor plain loops are used, for any number of rows."""
FEW_ROWS = 6
"""Up to this number of rows packing the right factor may cost more than it saves; BLAS can do without."""
LARGE = 1 << 21
"""From this number of elements on the packed right factor has left the cache before it is read."""
MOST_KEPT = 1 << 22
"""Weights of more elements have left the cache before they are read again, packed or not."""
BLOCK_BYTES = 3 << 17
"""The bytes of the left factor that all packed panels read before the next part: they fit the level 2 cache."""
PACKED_PART = 1536
"""The inner length summed at a time if panels are packed: with more, a block would have too few rows."""
LONG = 8192
"""From this inner length on a packed panel does not fit the cache."""
PART = 256
"""The inner length summed at a time if the left factor is transposed in memory."""
LOOPS, PANELS, BLAS = range(3)
"""The algorithms."""
ROWS = 192
"""The rows of a unit of work in a panel: a multiple of the rows of tiles."""
TRANSPOSED_COLUMNS = 128
"""The approximate number of columns in a unit if the left factor is packed for each."""
BLAS_COLUMNS = 256
"""The number of columns in a call of BLAS."""
