"""A written module in the PyTorch of this Python."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import FileFormatError, MissingModuleError, describe
from gluonic.graph.tensor_files import read_tensors


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
        self._torch = torch_library()
        self.runtime = f"PyTorch {self._torch.__version__}"
        self.is_random = "torch.rand" in text or "torch.multinomial" in text
        scope: dict[str, Any] = {"__name__": "exported"}
        exec(compile(text, f"<{name}>", "exec"), scope)
        self._net = scope[name]()
        self._net.load_state_dict(
            {key: self._torch.from_numpy(np.array(array)) for key, array in arrays.items()}
        )
        self._net.eval()

    @classmethod
    def of_files(cls, source: Path, weights: Path) -> "LoadedModule":
        """The module that `export_torch` has written.

        Raises
        ------
        FileFormatError
            if the source has no module
        """
        text = source.read_text()
        classes = re.findall(r"^class (\w+)\(nn\.Module\):", text, re.MULTILINE)
        if not classes:
            raise FileFormatError(f"{source} has no module that gluonic has written for PyTorch")
        return cls(text, classes[-1], read_tensors(weights))

    def __call__(self, inputs: Iterable[Array]) -> list[Array]:
        """The outputs."""
        outputs = self.run(self.tensors(inputs))
        return [each.numpy() for each in (outputs if isinstance(outputs, tuple) else (outputs,))]

    def variables(self, inputs: Iterable[Array]) -> dict[str, Array]:
        """The tensors that ``forward`` leaves in its variables."""
        code, found = type(self._net).forward.__code__, {}

        def note(frame: FrameType, event: str, argument: Any) -> None:
            if event == "return" and frame.f_code is code:
                found.update(frame.f_locals)

        sys.setprofile(note)
        try:
            self.run(self.tensors(inputs))
        finally:
            sys.setprofile(None)
        kind = self._torch.Tensor
        return {name: each.numpy() for name, each in found.items() if isinstance(each, kind)}

    def tensors(self, inputs: Iterable[Array]) -> list[Any]:
        """Inputs as tensors."""
        return [self._torch.from_numpy(np.array(array)) for array in inputs]

    def run(self, tensors: Sequence[Any]) -> Any:
        """The outputs, as tensors."""
        with self._torch.no_grad():
            return self._net(*tensors)


def torch_library() -> Any:
    """Import `torch`.

    Raises
    ------
    MissingModuleError
        an ImportError, if it is not installed
    """
    try:
        import torch
    except ImportError as error:
        raise MissingModuleError(
            describe("PyTorch is not installed", hint="pip install torch")
        ) from error
    return torch
