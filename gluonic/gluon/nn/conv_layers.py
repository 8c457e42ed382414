"""Convolution layers; pooling and padding too."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gluonic import symbol as sym
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.layer import Layer
from gluonic.gluon.nn.activations import Activation
from gluonic.gluon.nn.pool_layers import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    ReflectionPad2D,
)
from gluonic.gluon.nn.window import (
    Extents,
    PositiveExtents,
    add_parameters_of,
    checked_layout,
    extents,
)
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import Count, Positive
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.initializer import Initializer

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "ReflectionPad2D",
]


def _infer_weight_shape(
    op_name: str, data_shape: Sequence[int], kwargs: Mapping[str, Any]
) -> list[tuple[int, ...]]:
    """The shapes of an operator's inputs, where 0 is an unknown length; programs' layers call it."""
    data = sym.var("data", shape=data_shape)
    shapes: list[tuple[int, ...]] = getattr(sym, op_name)(data, **kwargs).infer_shape_partial()[0]
    return shapes


class _AnyConv(Layer):
    """The base of all convolution layers: their attributes, parameters and names."""

    _op_name: ClassVar[str]
    _layouts: ClassVar[tuple[str, ...]]
    _swaps: ClassVar[bool] = False

    def __init__(
        self,
        channels: int,
        in_channels: int,
        window: dict[str, Extents],
        groups: int,
        layout: str | None,
        activation: str | None,
        use_bias: bool,
        initializers: tuple[Initializer | str | None, Initializer | str | None],
        prefix: str | None,
        params: ParameterDict | None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        name = type(self).__name__
        self._channels, self._in_channels = channels, in_channels
        layout = checked_layout(layout, self._layouts, name)
        rank = len(layout) - 2
        sizes = {key: extents(size, rank, f"{name}: {key}") for key, size in window.items()}
        self._kwargs: dict[str, Any] = {
            **{key: size for key, size in sizes.items() if key != "adj"},
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
            **{key: size for key, size in sizes.items() if key == "adj"},
        }
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=self._weight_shape(),
                init=initializers[0],
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias", shape=(channels,), init=initializers[1], allow_deferred_init=True
                )
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _weight_shape(self) -> tuple[int, ...]:
        """Return (filters, channels a group, kernel…), channels last if they are in the data."""
        groups, kernel = self._kwargs["num_group"], self._kwargs["kernel"]
        rows, columns = self._channels, self._in_channels
        if self._swaps:
            rows, columns = columns, rows
        if groups < 1 or rows % groups or columns % groups:
            raise AttributeValueError(
                describe(
                    f"{self._in_channels} and {self._channels} channels cannot be cut into "
                    f"{groups} groups",
                    where=type(self).__name__,
                )
            )
        columns //= groups
        if self._kwargs["layout"][1] == "C":
            return (rows, columns, *kernel)
        return (rows, *kernel, columns)

    def _alias(self) -> str:
        return "conv"

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Convolve."""
        parameters = (weight,) if bias is None else (weight, bias)
        out = getattr(F, self._op_name)(x, *parameters, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        return described_convolution(self, self._kwargs, self.weight, self.bias, self.act)


def described_convolution(
    layer: HybridBlock, settings: dict[str, Any], weight: Any, bias: Any, act: Any
) -> str:
    """Return the text that a convolution layer is printed as."""
    rank = len(settings["kernel"])
    outs, ins = weight.shape[:2]
    parts = [f"{ins or None} -> {outs}"]
    parts += [f"kernel_size={settings['kernel']}", f"stride={settings['stride']}"]
    if settings["pad"] != (0,) * rank:
        parts.append(f"padding={settings['pad']}")
    if settings["dilate"] != (1,) * rank:
        parts.append(f"dilation={settings['dilate']}")
    if settings["num_group"] != 1:
        parts.append(f"groups={settings['num_group']}")
    if bias is None:
        parts.append("bias=False")
    if act is not None:
        parts.append(repr(act))
    return f"{type(layer).__name__}({', '.join(parts)})"


class _Conv(_AnyConv):
    """A convolution layer.

    Parameters
    ----------
    channels : number of output channels
    kernel_size : the extent of the kernel, one number for all axes or one for each
    strides : stride of the kernel
    padding : number of zeros added on either side
    dilation : the distance between the kernel's taps
    groups : number of independent groups of channels
    layout : the order of batch (N), channels (C) and the spatial axes
    activation : the name of a function for `Activation`; None applies none
    use_bias : whether to add a bias to every channel
    weight_initializer, bias_initializer : initializers of the parameters
    in_channels : number of input channels; 0 infers it from the first input
    prefix, params : see `Block`

    Notes
    -----
    A spatial length ``n`` becomes
    ``(n + 2 * padding - dilation * (kernel_size - 1) - 1) // strides + 1``.
    """

    _op_name = "Convolution"

    def __init__(
        self,
        channels: Positive,
        kernel_size: PositiveExtents,
        strides: PositiveExtents = 1,
        padding: Extents = 0,
        dilation: PositiveExtents = 1,
        groups: Positive = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Initializer | str | None = None,
        bias_initializer: Initializer | str | None = "zeros",
        in_channels: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            channels,
            in_channels,
            {"kernel": kernel_size, "stride": strides, "dilate": dilation, "pad": padding},
            groups,
            layout,
            activation,
            use_bias,
            (weight_initializer, bias_initializer),
            prefix,
            params,
        )


class _ConvTranspose(_AnyConv):
    """A transposed convolution layer: the gradient of a convolution with respect to its data.

    Parameters
    ----------
    channels : number of output channels
    kernel_size : the extent of the kernel, one number for all axes or one for each
    strides : stride of the kernel over the output for each step over the input
    padding : how much is cut off the output on either side
    output_padding : how much is added to the output on one side
    dilation : the distance between the kernel's taps
    groups : number of independent groups of channels
    layout : the order of batch (N), channels (C) and the spatial axes
    activation : the name of a function for `Activation`; None applies none
    use_bias : whether to add a bias to every channel
    weight_initializer, bias_initializer : initializers of the parameters
    in_channels : number of input channels; 0 infers it from the first input
    prefix, params : see `Block`

    Notes
    -----
    A spatial length ``n`` becomes ``(n - 1) * strides - 2 * padding + dilation * (kernel_size - 1)
    + output_padding + 1``.
    """

    _op_name = "Deconvolution"
    _swaps = True

    def __init__(
        self,
        channels: Positive,
        kernel_size: PositiveExtents,
        strides: PositiveExtents = 1,
        padding: Extents = 0,
        output_padding: Extents = 0,
        dilation: PositiveExtents = 1,
        groups: Positive = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Initializer | str | None = None,
        bias_initializer: Initializer | str | None = "zeros",
        in_channels: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            channels,
            in_channels,
            {
                "kernel": kernel_size,
                "stride": strides,
                "dilate": dilation,
                "pad": padding,
                "adj": output_padding,
            },
            groups,
            layout,
            activation,
            use_bias,
            (weight_initializer, bias_initializer),
            prefix,
            params,
        )


class Conv1D(_Conv):
    """A convolution over one axis, such as time; the layout is NCW."""

    _layouts = ("NCW",)


class Conv2D(_Conv):
    """A convolution over the two axes of images; the layout is NCHW or NHWC."""

    _layouts = ("NCHW", "NHWC")


class Conv3D(_Conv):
    """A convolution over the three axes of volumes; the layout is NCDHW or NDHWC."""

    _layouts = ("NCDHW", "NDHWC")


class Conv1DTranspose(_ConvTranspose):
    """A transposed convolution over one axis; the layout is NCW."""

    _layouts = ("NCW",)


class Conv2DTranspose(_ConvTranspose):
    """A transposed convolution over two axes; the layout is NCHW or NHWC."""

    _layouts = ("NCHW", "NHWC")


class Conv3DTranspose(_ConvTranspose):
    """A transposed convolution over three axes; the layout is NCDHW or NDHWC."""

    _layouts = ("NCDHW", "NDHWC")


for _layer in (*_Conv.__subclasses__(), *_ConvTranspose.__subclasses__()):
    add_parameters_of(_layer.__mro__[1], _layer)
