"""Concatenation and its inverse, by NumPy's rules for axes."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_concatenate", decompose="rewriting.decompose_numpy:concatenated")
lower("_npi_vstack", decompose="rewriting.decompose_numpy:rows")
lower("_npi_hstack", decompose="rewriting.decompose_numpy:side_by_side")
lower("_npi_dstack", decompose="rewriting.decompose_numpy:in_depth")
lower("_npi_column_stack", decompose="rewriting.decompose_numpy:columns")
lower("_backward_npi_vstack", decompose="rewriting.decompose_numpy:rows_back")
lower("_backward_npi_hstack", decompose="rewriting.decompose_numpy:side_by_side_back")
lower("_backward_npi_dstack", decompose="rewriting.decompose_numpy:in_depth_back")
lower("_backward_npi_column_stack", decompose="rewriting.decompose_numpy:columns_back")
