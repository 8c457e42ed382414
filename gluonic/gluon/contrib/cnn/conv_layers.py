"""Deformable convolution layers: the sampling positions are learnt."""

from math import prod
from typing import Any, ClassVar

from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn.activations import Activation
from gluonic.gluon.nn.conv_layers import described_convolution
from gluonic.gluon.nn.window import (
    Extents,
    PositiveExtents,
    add_parameters_of,
    checked_layout,
    extents,
)
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import Count, Positive
from gluonic.initializer.base import Init

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]


class _Deformable(HybridBlock):
    """A convolution that samples at displaced positions, and the convolution that computes the offsets.

    Parameters
    ----------
    channels : number of output channels
    kernel_size : the extent of the kernel, one number for both axes or two
    strides : stride of the kernel
    padding : number of zeros added on either side
    dilation : the distance between the kernel's taps
    groups : number of independent groups of channels
    num_deformable_group : number of groups of channels with separate offsets
    layout : ``"NCHW"``; the operator supports no other
    use_bias : whether to add a bias to every channel
    in_channels : number of input channels; 0 infers it from the first input
    activation : the name of a function for `Activation`; None applies none
    weight_initializer, bias_initializer : initializers of the parameters
    offset_weight_initializer, offset_bias_initializer : initializers of those of the offsets
    offset_use_bias : whether the offsets have a bias
    op_name, adj : accepted for compatibility; `adj` must be None
    prefix, params : see `Block`

    Notes
    -----
    (batch, in_channels, height, width) becomes (batch, channels, out_height, out_width), where a length ``n``
    becomes ``(n + 2 * padding - dilation * (kernel_size - 1) - 1) // strides + 1``.
    """

    _operator: ClassVar[str]
    _order: ClassVar[tuple[str, str]]
    _channels_per_tap: ClassVar[int]
    deformable_conv_weight: Any
    deformable_conv_bias: Any
    offset_weight: Any
    offset_bias: Any

    def __init__(
        self,
        channels: Positive,
        kernel_size: PositiveExtents = (1, 1),
        strides: PositiveExtents = (1, 1),
        padding: Extents = (0, 0),
        dilation: PositiveExtents = (1, 1),
        groups: Positive = 1,
        num_deformable_group: Positive = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: Count = 0,
        activation: str | None = None,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        offset_weight_initializer: Init = "zeros",
        offset_bias_initializer: Init = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Extents | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        name = type(self).__name__
        checked_layout(layout, ("NCHW",), name)
        self._channels, self._in_channels = channels, in_channels
        self._op_name = op_name or name
        window = {"kernel": kernel_size, "stride": strides, "dilate": dilation, "pad": padding}
        shared: dict[str, Any] = {
            **{key: extents(size, 2, f"{name}: {key}") for key, size in window.items()},
            "num_group": groups,
            "layout": layout,
            **({"adj": adj} if adj else {}),
        }
        kernel = shared["kernel"]
        offsets = self._channels_per_tap * prod(kernel) * num_deformable_group
        self._kwargs_offset = {**shared, "num_filter": offsets, "no_bias": not offset_use_bias}
        self._kwargs_deformable_conv = {
            **shared,
            "num_filter": channels,
            "num_deformable_group": num_deformable_group,
            "no_bias": not use_bias,
        }

        initializers = {
            "offset": (offset_weight_initializer, offset_bias_initializer),
            "deformable_conv": (weight_initializer, bias_initializer),
        }
        with self.name_scope():
            for part in self._order:
                self._add_parameters(part, *initializers[part])
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _add_parameters(self, part: str, weight_init: Init, bias_init: Init) -> None:
        """Create the weight and the bias of one of the two convolutions."""
        settings = getattr(self, f"_kwargs_{part}")
        filters, kernel = settings["num_filter"], settings["kernel"]
        members = self._in_channels // settings["num_group"]
        shapes = {
            "weight": ((filters, members, *kernel), weight_init),
            "bias": ((filters,), bias_init),
        }
        if settings["no_bias"]:
            del shapes["bias"]
            setattr(self, f"{part}_bias", None)
        for kind, (shape, init) in shapes.items():
            name = f"{part}_{kind}"
            made = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
            setattr(self, name, made)

    def _offset(self, F: Any, x: Any, weight: Any, bias: Any) -> Any:
        parameters = (weight,) if bias is None else (weight, bias)
        return F.Convolution(x, *parameters, cudnn_off=True, **self._kwargs_offset)

    def _convolved(self, F: Any, bias: Any, **inputs: Any) -> Any:
        if bias is not None:
            inputs["bias"] = bias
        operator = getattr(F.contrib, self._operator)
        out = operator(**inputs, name="fwd", **self._kwargs_deformable_conv)
        return out if self.act is None else self.act(out)


class DeformableConvolution(_Deformable):
    """A convolution that samples at offsets computed by another convolution (arXiv:1703.06211)."""

    _operator = "DeformableConvolution"
    _order = ("offset", "deformable_conv")
    _channels_per_tap = 2

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Convolve."""
        offset = self._offset(F, x, offset_weight, offset_bias)
        return self._convolved(
            F, deformable_conv_bias, data=x, offset=offset, weight=deformable_conv_weight
        )

    def _alias(self) -> str:
        return "deformable_conv"

    def __repr__(self) -> str:
        return described_convolution(
            self,
            self._kwargs_deformable_conv,
            self.deformable_conv_weight,
            self.deformable_conv_bias,
            self.act,
        )


class ModulatedDeformableConvolution(_Deformable):
    """A deformable convolution that also weights its samples, by 0 to 2 (arXiv:1811.11168)."""

    _operator = "ModulatedDeformableConvolution"
    _order = ("deformable_conv", "offset")
    _channels_per_tap = 3

    @property
    def offset_split_index(self) -> int:
        """The number of offset channels in the output of the other convolution; the rest are weights."""
        return int(self._kwargs_offset["num_filter"]) * 2 // 3

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Convolve."""
        both, border = self._offset(F, x, offset_weight, offset_bias), self.offset_split_index
        offset = F.slice_axis(both, axis=1, begin=0, end=border)
        mask = F.sigmoid(F.slice_axis(both, axis=1, begin=border, end=None)) * 2
        return self._convolved(
            F, deformable_conv_bias, data=x, offset=offset, mask=mask, weight=deformable_conv_weight
        )

    def _alias(self) -> str:
        return "modulated_deformable_conv"


for _layer in (DeformableConvolution, ModulatedDeformableConvolution):
    add_parameters_of(_Deformable, _layer)
