"""Names that MXNet's graph passes give to nodes that they insert after an output."""

from gluonic.graph import Entry

_NAMED = """
Activation BatchNorm BatchNorm_v1 BilinearSampler Concat Convolution Correlation Crop Custom Deconvolution
Dropout FullyConnected GridGenerator GroupNorm IdentityAttachKLSparseReg InstanceNorm L2Normalization LRN
LayerNorm LeakyReLU MakeLoss Pad Pooling RNN ROIPooling SVMOutput SequenceLast SequenceMask
SequenceReverse SliceChannel SoftmaxActivation SoftmaxOutput SpatialTransformer SwapAxis UpSampling
_contrib_DeformableConvolution _contrib_ModulatedDeformableConvolution _contrib_MultiBoxDetection
_contrib_MultiBoxPrior _contrib_MultiBoxTarget _contrib_MultiProposal _contrib_PSROIPooling
_contrib_Proposal _contrib_ROIAlign _contrib_RROIAlign _contrib_SyncBatchNorm _contrib_count_sketch
_contrib_fft _contrib_ifft _contrib_interleaved_matmul_encdec_qk
_contrib_interleaved_matmul_encdec_valatt _contrib_interleaved_matmul_selfatt_qk
_contrib_interleaved_matmul_selfatt_valatt _rnn_param_concat _sg_mkldnn_conv _sg_mkldnn_fully_connected
_sg_mkldnn_selfatt_qk _sg_mkldnn_selfatt_valatt col2im elemwise_add im2col make_loss softmax softmin
"""
_NAMED_OUTPUTS = frozenset(_NAMED.split())
"""Operators whose outputs MXNet names; it numbers those of others (measured; tests/measured/reductions.py)."""


def output_suffix(entry: Entry) -> str:
    """The text that follows a node's name in the name of a node after one of its outputs."""
    application = entry.node.application
    if application is None:
        return ""
    name = application.op.name
    if name == "make_loss":
        return "_loss"
    named = name in _NAMED_OUTPUTS
    return f"_{application.outputs[entry.index]}" if named else f"_{entry.index}"
