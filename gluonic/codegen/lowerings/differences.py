"""Differences of adjacent elements."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_diff", decompose="rewriting.decompose_differences:differences")
lower("_backward_npi_diff", decompose="rewriting.decompose_differences:back")
lower("_npi_ediff1d", decompose="rewriting.decompose_differences:flat_differences")
