"""Normalization by neighbours."""

from gluonic.codegen.lowerings.entry import lower

lower("L2Normalization", python="few nets normalize so; no rule for machine code has been written")
lower("LRN", decompose="rewriting.decompose:local_response_norm", eager=1, float16="upcast")
lower("_channel_window_sum", decompose="rewriting.decompose:channel_window_sum", float16="upcast")
