"""`Constant`: a parameter that training does not change."""

import warnings
from typing import Any

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic.gluon.parameter import Parameter
from gluonic.ndarray import NDArray

CONSTANT = "Constant_"
"""The prefix of constants' initializers in the files of MXNet, which adds a name and a number."""


class Constant(Parameter):
    """A parameter that training does not change.

    Parameters
    ----------
    name : its full name
    value : its value, an NDArray or anything `nd.array` takes
    """

    def __init__(self, name: str, value: Any) -> None:
        self.value = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name,
            grad_req="null",
            shape=self.value.shape,
            dtype=self.value.dtype,
            init=initializer.Constant(self.value),
            differentiable=False,
        )

    @property
    def grad_req(self) -> str:
        """``"null"``: a constant has no gradient."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warnings.warn(
                f"the constant {self.name!r} does not learn: its grad_req stays 'null', not {req!r}",
                stacklevel=2,
            )
        self._grad_req = "null"

    @property
    def _init_in_files(self) -> str:
        return f"{CONSTANT}{self.name}"

    def __repr__(self) -> str:
        return f"Constant {self.name} (shape={self.shape}, dtype={self.dtype})"
