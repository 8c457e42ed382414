"""Arrays made from nothing but attributes, by NumPy's rules of shapes."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_full_like", loop="loops.semantics:filled_like")
lower(
    "_npi_identity",
    "_npi_eye",
    "_npi_arange",
    "_npi_logspace",
    "_npi_indices",
    "_npi_blackman",
    "_npi_hamming",
    "_npi_hanning",
    python="NumPy moves its elements in one call; no rule for machine code has been written",
)
