"""Indices of extremes, cumulative sums, moments."""

from gluonic.codegen.lowerings.entry import lower

lower("argmax", decompose="rewriting.decompose_positions:largest")
lower("argmin", decompose="rewriting.decompose_positions:smallest")
lower("argmax_channel", decompose="rewriting.decompose_positions:largest_channel")
lower(
    "_np_cumsum",
    step="data_movement.running_sums:RunningSumStep.of",
    decompose="rewriting.decompose_numpy:running_sum",
)
lower(
    "_backward_np_cumsum",
    step="data_movement.running_sums:RunningSumGradientStep.of",
)
lower(
    "_contrib_allclose",
    python="NumPy compares; it has no lowering yet",
)
