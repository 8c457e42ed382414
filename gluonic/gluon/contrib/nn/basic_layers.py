"""Containers side by side, synchronized normalization and pixel shuffling."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gluonic import ndarray as nd
from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn import BatchNorm, HybridSequential, Sequential
from gluonic.gluon.nn.window import extents
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import Count
from gluonic.initializer.base import Init


class Concurrent(Sequential):
    """Run blocks in parallel on one input and concatenate their outputs.

    Parameters
    ----------
    axis : the axis along which outputs are concatenated
    prefix, params : see `Block`
    """

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Run all children on `x`."""
        return nd.concat(*[block(x) for block in self], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """Run hybrid blocks in parallel on one input and concatenate their outputs.

    Parameters
    ----------
    axis : the axis along which outputs are concatenated
    prefix, params : see `Block`
    """

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Run all children on `x`."""
        return F.concat(*[block(x) for block in self], dim=self.axis)


class Identity(HybridBlock):
    """Return the input; for a branch that does nothing."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`."""
        return x


class SparseEmbedding(Block):
    """Replace every integer by its row of a learned table, which a `Trainer` holds.

    Table and gradient are row_sparse: the time and memory of a step depend on the number of rows looked up.

    Parameters
    ----------
    input_dim : number of rows in the table
    output_dim : length of a row
    dtype : the dtype of the table and the output
    weight_initializer : initializer of the table
    kwargs : see `Block`
    """

    def __init__(
        self,
        input_dim: Count,
        output_dim: Count,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": True,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Look up: a shape ``(…)`` becomes ``(…, output_dim)``."""
        weight = self.weight.row_sparse_data(x)
        return nd.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        sizes = "{input_dim} -> {output_dim}, {dtype}".format(**self._kwargs)
        return f"{type(self).__name__}({sizes})"


class SyncBatchNorm(BatchNorm):
    """Batch normalization over all devices that share a batch: over all ranks that ``mpirun`` has started.

    Parameters
    ----------
    in_channels : number of channels; 0 infers it from the first input
    num_devices : number of devices that share a batch; 1 by default
    momentum, epsilon, center, scale, use_global_stats, beta_initializer, gamma_initializer,
        running_mean_initializer, running_variance_initializer : see `BatchNorm`
    prefix, params : see `Block`
    """

    def __init__(
        self,
        in_channels: Count = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        running_mean_initializer: Init = "zeros",
        running_variance_initializer: Init = "ones",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            prefix=prefix,
            params=params,
        )
        self._kwargs = {
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
            "ndev": 1 if num_devices is None else num_devices,
            "key": self.prefix,
        }

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Normalize; the shape stays."""
        return F.contrib.SyncBatchNorm(
            x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs
        )


class _PixelShuffle(HybridBlock):
    """Turn channels into pixels: every pixel of ``f`` channels becomes a block of pixels.

    Parameters
    ----------
    factor : length of a block along the spatial axes: a number, or one for each axis
    """

    _rank: ClassVar[int]

    def __init__(self, factor: int | Sequence[int]) -> None:
        super().__init__()
        self._factors = extents(factor, self._rank, f"{type(self).__name__}: factor")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Turn ``(N, C · f, …)`` into ``(N, C, …)``, every spatial axis longer by its factor."""
        rank = self._rank
        kept = (0,) * rank
        x = F.reshape(x, shape=(0, -4, -1, math.prod(self._factors), *kept))
        for position in range(rank - 1):  # split the factors off one by one
            rest = math.prod(self._factors[position + 1 :])
            before = (0,) * (2 + position)
            x = F.reshape(x, shape=(*before, -4, self._factors[position], rest, *kept))
        pairs = [axis for position in range(rank) for axis in (2 + rank + position, 2 + position)]
        x = F.transpose(x, axes=(0, 1, *pairs))
        return F.reshape(x, shape=(0, 0, *(-3,) * rank))

    def __repr__(self) -> str:
        factors = self._factors[0] if self._rank == 1 else self._factors
        return f"{type(self).__name__}({factors})"


class PixelShuffle1D(_PixelShuffle):
    """Turn channels into samples along one axis; the factor is a number."""

    _rank = 1

    @property
    def _factors(self) -> tuple[int, ...]:
        return (self._factor,)  # what MXNet's pickles have

    @_factors.setter
    def _factors(self, factors: tuple[int, ...]) -> None:
        (self._factor,) = factors


class PixelShuffle2D(_PixelShuffle):
    """Turn channels into pixels along two axes; the factor is a number or two."""

    _rank = 2


class PixelShuffle3D(_PixelShuffle):
    """Turn channels into voxels along three axes; the factor is a number or three."""

    _rank = 3
