"""Which kernels with a thread for each piece of work compute an operator."""

from gluonic.codegen.cuda.threads import axis_maps, gathers, recurrent, scatters, sorting
from gluonic.codegen.cuda.threads.thread_step import ThreadRule

RULES: dict[str, ThreadRule] = {
    "Embedding": gathers.taken,
    "take": gathers.taken,
    "batch_take": gathers.one_of_each_row,
    "_backward_batch_take": gathers.back_to_each_row,
    "_take_along_axis": gathers.along_axis,
    "_backward_take_along_axis": scatters.back_along_axis,
    "gather_nd": gathers.gathered_nd,
    "_backward_gather_nd": scatters.sums_nd,
    "_backward_gather_nd_like": scatters.sums_nd,
    "scatter_nd": scatters.written_nd,
    "_scatter_set_nd": scatters.written_nd,
    "_backward_Embedding": scatters.add_slices,
    "_backward_take": scatters.add_slices,
    "SequenceLast": gathers.last_of_sequence,
    "_backward_SequenceLast": gathers.back_to_last,
    "SequenceReverse": gathers.reversed_sequence,
    "Concat": gathers.joined,
    "stack": gathers.joined,
    "_rnn_param_concat": gathers.joined,
    "_recurrent_steps": recurrent.forward,
    "_recurrent_steps_back": recurrent.backward,
    "_backward_slice": axis_maps.put_slice,
    "_backward_slice_axis": axis_maps.put_slice_along,
    "_backward_slice_like": axis_maps.put_corner,
    "_slice_assign": axis_maps.assign_slice,
    "_slice_assign_scalar": axis_maps.assign_slice,
    "Crop": axis_maps.crop,
    "_backward_Crop": axis_maps.put_window,
    "Pad": axis_maps.pad,
    "_npi_pad": axis_maps.pad,
    "_backward_Pad": axis_maps.pad_back,
    "_backward_npi_pad": axis_maps.pad_back,
    "sort": sorting.sort,
    "argsort": sorting.argsort,
    "topk": sorting.topk,
}
"""By the name of the operator."""
