"""Writing with the methods of arrays, directly and through views, and with NumPy and others."""

import ctypes
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.ndarray.interchange import to_dlpack_for_write
from tests.gluon.writing.ways import SHAPE, SIZE, WAYS, drawn, way

_METHODS: dict[str, Callable[[Any], Any]] = {
    "all elements": lambda w: w.__setitem__(slice(None), drawn()),
    "a number": lambda w: w.__setitem__(slice(None), 3),
    "one element": lambda w: w.__setitem__((0, 1, 2, 0), 30),
    "a part": lambda w: w.__setitem__(slice(2, 5), 3),
    "by steps": lambda w: w.__setitem__((slice(None), 0, slice(None, None, 2)), 3),
    "by indices": lambda w: w.__setitem__(([0, 3],), 3),
    "by an array": lambda w: w.__setitem__(nd.array([1, 2]), 3),
    "NumPy's values": lambda w: w.__setitem__((0, 1, slice(None)), np.ones((3, 3))),
    "+=": lambda w: w.__iadd__(1),
    "-=": lambda w: w.__isub__(drawn()),
    "*=": lambda w: w.__imul__(2),
    "/=": lambda w: w.__itruediv__(3),
    "%=": lambda w: w.__imod__(0.1),
    "copyto": lambda w: drawn().copyto(w),
    "copyto another dtype": lambda w: drawn().astype("float64").copyto(w),
    "operator": lambda w: nd.relu(w, out=w),
    "operator of two": lambda w: nd.broadcast_add(w, drawn(), out=w),
    "operator with a list": lambda w: nd.split(nd.concat(drawn(), w, dim=0), 2, axis=0, out=[w, drawn()]),
    "zeros": lambda w: nd.zeros(SHAPE, out=w),
    "ones": lambda w: nd.ones(SHAPE, out=w),
    "full": lambda w: nd.full(SHAPE, 2, out=w),
    "arange": lambda w: nd.reset_arrays(w, num_arrays=1),
    "random": lambda w: nd.random.normal(shape=SHAPE, out=w),
    "shuffled": lambda w: nd.random.shuffle(w, out=w),
    "dropped": lambda w: nd.Dropout(w, p=0.9, mode="always", out=w),
    "concatenated": lambda w: nd.concat(drawn()[:4], drawn()[4:], dim=0, out=w),
    "where": lambda w: nd.where(w > 0, w, drawn(), out=w),
    "one-hot rows": lambda w: nd.onehot_encode(nd.arange(8), w.reshape((8, 27))),
    "CachedOp": lambda w: nd.CachedOp(mx.sym.relu(mx.sym.var("x")))(drawn(), out=w),
    "update of a weight": lambda w: nd.sgd_update(w, drawn(), lr=0.5, out=w),
    "update of a state": lambda w: nd.sgd_mom_update(drawn(), drawn(), w, lr=0.5, out=drawn()),
    "update of several": lambda w: nd.multi_sgd_update(
        w, drawn(), lrs=[0.5], wds=[0.1], num_weights=1, out=[w]
    ),
    "contrast of an image": lambda w: mx.image.ContrastJitterAug(0.9)(w.reshape((72, 1, 3))),
    "normalized image": lambda w: mx.image.color_normalize(
        w.reshape((72, 1, 3)), nd.array([1, 2, 3]), nd.array([4, 5, 6])
    ),
    "C function": lambda w: copied_by_c(w),
    "a gradient": lambda w: gradient_into(w),
    "an added gradient": lambda w: gradient_into(w, "add"),
    "a compiled gradient": lambda w: gradient_into(w, hybridize=True),
}  # fmt: skip


def copied_by_c(w: Any) -> None:
    """Let the C function that copies memory into arrays do it."""
    library: Any = mx.base._LIB  # type: ignore[attr-defined]
    values = drawn().asnumpy()
    library.MXNDArraySyncCopyFromCPU(w.handle, values.ctypes.data_as(ctypes.c_void_p), SIZE)


def gradient_into(w: Any, request: str = "write", *, hybridize: bool = False) -> None:
    """Let the array be the buffer of another one's gradient."""
    x, net = nd.ones(SHAPE), gluon.nn.HybridLambda(lambda F, x: F.square(x) + x * 4)
    net.hybridize(hybridize)
    autograd.mark_variables([x], [w], request)
    with autograd.record():
        y = net(x)
    y.backward()


def _through(name: str, method: Callable[[Any], Any]) -> None:
    WAYS[f"array: {name}"] = lambda parameter, _: method(parameter.data())
    WAYS[f"view: {name}"] = lambda parameter, _: method(parameter.data().reshape(SHAPE))
    WAYS[f"detached: {name}"] = lambda parameter, _: method(parameter.list_data()[0].detach())


for _name, _method in _METHODS.items():
    _through(_name, _method)


@way
def view_of_a_view(parameter: Any, net: Any) -> None:
    parameter.data()[1:7][2:4].reshape((-1,))[5:9] += 3


@way
def row(parameter: Any, net: Any) -> None:
    parameter.data()[3][:] = 3


@way
def rows_that_are_iterated(parameter: Any, net: Any) -> None:
    for one in parameter.data():
        one[:] = 3


# NumPy and others


@way
def numpy_view(parameter: Any, net: Any) -> None:
    np.asarray(parameter.data())[1] = 5


@way
def numpy_out(parameter: Any, net: Any) -> None:
    view = np.asarray(parameter.data())
    np.exp(view, out=view)


@way
def numpy_view_of_a_part(parameter: Any, net: Any) -> None:
    np.asarray(parameter.data()[2:4])[...] = 5


def _writable(memory: dict[str, Any]) -> Any:
    """An array of the memory that an array interface describes; NumPy 1 makes arrays from DLPack read-only."""
    address, _ = memory["data"]
    shared: Any = type("Shared", (), {"__array_interface__": {**memory, "data": (address, False)}})
    return np.asarray(shared())


@way
def array_interface(parameter: Any, net: Any) -> None:
    _writable(parameter.data().__array_interface__)[0] = 7


@way
def dlpack(parameter: Any, net: Any) -> None:
    _writable(np.from_dlpack(parameter.data()).__array_interface__)[...] *= 3


@way
def dlpack_capsule(parameter: Any, net: Any) -> None:
    nd.from_dlpack(to_dlpack_for_write(parameter.data()))[:] = 3


@way
def raw_memory(parameter: Any, net: Any) -> None:
    address = np.asarray(parameter.data()).ctypes.data
    ctypes.memset(address, 0, SIZE * 4)


@way
def memory_view(parameter: Any, net: Any) -> None:
    view: Any = np.asarray(parameter.data()).reshape(-1)
    memoryview(view)[3:4] = memoryview(view)[:1]


@way
def buffers_of_a_pickle(parameter: Any, net: Any) -> None:
    buffers: list[Any] = []
    data = pickle.dumps(parameter.data(), protocol=5, buffer_callback=buffers.append)
    pickle.loads(data, buffers=buffers)[:] = 3
