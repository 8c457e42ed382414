"""``mx.npx`` of MXNet 2.0: switches, devices, files, and the operators that NumPy does not have."""

from typing import TYPE_CHECKING, Any

from gluonic import numpy_extension as of_one
from gluonic.mxnet2 import device, dlpack, files, util
from gluonic.mxnet2.functions import of_two
from gluonic.mxnet2.numpy_extension import image, layers, loops, random
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array
from gluonic.symbol import numpy_extension as of_symbols

_SWITCHES = ("is_np_default_dtype", "reset_np", "set_np", "set_np_default_dtype")
_new: dict[str, Any] = {
    **{name: getattr(device, name) for name in device.__all__},
    **{name: getattr(layers, name) for name in layers.__all__},
    **{name: getattr(loops, name) for name in loops.__all__},
    **{name: getattr(util, name) for name in _SWITCHES},
    "from_dlpack": dlpack.ndarray_from_dlpack(ndarray),
    "from_numpy": dlpack.ndarray_from_numpy(ndarray, array),
    "image": image,
    "load": files.load,
    "random": random,
    "save": files.save,
    "savez": files.savez,
    "seed": random.seed,
    "to_dlpack_for_read": dlpack.ndarray_to_dlpack_for_read(),
    "to_dlpack_for_write": dlpack.ndarray_to_dlpack_for_write(),
}
_symbolic = of_symbols.functions
_kept: dict[str, Any] = {n: getattr(of_one, n) for n in of_one.__all__ if n not in _new}
_functions = {name: function for name, function in _kept.items() if name in _symbolic}
globals().update({**_kept, **of_two(_functions, _symbolic, __name__), **_new})
__all__ = sorted({*_kept, *_new})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
