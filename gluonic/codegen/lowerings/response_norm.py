"""Local response normalization."""

from gluonic.codegen.lowerings.entry import lower

lower("LRN", decompose="rewriting.decompose:local_response_norm", eager=1, float16="upcast")
lower("_channel_window_sum", decompose="rewriting.decompose:channel_window_sum", float16="upcast")
