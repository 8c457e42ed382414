"""``mx.npx`` of MXNet 2.0: switches, devices, files, and the operators that NumPy does not have."""

from typing import Any

from gluonic import numpy_extension as of_one
from gluonic.mxnet2 import dlpack, util
from gluonic.mxnet2.device import *
from gluonic.mxnet2.files import load, savez
from gluonic.mxnet2.functions import of_two
from gluonic.mxnet2.numpy_extension import image, layers, random
from gluonic.mxnet2.numpy_extension.layers import *
from gluonic.mxnet2.numpy_extension.random import seed
from gluonic.mxnet2.util import (
    is_np_default_dtype,
    reset_np,
    set_np,
    set_np_default_dtype,
)
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array
from gluonic.symbol import numpy_extension as of_symbols

from_dlpack = dlpack.ndarray_from_dlpack(ndarray)
from_numpy = dlpack.ndarray_from_numpy(ndarray, array)
to_dlpack_for_read = dlpack.ndarray_to_dlpack_for_read()
to_dlpack_for_write = dlpack.ndarray_to_dlpack_for_write()
_symbolic = {
    **of_symbols.functions,
    **{name: getattr(of_symbols, name) for name in ("cond", "foreach", "while_loop")},
}
_names = [name for name in of_one.__all__ if name not in globals()]
_eager = {name: getattr(of_one, name) for name in _names}
globals().update(
    {**_eager, **of_two({n: f for n, f in _eager.items() if n in _symbolic}, _symbolic, __name__)}
)
control_flow: Any = None
__all__ = sorted(
    {name for name in globals() if not name.startswith("_")} - {"Any", "of_one", "of_two"}
)
