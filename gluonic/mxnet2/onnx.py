"""``mx.onnx`` of MXNet 2.0: that of 1.x, which also reads the parameters that 2.0's nets export."""

import os
from functools import wraps
from typing import Any

from gluonic import onnx as of_one
from gluonic.mxnet2.fallback import all_of, of_module
from gluonic.mxnet2.files import read_parameters


@wraps(of_one.export_model)
def export_model(sym: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(params, (str, os.PathLike)):
        params = read_parameters(params)
    return of_one.export_model(sym, params, *args, **kwargs)


__getattr__, __dir__ = of_module(of_one, globals())
__all__ = all_of(of_one)
