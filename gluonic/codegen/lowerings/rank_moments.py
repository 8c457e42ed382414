"""Means over ranks."""

from gluonic.codegen.lowerings.entry import lower

lower("_mean_over_ranks", "_backward_mean_over_ranks", python="it is a mean over all ranks")
