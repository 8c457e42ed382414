"""Activation layers."""

from typing import Any

from gluonic.gluon.layer import Layer
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.graph.attributes import NonNegative, Positive
from gluonic.initializer import Constant, Initializer

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]

_QUARTER = Constant(0.25)


class Activation(Layer):
    """Apply one of the parameterless activation functions to every element.

    Parameters
    ----------
    activation : ``"relu"``, ``"sigmoid"``, ``"tanh"``, ``"softrelu"`` or ``"softsign"``; another name is
        refused by the first call, as in MXNet
    prefix, params : see `Block`
    """

    def __init__(
        self,
        activation: str,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        self._act_type = activation  # Block.__init__ asks for the alias
        super().__init__(prefix=prefix, params=params)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(Layer):
    """``x`` where it is positive, ``alpha * x`` elsewhere.

    Parameters
    ----------
    alpha : the slope for negative elements, at least 0
    prefix, params : see `Block`
    """

    def __init__(
        self,
        alpha: NonNegative,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(Layer):
    """A leaky rectifier whose slope is learned (He et al., 2015).

    Parameters
    ----------
    alpha_initializer : initializer of the slopes
    in_channels : 1 for one shared slope, or the length of axis 1 for a slope per channel
    prefix, params : see `Block`
    """

    def __init__(
        self,
        alpha_initializer: Initializer | str = _QUARTER,
        in_channels: Positive = 1,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(Layer):
    """``x`` where it is positive, ``alpha * (exp(x) - 1)`` elsewhere (Clevert et al., 2016).

    Parameters
    ----------
    alpha : the negative of the limit for very negative elements
    prefix, params : see `Block`
    """

    def __init__(
        self,
        alpha: float = 1.0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(Layer):
    """The scaled exponential linear unit (Klambauer et al., 2017)."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(Layer):
    """``x`` times the normal distribution function of ``x`` (Hendrycks and Gimpel, 2016)."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(Layer):
    """``x * sigmoid(beta * x)`` (Ramachandran et al., 2017).

    Parameters
    ----------
    beta : the steepness of the sigmoid
    prefix, params : see `Block`
    """

    def __init__(
        self,
        beta: float = 1.0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the function; the shape stays."""
        return x * F.sigmoid(self._beta * x, name="fwd")
