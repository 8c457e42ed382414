"""Where gluonic does not do to an operator's samples what MXNet does, and the proof that MXNet is at fault."""

from typing import NamedTuple


class Fault(NamedTuple):
    """What differs between gluonic and MXNet.

    Attributes
    ----------
    name : the operator
    what : outputs by number, gradients and changed arrays by the names of inputs
    uses : numbers of samples and their dtypes
    proof : why gluonic is right
    """

    name: str
    what: tuple[str, ...]
    uses: tuple[str, ...]
    proof: str


_DIFFERENCES = "central differences are ours: tests/graph/test_operator_gradients.py"
_ONE = "MXNet writes ones into gamma, which it does not call a state, where fix_gamma lets it read none"
_COPY = "a float32 weight needs no copy; MXNet leaves it as it was, ours is the weight, as it is beside float16"
_HALF = "MXNet computes in half precision; in float32 (the same samples) results agree"
_LENGTHS = "MXNet's processors let sequence lengths pass; what lies behind the end of a sequence is not zero"
_SIGN = "a vector with the other sign will do as well; which of the two comes is LAPACK's choice"
_IN_PLACE = "MXNet has it for arrays that are written in place alone"
_ODD = "MXNet does not write the middle column of an image of odd width"

FAULTS = [
    Fault("LeakyReLU", ("gradient of data",), ("2 float32", "6 float32"), _DIFFERENCES),
    Fault(
        *("LeakyReLU", ("output 1",), ("6 float32",)),
        "MXNet does not write the slopes in prediction: the numbers are 1e-45 and the like",
    ),
    Fault("_image_flip_left_right", ("output 0",), ("0 float32", "0 uint8"), _ODD),
    Fault("_image_random_flip_left_right", ("output 0",), ("0 uint8",), _ODD),
    Fault("_image_flip_left_right", ("gradient of data",), ("0 float32",), _DIFFERENCES),
    Fault("_image_flip_top_bottom", ("gradient of data",), ("0 float32",), _DIFFERENCES),
    Fault(
        *("batch_take", ("output 0",), ("1 float32",)),
        "MXNet reads beyond the end of arrays of more than two axes",
    ),
    Fault(
        *("scatter_nd", ("output 0",), ("0 float32", "0 float16", "0 bool")),
        "MXNet's gradient reads a negative index from the end of its axis, as ours writes it",
    ),
    Fault(
        "BatchNorm", ("gradient of data",), ("1 float32", "6 float32", "7 float32"), _DIFFERENCES
    ),
    Fault("BatchNorm", ("changed gamma",), ("2 float32", "7 float32", "8 float32"), _ONE),
    Fault(
        *("BatchNorm", ("changed moving_mean", "changed moving_var"), ("8 float32",)),
        "the running moments of MXNet take in those of a batch of nothing",
    ),
    Fault(
        "_contrib_SyncBatchNorm",
        *(("gradient of data", "output 1", "output 2"), ("1 float32",)),
        "in prediction MXNet shows moments that it has not written",
    ),
    Fault(
        "_contrib_SyncBatchNorm",
        *(("changed gamma", "changed moving_mean", "changed moving_var"), ("1 float32",)),
        "MXNet's backward changes states and gamma in prediction, where its forward changes none",
    ),
    Fault("_contrib_SyncBatchNorm", ("gradient of data",), ("2 float32",), _DIFFERENCES),
    Fault(
        *("_contrib_BatchNormWithReLU", ("gradient of data",), ("1 float32", "3 float32")),
        _DIFFERENCES,
    ),
    Fault("_contrib_BatchNormWithReLU", ("gradient of beta",), ("3 float32",), _DIFFERENCES),
    Fault("_contrib_BatchNormWithReLU", ("changed gamma",), ("3 float32",), _ONE),
    Fault("BatchNorm_v1", ("gradient of data",), ("0 float32", "1 float32"), _DIFFERENCES),
    Fault("BatchNorm_v1", ("changed gamma",), ("1 float32",), _ONE),
    Fault("LayerNorm", ("gradient of data",), ("1 float32",), _DIFFERENCES),
    Fault("GroupNorm", ("gradient of data",), ("1 float32",), _DIFFERENCES),
    Fault("ftml_update", ("changed d", "changed z"), ("0 float16",), _HALF),
    Fault("lamb_update_phase1", ("output 0",), ("0 float16",), _HALF),
    Fault(
        *("_adamw_update", ("changed grad",), ("0 float32", "1 float32")),
        "MXNet uses the gradient, which it does not call a state, as memory for intermediate results",
    ),
    Fault(
        *("nag_mom_update", ("changed mom",), ("1 float32", "2 float32")),
        "written in place, as optimizers do, MXNet's gives ours: tests/measured/update_operators.py",
    ),
    Fault(
        *("mp_lamb_update_phase2", ("changed weight32",), ("0 float32", "0 float16")),
        "MXNet never writes the copy that the next step begins from; its several form does, as ours",
    ),
    *(
        Fault(name, ("changed weight32_0", "changed weight32_1"), uses, _COPY)
        for name, uses in (
            ("multi_mp_sgd_update", ("0 float32", "1 float32")),
            ("multi_mp_sgd_mom_update", ("0 float32", "1 float32")),
            ("_multi_mp_lamb_update", ("0 float32", "1 float32")),
            ("preloaded_multi_mp_sgd_update", ("0 float32",)),
            ("preloaded_multi_mp_sgd_mom_update", ("0 float32",)),
            ("_multi_mp_adamw_update", ("0 float32",)),
        )
    ),
    *(
        Fault(
            *(name, ("output 0", "output 1"), ("1 float32",)),
            "MXNet writes no output of a step that is left out; with out=weight both keep the weight",
        )
        for name in ("_multi_adamw_update", "_multi_mp_adamw_update")
    ),
    Fault(
        "RNN",
        ("output 0", "output 1", "gradient of data", "gradient of parameters", "gradient of state"),
        ("4 float32", "5 float32", "6 float32", "7 float32"),
        _LENGTHS,
    ),
    Fault("RNN", ("output 2", "gradient of state_cell"), ("6 float32",), _LENGTHS),
    Fault(
        *("_contrib_quantize_v2", ("output 0",), ("4 float32",)),
        "of nothing but zeros MXNet makes 127: docs/conformance.md",
    ),
    Fault(
        *("_contrib_quantized_conv", ("output 0", "output 1", "output 2"), ("0 float32",)),
        "MXNet adds the bias unscaled and gives the range of int8: docs/conformance.md",
    ),
    Fault(
        *("_contrib_quantized_act", ("output 0",), ("1 float32",)),
        "what is above 127 becomes negative in MXNet: docs/conformance.md",
    ),
    Fault(
        *("_contrib_quantized_batch_norm", ("output 0",), ("0 float32", "1 float32")),
        "MXNet ignores fix_gamma, here true: docs/conformance.md",
    ),
    Fault(
        *("_contrib_quantized_elemwise_add", ("output 0",), ("2 float32", "4 float32")),
        "sums of int8 and uint8 whose range is unknown run over in MXNet: docs/conformance.md",
    ),
    Fault("SoftmaxActivation", ("gradient of data",), ("0 float32",), _DIFFERENCES),
    Fault("_npi_rarctan2_scalar", ("gradient of data",), ("0 float32",), _DIFFERENCES),
    Fault("_npi_matmul", ("gradient of a",), ("3 float32",), _DIFFERENCES),
    Fault("_npi_einsum", ("gradient of data0",), ("3 float32",), _DIFFERENCES),
    Fault("_npi_var", ("gradient of a",), ("0 float32", "1 float32", "2 float32"), _DIFFERENCES),
    Fault("_npi_std", ("gradient of a",), ("0 float32", "1 float32", "2 float32"), _DIFFERENCES),
    Fault(
        *("_npi_average", ("gradient of weights",), ("3 float32", "4 float32")),
        "MXNet passes no gradient through the sums of weights",
    ),
    Fault(
        *("_npi_norm", ("gradient of data",), ("6 float32", "8 float32", "10 float32")),
        _DIFFERENCES,
    ),
    Fault("_npi_rot90", ("gradient of data",), ("0 float32", "2 float32"), _DIFFERENCES),
    Fault("_npi_where_lscalar", ("gradient of x",), ("0 float32",), _DIFFERENCES),
    *(
        Fault(
            f"_np_atleast_{rank}d",
            tuple(f"gradient of arys{i}" for i in range(rank + 1)),
            ("0 float32",),
            _DIFFERENCES,
        )
        for rank in (1, 2, 3)
    ),
    Fault("_npi_eig", ("output 1",), ("0 float32",), _SIGN),
    Fault("_npi_eigh", ("output 1",), ("0 float32",), _SIGN),
    Fault("_npi_svd", ("output 0", "output 2", "gradient of A"), ("0 float32",), _SIGN),
]

_INNER = "gradient rules of ours are written with it"
LACKING = {
    **dict.fromkeys(
        (
            "_affine_grid", "_along_sample", "_away_from_label", "_backward_mean_over_ranks",
            "_bilinear_sample", "_cast_as", "_cast_like", "_channel_view_like",
            "_channel_window_sum", "_gather_chosen", "_gelu_slope", "_linalg_triangle",
            "_mean_over_ranks",
            "_per_instance", "_polygamma", "_prelu_view_like", "_reduce_like",
            "_scale_flow", "_take_along_axis", "_take_flat", "_take_maxima",
        ),
        _INNER,
    ),
    "_weights_beside": "averages are made of it where the rank of their weights is not known",
    "_npi_resize": "MXNet asks NumPy for np.resize, and refuses it in graphs",
    "digamma": "MXNet has the function in its C++ alone, for the gradient of gammaln",
}  # fmt: skip
"""Operators that MXNet does not have, and why we do."""

_DEVICE = "MXNet has it for GPUs alone"
REFUSED = {
    "_npi_boolean_mask_assign_scalar": _IN_PLACE,
    "_npi_boolean_mask_assign_tensor": _IN_PLACE,
    "_npi_insert_slice": "MXNet takes no number to put in at several positions",
    "_contrib_fft": _DEVICE,
    "_contrib_ifft": _DEVICE,
    "_contrib_count_sketch": _DEVICE,
    "_contrib_group_adagrad_update": "MXNet has it for sparse gradients alone",
    "_contrib_quantized_elemwise_mul": "MXNet finds no shapes for its outputs",
    "_contrib_quantized_rnn": "MXNet has it for processors with VNNI alone",
    "_square_sum": "MXNet has it for sparse arrays alone",
    "_sparse_retain": "MXNet has it for sparse arrays alone",
    "_sparse_adagrad_update": "MXNet has it for sparse gradients alone",
    "_contrib_edge_id": "MXNet has it for sparse arrays alone",
    "_contrib_getnnz": "MXNet has it for sparse arrays alone",
    "_scatter_set_nd": "MXNet runs it into its first input alone, as assignment by indices does",
    "_backward_SoftmaxOutput": "MXNet runs it behind SoftmaxOutput alone, whose gradient is compared",
}
"""Operators no sample of which MXNet runs on processors."""

NO_GRADIENT = {"SequenceLast": "MXNet writes beyond the end of arrays, and elsewhere each time"}
"""Operators whose gradients in MXNet differ from run to run, or end the process."""
