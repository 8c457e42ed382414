"""Initializers that take values from a file, or choose another initializer by name."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic.graph.errors import AttributeValueError, MXNetError, describe
from gluonic.initializer.base import InitDesc
from gluonic.ndarray.array import NDArray


class Load:
    """Fill parameters from saved values.

    Parameters
    ----------
    param : a ``.params`` file, or arrays by name; ``arg:`` and ``aux:`` before a name are dropped
    default_init : the initializer of parameters without a saved value
    verbose : log every parameter
    """

    def __init__(
        self,
        param: str | Mapping[str, NDArray],
        default_init: Any = None,
        verbose: bool = False,
    ) -> None:
        if isinstance(param, str):
            param = nd.load(param)
        if not isinstance(param, Mapping):
            raise AttributeValueError(
                "Load takes a file of named arrays, or a dictionary of arrays"
            )
        self.param = {re.sub("^(arg|aux):", "", name): arr for name, arr in param.items()}
        self.default_init, self.verbose = default_init, verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr` with the value saved under `name`."""
        saved = self.param.get(name)
        if saved is not None:
            if saved.shape != arr.shape:
                raise MXNetError(
                    describe(
                        "the saved value has another shape",
                        where=name,
                        facts=[f"saved: {saved.shape}", f"needed: {arr.shape}"],
                    )
                )
            arr[:] = saved
        elif self.default_init is None:
            raise MXNetError(
                describe(
                    "there is no saved value",
                    where=name,
                    hint="Load(…, default_init=…) for parameters that the file does not have",
                )
            )
        else:
            self.default_init(_without_own(name, self), arr)
        if self.verbose:
            logging.info("Initialized %s %s", name, "by default" if saved is None else "by loading")


class Mixed:
    """Choose the initializer by the name of the parameter.

    Parameters
    ----------
    patterns : regular expressions, tried in turn against the beginning of the name
    initializers : the initializer for each pattern
    """

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr` by the first initializer whose pattern matches."""
        for pattern, initializer in self.map:
            if pattern.match(name):
                initializer(_without_own(name, self), arr)
                return
        raise ValueError(
            describe("no pattern matches this name", where=name, hint='".*" as the last pattern')
        )


def _without_own(name: str, chooser: Any) -> str:
    """Return the description without `chooser` itself as the parameter's own initializer."""
    if isinstance(name, InitDesc) and name.attrs.get("__init__") is chooser:
        rest = {key: value for key, value in name.attrs.items() if key != "__init__"}
        return InitDesc(name, rest, name.global_init)
    return name
