"""Normalization layers."""

from typing import Any

from gluonic.gluon.layer import Layer
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import Count, Positive
from gluonic.graph.dtypes import as_dtype
from gluonic.initializer.base import Init

__all__ = ["BatchNorm", "BatchNormReLU", "GroupNorm", "InstanceNorm", "LayerNorm"]


class _Norm(Layer):
    """A normalization with a learned scale `gamma` and shift `beta`."""

    _kwargs: dict[str, Any]
    gamma: Parameter
    beta: Parameter

    def _add_scale_and_shift(
        self,
        length: int,
        scale: tuple[bool, Init],
        shift: tuple[bool, Init],
        *,
        may_learn_later: bool = True,
    ) -> None:
        """Make both parameters; each is given as (whether it is learned, initializer)."""
        for name, (learns, init) in (("gamma", scale), ("beta", shift)):
            parameter = self.params.get(
                name,
                grad_req="write" if learns else "null",
                shape=(length,),
                init=init,
                allow_deferred_init=True,
                differentiable=learns or may_learn_later,
            )
            setattr(self, name, parameter)

    def _channels(self) -> int:
        assert self.gamma.shape is not None
        return self.gamma.shape[0]

    def _settings_text(self) -> str:
        return ", ".join(f"{key}={value!r}" for key, value in self._kwargs.items())

    def __repr__(self) -> str:
        channels = self._channels()
        return f"{type(self).__name__}({self._settings_text()}, in_channels={channels})"


class BatchNorm(_Norm):
    """Normalize every channel over the batch (Ioffe and Szegedy, 2015).

    In training the batch's own mean and variance are used, and running averages of both are kept;
    in inference the running averages are used.

    Parameters
    ----------
    axis : the axis of the channels
    momentum : decay rate of the running averages
    epsilon : added to the variance
    center : whether to learn a shift `beta`
    scale : whether to learn a scale `gamma`
    use_global_stats : use the running averages in training, too
    beta_initializer, gamma_initializer : initializers of shift and scale
    running_mean_initializer, running_variance_initializer : initializers of the running averages
    in_channels : the length of `axis`; 0 infers it from the first input
    prefix, params : see `Block`
    """

    _rectifies = False
    running_mean: Parameter
    running_var: Parameter

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        running_mean_initializer: Init = "zeros",
        running_variance_initializer: Init = "ones",
        in_channels: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        if in_channels:
            self.in_channels = in_channels
        self._add_scale_and_shift(
            in_channels,
            (scale, gamma_initializer),
            (center, beta_initializer),
            may_learn_later=False,
        )
        for name, init in (
            ("running_mean", running_mean_initializer),
            ("running_var", running_variance_initializer),
        ):
            average = self.params.get(
                name,
                grad_req="null",
                shape=(in_channels,),
                init=init,
                allow_deferred_init=True,
                differentiable=False,
            )
            setattr(self, name, average)

    def cast(self, dtype: Any) -> None:
        """Change the dtype of the parameters; those of 16 bits leave them float32, for the statistics."""
        super().cast("float32" if as_dtype(dtype).itemsize == 2 else dtype)

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Normalize; the shape stays."""
        out = F.BatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)
        return F.relu(out) if self._rectifies else out

    def __repr__(self) -> str:
        channels = self._channels() or None
        return f"{type(self).__name__}({self._settings_text()}, in_channels={channels})"


class BatchNormReLU(BatchNorm):
    """Batch normalization followed by a rectifier; the parameters are those of `BatchNorm`."""

    _rectifies = True


class InstanceNorm(_Norm):
    """Normalize every channel of every sample on its own (Ulyanov et al., 2016).

    Parameters
    ----------
    axis : the axis of the channels
    epsilon : added to the variance
    center : whether to learn a shift `beta`
    scale : whether to learn a scale `gamma`
    beta_initializer, gamma_initializer : initializers of shift and scale
    in_channels : the length of `axis`; 0 infers it from the first input
    prefix, params : see `Block`
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis, self._epsilon = axis, epsilon
        self._add_scale_and_shift(
            in_channels, (scale, gamma_initializer), (center, beta_initializer)
        )

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        """Normalize; the shape stays."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        x = F.swapaxes(x, 1, self._axis)
        x = F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        return F.swapaxes(x, 1, self._axis)


class LayerNorm(_Norm):
    """Normalize along one axis (Ba et al., 2016).

    Parameters
    ----------
    axis : the axis to normalize
    epsilon : added to the variance
    center : whether to learn a shift `beta`
    scale : whether to learn a scale `gamma`
    beta_initializer, gamma_initializer : initializers of shift and scale
    in_channels : the length of `axis`; 0 infers it from the first input
    prefix, params : see `Block`
    """

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis, self._epsilon = axis, epsilon
        self._center, self._scale = center, scale
        self._add_scale_and_shift(
            in_channels, (scale, gamma_initializer), (center, beta_initializer)
        )

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalize; the shape stays."""
        return F.LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)


class GroupNorm(_Norm):
    """Normalize groups of channels of every sample (Wu and He, 2018).

    Parameters
    ----------
    num_groups : number of groups that axis 1 is divided into
    epsilon : added to the variance
    center : whether to learn a shift `beta`
    scale : whether to learn a scale `gamma`
    beta_initializer, gamma_initializer : initializers of shift and scale, each of shape ``(num_groups,)``
    prefix, params : see `Block`
    """

    def __init__(
        self,
        num_groups: Positive = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "num_groups": num_groups, "center": center, "scale": scale}
        self._num_groups, self._epsilon = num_groups, epsilon
        self._center, self._scale = center, scale
        self._add_scale_and_shift(
            num_groups, (scale, gamma_initializer), (center, beta_initializer)
        )

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalize; the shape stays."""
        return F.GroupNorm(
            data, gamma=gamma, beta=beta, num_groups=self._num_groups, eps=self._epsilon
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings_text()})"
