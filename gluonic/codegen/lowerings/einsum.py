"""Einstein's summation."""

from gluonic.codegen.lowerings.entry import lower

_PYTHON = "NumPy computes products of integers, of diagonals, and of broadcast axes"

lower(
    "_npi_einsum",
    on_devices="rewriting.device_selections:simpler_einsum",
    decompose="rewriting.decompose_einsum:einsum",
    float16="upcast",
    python=_PYTHON,
)
lower(
    "_backward_npi_einsum",
    decompose="rewriting.decompose_einsum:back",
    float16="upcast",
    python=_PYTHON,
)
