"""Which kernels with a thread for each piece of work compute an operator."""

from __future__ import annotations

from gluonic.codegen.lowerings.entry import rule_at
from gluonic.codegen.threads.thread_plan import ThreadRule

RULES: dict[str, str] = {
    "_linalg_extractdiag": "triangles:extracted",
    "batch_take": "gathers:one_of_each_row",
    "_backward_batch_take": "gathers:back_to_each_row",
    "_take_along_axis": "gathers:along_axis",
    "_backward_take_along_axis": "scatters:back_along_axis",
    "SequenceLast": "gathers:last_of_sequence",
    "SequenceReverse": "gathers:reversed_sequence",
    "_contrib_box_iou": "boxes:overlaps",
    "_contrib_box_encode": "boxes:encode",
    "_contrib_box_decode": "boxes:decode",
    "_contrib_MultiBoxPrior": "boxes:prior",
    "_contrib_box_nms": "detection:box_nms",
    "_contrib_MultiBoxDetection": "detection:detection",
    "ROIPooling": "regions:maxima",
    "_take_flat": "gathers:taken_flat",
    "_backward_take_flat": "regions:back_to_places",
    "_contrib_ROIAlign": "region_planes:means",
    "_backward_contrib_ROIAlign": "region_planes:means_back",
    "_contrib_RROIAlign": "regions:rotated_means",
    "_contrib_PSROIPooling": "region_parts:part_means",
    "_backward_contrib_PSROIPooling": "region_planes:part_means_back",
    "_contrib_BilinearResize2D": "images:interpolated",
    "_backward_contrib_BilinearResize2D": "images:interpolated",
    "_contrib_AdaptiveAvgPooling2D": "images:averaged",
    "_backward_contrib_AdaptiveAvgPooling2D": "images:averaged",
    "_contrib_index_array": "indices:index_array",
    "_ravel_multi_index": "indices:raveled",
    "_unravel_index": "indices:unraveled",
    "_contrib_edge_id": "indices:edges",
    "_contrib_MultiBoxTarget": "matching:targets",
    "_bilinear_sample": "sampling:sampled",
    "BilinearSampler": "sampling:sampled",
    "_backward_bilinear_sample": "sampling:sampled_back",
}
"""By the name of the operator: the module of this folder, and the rule."""

FOR_DEVICES: dict[str, str] = {
    "_backward_SequenceLast": "gathers:back_to_last",
    "_backward_gather_chosen": "indices:back_to_chosen",
    "_gather_chosen": "indices:chosen",
    "Embedding": "gathers:taken",
    "take": "gathers:taken",
    "gather_nd": "gathers:gathered_nd",
    "_backward_gather_nd": "scatters:sums_nd",
    "_backward_gather_nd_like": "scatters:sums_nd",
    "scatter_nd": "scatters:written_nd",
    "_scatter_set_nd": "scatters:written_nd",
    "_backward_Embedding": "scatters:add_slices",
    "_backward_take": "scatters:add_slices",
    "Concat": "gathers:joined",
    "stack": "gathers:joined",
    "_rnn_param_concat": "gathers:joined",
    "_backward_slice": "axis_maps:put_slice",
    "_backward_slice_axis": "axis_maps:put_slice_along",
    "_backward_slice_like": "axis_maps:put_corner",
    "_slice_assign": "axis_maps:assign_slice",
    "_slice_assign_scalar": "axis_maps:assign_slice",
    "Crop": "axis_maps:crop",
    "_backward_Crop": "axis_maps:put_window",
    "Pad": "axis_maps:pad",
    "_npi_pad": "axis_maps:pad",
    "_backward_Pad": "axis_maps:pad_back",
    "_backward_npi_pad": "axis_maps:pad_back",
    "_linalg_triangle": "triangles:triangle",
    "_linalg_extracttrian": "triangles:extracted",
    "_linalg_makediag": "triangles:made",
    "_linalg_maketrian": "triangles:made",
    "_linalg_trsm": "triangles:solved",
    "_contrib_Proposal": "detection:proposals",
    "_contrib_MultiProposal": "detection:proposals",
    "im2col": "images:unfolded",
    "_backward_im2col": "images:folded",
    "col2im": "images:folded",
    "GridGenerator": "images:warped_grid",
    "_scale_flow": "images:scaled_flow",
    "Correlation": "correlation:compared",
    "_backward_Correlation": "correlation:compared_back",
    "_contrib_fft": "signals:transformed",
    "_contrib_ifft": "signals:transformed_back",
    "_onehot_encode": "indices:one_hot",
    "fill_element_0index": "indices:one_element_filled",
    "_contrib_index_copy": "indices:rows_copied",
    "_sparse_retain": "indices:retained",
    "_contrib_bipartite_matching": "matching:greedy_pairs",
    "_histogram": "counting:histogram",
    "_npi_boolean_mask_assign_tensor": "counting:values_where",
    "Pooling_v1": "first_pooling:pooled",
    "_backward_Pooling_v1": "first_pooling:pooled",
    "_np_cumsum": "running_sums:forwards",
    "_backward_np_cumsum": "running_sums:backwards",
    "_linalg_inverse": "factors:inverse",
    "_backward_linalg_det": "factors:inverse_or_zero",
    "_linalg_det": "factors:determinants",
    "_linalg_slogdet": "factors:determinants",
    "_npi_det": "factors:determinants",
    "_npi_slogdet": "factors:determinants",
    "_linalg_potrf": "factors:cholesky",
    "_npi_solve": "factors:solved",
    "sort": "sorting:sort",
    "argsort": "sorting:argsort",
    "topk": "sorting:topk",
}
"""Those that only devices run: a thread for each element costs the host more than NumPy, which copies rows,
sorts, or calls BLAS."""


def rule_of(name: str) -> ThreadRule | None:
    """The rule of an operator on the host, imported now; None if it has none."""
    return _imported(RULES.get(name))


def device_rules() -> dict[str, ThreadRule]:
    """The rules of all operators on devices, imported now."""
    places = (RULES | FOR_DEVICES).items()
    return {name: rule for name, place in places if (rule := _imported(place)) is not None}


def _imported(place: str | None) -> ThreadRule | None:
    rule: ThreadRule | None = None if place is None else rule_at(f"threads.{place}")
    return rule
