"""The initializers: constants, random numbers, kernels and biases."""

from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.attributes import NonNegative
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.initializer.base import Initializer, alias, register
from gluonic.ndarray import _internal
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.random import functions


@register
@alias("zeros")
class Zero(Initializer):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Ones."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """A constant.

    Parameters
    ----------
    value : a number, or an array of the parameter's shape
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        """Return name and value as JSON."""
        if isinstance(self.value, (NDArray, np.ndarray)):
            self._kwargs["value"] = np.asarray(
                self.value.asnumpy() if isinstance(self.value, NDArray) else self.value
            ).tolist()
        return super().dumps()


def _draw_evenly(arr: NDArray, bound: float) -> None:
    """Fill an array with numbers from ``[-bound, bound)``; with `set_np`, those of `np.random`."""
    if is_np_array():
        _internal._npi_uniform(low=-bound, high=bound, **_like(arr))
    else:
        functions["uniform"](-bound, bound, out=arr)


def _draw_normally(arr: NDArray, sigma: NonNegative) -> None:
    """Fill an array with numbers from the normal distribution around zero; see `_draw_evenly`."""
    if is_np_array():
        _internal._npi_normal(loc=0.0, scale=sigma, **_like(arr))
    else:
        functions["normal"](0, sigma, out=arr)


def _like(arr: NDArray) -> dict[str, Any]:
    return {"size": arr.shape, "dtype": arr.dtype, "out": arr}


@register
class Uniform(Initializer):
    """Numbers drawn evenly from ``(-scale, scale)``.

    Parameters
    ----------
    scale : the bound
    """

    def __init__(self, scale: NonNegative = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: NDArray) -> None:
        _draw_evenly(arr, self.scale)


@register
class Normal(Initializer):
    """Numbers drawn from the normal distribution around zero.

    Parameters
    ----------
    sigma : the standard deviation
    """

    def __init__(self, sigma: NonNegative = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: NDArray) -> None:
        _draw_normally(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """Orthogonal rows, or columns if they are fewer, of equal length (Saxe et al., 2014).

    Parameters
    ----------
    scale : the length of the rows
    rand_type : ``"uniform"`` or ``"normal"``: the distribution of the matrix before it is made orthogonal
    """

    def __init__(
        self, scale: float = 1.414, rand_type: Literal["uniform", "normal"] = "uniform"
    ) -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale, self.rand_type = scale, rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = (arr.shape[0], prod(arr.shape[1:]))
        if self.rand_type == "uniform":
            drawn = functions["uniform"](-1.0, 1.0, shape=shape)
        else:
            drawn = functions["normal"](0.0, 1.0, shape=shape)
        left, _, right = np.linalg.svd(drawn.asnumpy(), full_matrices=False)
        chosen = left if left.shape == shape else right
        arr[:] = self.scale * chosen.reshape(arr.shape)


@register
class Xavier(Initializer):
    """Random weights that keep the size of activations and gradients from layer to layer.

    Their variance is ``magnitude / (3 · fan)`` when uniform, ``magnitude / fan`` when gaussian
    (Glorot and Bengio, 2010).

    Parameters
    ----------
    rnd_type : ``"uniform"`` or ``"gaussian"``
    factor_type : which fan: ``"in"`` (inputs of a unit), ``"out"`` or the ``"avg"`` of both
    magnitude : the numerator
    """

    def __init__(
        self,
        rnd_type: Literal["uniform", "gaussian"] = "uniform",
        factor_type: Literal["in", "out", "avg"] = "avg",
        magnitude: float = 3,
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type, self.factor_type = rnd_type, factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        scale = float(np.sqrt(self.magnitude / self._fan(name, arr.shape)))
        if self.rnd_type == "uniform":
            _draw_evenly(arr, scale)
        elif self.rnd_type == "gaussian":
            _draw_normally(arr, scale)
        else:
            raise AttributeValueError(
                f"Xavier: rnd_type must be 'uniform' or 'gaussian', not {self.rnd_type!r}"
            )

    def _fan(self, name: str, shape: tuple[int, ...]) -> float:
        if len(shape) < 2:
            raise ValueError(
                describe(
                    f"{type(self).__name__} needs at least two axes, not the shape {shape}",
                    where=name,
                    hint="Uniform, or an initializer of its own for this parameter",
                )
            )
        area = float(prod(shape[2:]))
        fans = {"in": shape[1] * area, "out": shape[0] * area}
        fans["avg"] = (fans["in"] + fans["out"]) / 2
        if self.factor_type not in fans:
            raise AttributeValueError(
                f"Xavier: factor_type must be one of {', '.join(fans)}, not {self.factor_type!r}"
            )
        return fans[self.factor_type]


@register
class MSRAPrelu(Xavier):
    """Gaussian `Xavier` for layers followed by (leaky) rectifiers (He et al., 2015).

    Parameters
    ----------
    factor_type : which fan: ``"in"``, ``"out"`` or the ``"avg"`` of both
    slope : the slope of the rectifier for negative elements
    """

    def __init__(
        self, factor_type: Literal["in", "out", "avg"] = "avg", slope: float = 0.25
    ) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """The kernels of bilinear upsampling."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_bilinear(name, arr)


@register
class LSTMBias(Initializer):
    """Zeros, except for the forget gate of an LSTM.

    Parameters
    ----------
    forget_bias : the bias of the forget gate
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        hidden = arr.shape[0] // 4
        arr[:] = 0
        arr[hidden : 2 * hidden] = self.forget_bias
