"""Pooling and padding layers."""

from typing import Any, ClassVar, Literal

from gluonic.gluon.layer import Layer
from gluonic.gluon.nn.window import (
    Extents,
    PositiveExtents,
    add_parameters_of,
    checked_layout,
    extents,
)
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.errors import AttributeValueError, describe

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
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

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Pooling(Layer):
    """The base of all pooling layers."""

    _rank: ClassVar[int]
    _pool_type: ClassVar[Literal["max", "avg"]]

    def __init__(
        self,
        pool_size: PositiveExtents,
        strides: PositiveExtents | None,
        padding: Extents,
        layout: str | None,
        ceil_mode: bool,
        global_pool: bool,
        prefix: str | None,
        params: ParameterDict | None,
        **settings: Any,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        name, rank = type(self).__name__, self._rank
        self._kwargs = {
            "kernel": extents(pool_size, rank, f"{name}: pool_size"),
            "stride": extents(pool_size if strides is None else strides, rank, f"{name}: strides"),
            "pad": extents(padding, rank, f"{name}: padding"),
            "global_pool": global_pool,
            "pool_type": self._pool_type,
            "layout": checked_layout(layout, _LAYOUTS[rank], name),
            "pooling_convention": "full" if ceil_mode else "valid",
            **settings,
        }

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Pool every channel of every sample."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        s = self._kwargs
        return (
            f"{type(self).__name__}(size={s['kernel']}, stride={s['stride']}, padding={s['pad']}, "
            f"ceil_mode={s['pooling_convention'] == 'full'}, global_pool={s['global_pool']}, "
            f"pool_type={s['pool_type']}, layout={s['layout']})"
        )


class _MaxPool(_Pooling):
    """The largest element of every window.

    Parameters
    ----------
    pool_size : the extent of the window, one number for all axes or one for each
    strides : stride of the window; None: its own extent
    padding : the padding on either side, over which windows may extend
    layout : the order of batch (N), channels (C) and the spatial axes
    ceil_mode : whether to include a last window that extends beyond the end
    prefix, params : see `Block`

    Notes
    -----
    A spatial length ``n`` becomes ``floor((n + 2 * padding - pool_size) / strides) + 1``, or the
    like with ``ceil``.
    """

    _pool_type = "max"

    def __init__(
        self,
        pool_size: PositiveExtents = 2,
        strides: PositiveExtents | None = None,
        padding: Extents = 0,
        layout: str | None = None,
        ceil_mode: bool = False,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, False, prefix, params)


class MaxPool1D(_MaxPool):
    """The largest element of every window over one axis."""

    _rank = 1


class MaxPool2D(_MaxPool):
    """The largest element of every window over two axes."""

    _rank = 2


class MaxPool3D(_MaxPool):
    """The largest element of every window over three axes."""

    _rank = 3

    def __init__(
        self,
        pool_size: PositiveExtents = 2,
        strides: PositiveExtents | None = None,
        padding: Extents = 0,
        ceil_mode: bool = False,
        layout: str | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, prefix, params)


class _AvgPool(_Pooling):
    """The mean of every window.

    Parameters
    ----------
    pool_size : the extent of the window, one number for all axes or one for each
    strides : stride of the window; None: its own extent
    padding : the padding on either side, over which windows may extend
    ceil_mode : whether to include a last window that extends beyond the end
    layout : the order of batch (N), channels (C) and the spatial axes
    count_include_pad : whether padding counts as zeros
    prefix, params : see `Block`

    Notes
    -----
    A spatial length ``n`` becomes ``floor((n + 2 * padding - pool_size) / strides) + 1``, or the
    like with ``ceil``.
    """

    _pool_type = "avg"

    def __init__(
        self,
        pool_size: PositiveExtents = 2,
        strides: PositiveExtents | None = None,
        padding: Extents = 0,
        ceil_mode: bool = False,
        layout: str | None = None,
        count_include_pad: bool = True,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            pool_size,
            strides,
            padding,
            layout,
            ceil_mode,
            False,
            prefix,
            params,
            count_include_pad=count_include_pad,
        )


class AvgPool1D(_AvgPool):
    """The mean of every window over one axis."""

    _rank = 1

    def __init__(
        self,
        pool_size: PositiveExtents = 2,
        strides: PositiveExtents | None = None,
        padding: Extents = 0,
        layout: str | None = None,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            pool_size, strides, padding, ceil_mode, layout, count_include_pad, prefix, params
        )


class AvgPool2D(_AvgPool):
    """The mean of every window over two axes."""

    _rank = 2


class AvgPool3D(_AvgPool):
    """The mean of every window over three axes."""

    _rank = 3


class _GlobalPool(_Pooling):
    """The largest element or the mean of every channel.

    Parameters
    ----------
    layout : the order of batch (N), channels (C) and the spatial axes
    prefix, params : see `Block`

    Notes
    -----
    Every spatial axis gets length 1.
    """

    def __init__(
        self,
        layout: str | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(1, None, 0, layout, True, True, prefix, params)


class GlobalMaxPool1D(_GlobalPool):
    """The largest element of every channel over one axis."""

    _rank, _pool_type = 1, "max"


class GlobalMaxPool2D(_GlobalPool):
    """The largest element of every channel over two axes."""

    _rank, _pool_type = 2, "max"


class GlobalMaxPool3D(_GlobalPool):
    """The largest element of every channel over three axes."""

    _rank, _pool_type = 3, "max"


class GlobalAvgPool1D(_GlobalPool):
    """The mean of every channel over one axis."""

    _rank, _pool_type = 1, "avg"


class GlobalAvgPool2D(_GlobalPool):
    """The mean of every channel over two axes."""

    _rank, _pool_type = 2, "avg"


class GlobalAvgPool3D(_GlobalPool):
    """The mean of every channel over three axes."""

    _rank, _pool_type = 3, "avg"


class ReflectionPad2D(Layer):
    """Pad images with their mirror image.

    Parameters
    ----------
    padding : the number of pixels on every side, or the eight numbers of ``F.pad``'s `pad_width`
    prefix, params : see `Block`
    """

    def __init__(
        self,
        padding: Extents = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if isinstance(padding, int):
            padding = (0, 0, 0, 0, padding, padding, padding, padding)
        if len(padding) != 8:
            raise AttributeValueError(
                describe(
                    f"padding must be a number or 8 numbers, not {padding}",
                    where="ReflectionPad2D",
                )
            )
        self._padding = tuple(padding)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Pad height and width."""
        return F.pad(x, mode="reflect", pad_width=self._padding)


for _base in _Pooling.__subclasses__():
    for _layer in _base.__subclasses__():
        add_parameters_of(_layer.__mro__[1], _layer)
