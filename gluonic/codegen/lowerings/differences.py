"""Differences of adjacent elements."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_diff",
    decompose="rewriting.decompose_differences:differences",
    on_devices="rewriting.device_selections:nothing",
)
lower("_backward_npi_diff", decompose="rewriting.decompose_differences:back")
lower("_npi_ediff1d", decompose="rewriting.decompose_differences:flat_differences")
