"""Fully connected layers, dropout, embeddings, functions as layers; containers and norms too."""

from collections.abc import Callable
from functools import partial
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.layer import Layer
from gluonic.gluon.nn.activations import Activation
from gluonic.gluon.nn.containers import HybridSequential, Sequential
from gluonic.gluon.nn.norm_layers import (
    BatchNorm,
    BatchNormReLU,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
)
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import Count, Rate
from gluonic.graph.errors import AttributeValueError, describe, nearest
from gluonic.initializer import Initializer

__all__ = [
    "BatchNorm",
    "BatchNormReLU",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "Sequential",
]


class Dense(Layer):
    """A fully connected layer: ``activation(data · weightᵀ + bias)``.

    Parameters
    ----------
    units : number of output features
    activation : the name of a function for `Activation`; None applies none
    use_bias : whether to add a bias
    flatten : whether all axes but the first are features; otherwise only the last one is
    dtype : the dtype of the parameters
    weight_initializer, bias_initializer : initializers of the parameters
    in_units : number of input features; 0 infers it from the first input
    prefix, params : see `Block`

    Notes
    -----
    The input has the shape ``(batch, …)`` with `flatten`, ``(…, in_units)`` without; the weight
    ``(units, in_units)``, the output ``(batch, units)`` or ``(…, units)``.
    """

    def __init__(
        self,
        units: Count,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Initializer | str | None = None,
        bias_initializer: Initializer | str | None = "zeros",
        in_units: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._units, self._in_units, self._flatten = units, in_units, flatten
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias",
                    shape=(units,),
                    init=bias_initializer,
                    dtype=dtype,
                    allow_deferred_init=True,
                )
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Map features to features."""
        out = F.FullyConnected(
            x,
            weight,
            bias,
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        assert self.weight.shape is not None
        units, in_units = self.weight.shape
        return f"{type(self).__name__}({in_units or None} -> {units}, {self.act or 'linear'})"


class Dropout(Layer):
    """Set a random fraction of the elements to zero in training, and scale up the rest.

    Parameters
    ----------
    rate : the fraction to zero, at least 0 and below 1
    axes : axes along which the mask is broadcast, so that elements are dropped together
    prefix, params : see `Block`
    """

    def __init__(
        self,
        rate: Rate,
        axes: tuple[int, ...] = (),
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._rate, self._axes = rate, axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Drop; the shape stays."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(Layer):
    """Replace every integer by its row of a learned table.

    Parameters
    ----------
    input_dim : number of rows in the table
    output_dim : length of a row
    dtype : the dtype of the table and the output
    weight_initializer : initializer of the table
    sparse_grad : whether the gradient is row_sparse, so that it stores only the rows that were looked up
    prefix, params : see `Block`
    """

    def __init__(
        self,
        input_dim: Count,
        output_dim: Count,
        dtype: Any = "float32",
        weight_initializer: Initializer | str | None = None,
        sparse_grad: bool = False,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": sparse_grad,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Look up: a shape ``(…)`` becomes ``(…, output_dim)``."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        sizes = "{input_dim} -> {output_dim}, {dtype}".format(**self._kwargs)
        return f"{type(self).__name__}({sizes})"


class Flatten(Layer):
    """Merge all axes but the first."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Reshape ``(batch, …)`` to ``(batch, everything else)``."""
        return F.flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Lambda(Block):
    """A function of arrays as a block.

    Parameters
    ----------
    function : the name of an operator in `nd`, or a callable of arrays
    prefix : see `Block`
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func_impl = _named(function, nd) if isinstance(function, str) else _checked(function)
        self._func_name = _name_of(function)

    def forward(self, *args: Any) -> Any:
        """Call the function."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


class HybridLambda(HybridBlock):
    """A hybrid function as a block.

    Parameters
    ----------
    function : the name of an operator in `nd` and `sym`, or a callable ``(F, x, …)``
    prefix : see `Block`
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            name = function
            _named(name, nd)
            _named(name, sym)
            self._func_impl: Callable[..., Any] = partial(_call_by_name, name)
        else:
            self._func_impl = _checked(function)
        self._func_name = _name_of(function)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Call the function."""
        return self._func_impl(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


def _call_by_name(name: str, F: Any, *args: Any) -> Any:
    return getattr(F, name)(*args)


def _named(name: str, namespace: Any) -> Callable[..., Any]:
    found = getattr(namespace, name, None)
    if found is None:
        raise AttributeValueError(
            describe(
                f"there is no operator {name!r}{nearest(name, dir(namespace))}", where="Lambda"
            )
        )
    return _checked(found)


def _checked(function: Any) -> Callable[..., Any]:
    if not callable(function):
        raise AttributeValueError(
            describe(
                f"the function must be callable or an operator's name, not {function!r}",
                where="Lambda",
            )
        )
    return function  # type: ignore[no-any-return]


def _name_of(function: str | Callable[..., Any]) -> str:
    if isinstance(function, str):
        return function
    return getattr(function, "__name__", type(function).__name__)
