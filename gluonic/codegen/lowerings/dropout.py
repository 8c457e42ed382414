"""Dropout."""

from gluonic.codegen.lowerings.entry import lower

lower("Dropout", python="where the mask is read but nothing is dropped, NumPy computes it")
