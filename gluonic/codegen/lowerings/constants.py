"""Arrays created from attributes alone, by NumPy's rules for shapes."""

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
    python="NumPy fills the array",
)
