"""The shared part of normalization layers: centring, and division by the standard deviation."""

from math import prod
from typing import Any

from gluonic.graph.axes import axis_of
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import both_ways
from gluonic.graph.rules import like
from gluonic.graph.summation import total_like, total_of_squares_like
from gluonic.graph.view import NodeView, title_of
from gluonic.support.cached_property import cached_property


def moments(numbers: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """The centred numbers, the mean and the variance over `axes`, which are kept."""
    count = max(1, prod([numbers.shape[axis] for axis in axes]))
    mean = total_like(numbers, axes, keepdims=True) / count
    centred = numbers - mean
    return centred, mean, total_of_squares_like(centred, axes, keepdims=True) / count


class Standardization:
    """The map ``(data - mean) * scale`` in a gradient rule; the statistics depend on the data.

    Attributes
    ----------
    F : the namespace of operators
    data, mean, scale : arrays that broadcast together; `scale` is one over the standard deviation
    axes : the attributes `axis` and `exclude` with the axes of the statistics
    over_ranks : the layer's name in errors, if the statistics are over all ranks
    """

    def __init__(
        self, F: Any, data: Any, mean: Any, scale: Any, over_ranks: str | None = None, **axes: Any
    ) -> None:
        self.F, self.data, self.mean, self.scale, self.axes = F, data, mean, scale, axes
        self.over_ranks = over_ranks

    @cached_property
    def standardized(self) -> Any:
        """The result of the map."""
        return self.F.broadcast_mul(self.F.broadcast_sub(self.data, self.mean), self.scale)

    def scaled(self, g: Any) -> Any:
        """The gradient of `data` when the statistics are constants."""
        return self.F.broadcast_mul(g, self.scale)

    def through(self, g: Any) -> Any:
        """The gradient of `data`, through the statistics too."""
        F = self.F
        mean = self._average(g, "the mean of the gradient")
        slope = self._average(g * self.standardized, "the slope of the gradient")
        rest = F.broadcast_sub(g, mean) - F.broadcast_mul(self.standardized, slope)
        return self.scaled(rest)

    def through_mean(self, g: Any) -> Any:
        """The gradient of `data` from that of the mean."""
        F, axes = self.F, {"keepdims": True, **self.axes}
        if self.over_ranks is None:
            return F._backward_mean(g, self.data, **axes)
        return F._backward_mean_over_ranks(g, self.data, what=self.over_ranks, **axes)

    def _average(self, x: Any, what: str) -> Any:
        F, axes = self.F, {"keepdims": True, **self.axes}
        if self.over_ranks is None:
            return F.mean(x, **axes)
        return F._mean_over_ranks(x, what=f"{self.over_ranks}: {what}", **axes)

    def through_deviation(self, g: Any) -> Any:
        """The gradient of `data` from that of the standard deviation."""
        return self.through_mean(g) * self.standardized

    def through_variance(self, g: Any) -> Any:
        """The gradient of `data` from that of the variance."""
        return self.through_mean(g) * self.F.broadcast_sub(self.data, self.mean) * 2

    def through_scale(self, g: Any) -> Any:
        """The gradient of `data` from that of `scale`."""
        return self.through_deviation(g * self.scale * self.scale * -1)


@operator("_channel_view_like", is_view=True)
def channel_view_like(data: Array, other: Array, *, axis: int = 1) -> Any:
    """Reshape a vector along one axis to the rank of `other`, so that the two broadcast."""
    shape = [1] * other.ndim
    shape[axis] = -1
    return data.reshape(shape)


@channel_view_like.infer_shape
def _(n: NodeView) -> None:
    axis = axis_of(n.axis, len(n.other), title_of(n))
    n.data = (n.other[axis],)
    n.output = tuple(n.data[0] if i == axis else 1 for i in range(len(n.other)))


@channel_view_like.infer_dtype
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")


channel_view_like.gradient(data=lambda F, n, g: F.reshape_like(g, n.data))


@operator("_cast_as", shape=like("data"), dtype=like("other"))
def cast_as(data: Array, other: Array) -> Any:
    """Give `data` the dtype of an array of any shape."""
    return data


cast_as.gradient(data=lambda F, n, g: F._cast_as(g, n.data))
