"""Weighted means."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_average", decompose="rewriting.decompose_averages:average")
lower("_backward_npi_average_sums", decompose="rewriting.decompose_averages:sums_back")
