"""A written module in the PyTorch of this Python."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gluonic.graph import Array


class LoadedModule:
    """A module, ready to predict.

    Parameters
    ----------
    text : the source
    name : the class
    arrays : the weights

    Attributes
    ----------
    runtime : PyTorch with its version
    is_random : whether it draws numbers
    """

    def __init__(self, text: str, name: str, arrays: Mapping[str, Array]) -> None:
        import torch

        self._torch: Any = torch
        self.runtime = f"PyTorch {torch.__version__}"
        self.is_random = "torch.rand" in text
        scope: dict[str, Any] = {"__name__": "exported"}
        exec(compile(text, f"<{name}>", "exec"), scope)
        self._net = scope[name]()
        self._net.load_state_dict({key: self._tensor(array) for key, array in arrays.items()})
        self._net.eval()

    def __call__(self, inputs: Iterable[Array]) -> list[Array]:
        """The outputs."""
        with self._torch.no_grad():
            outputs = self._net(*map(self._tensor, inputs))
        return [each.numpy() for each in (outputs if isinstance(outputs, tuple) else (outputs,))]

    def _tensor(self, array: Array) -> Any:
        return self._torch.from_numpy(np.array(array))
