"""The driver's functions that are used, and the types of their arguments; all return a status, 0 for success.

Where the driver has several versions of a function, the names here are those that a program compiled with
CUDA 11 or later would call.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_ushort
from typing import Any, ClassVar

Handle = ctypes.c_void_p
Address = c_uint64
Result = ctypes.c_void_p
"""Where the driver writes what it returns: ``ctypes.byref`` of a number or a handle."""


class KernelNode(ctypes.Structure):
    """The kernel of a node of a graph, with its arguments (CUDA_KERNEL_NODE_PARAMS, version 1)."""

    _fields_: ClassVar[Any] = [
        ("function", Handle),
        *((f"grid_{axis}", c_uint) for axis in "xyz"),
        *((f"block_{axis}", c_uint) for axis in "xyz"),
        ("shared_bytes", c_uint),
        ("arguments", Handle),
        ("extra", Handle),
    ]


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    # the driver, its devices
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (Result,),
    "cuGetErrorName": (c_int, Result),
    "cuGetErrorString": (c_int, Result),
    "cuDeviceGetCount": (Result,),
    "cuDeviceGet": (Result, c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (Result, c_int, c_int),
    "cuDeviceTotalMem_v2": (Result, c_int),
    # contexts, streams
    "cuDevicePrimaryCtxRetain": (Result, c_int),
    "cuCtxSetCurrent": (Handle,),
    "cuStreamCreate": (Result, c_uint),
    "cuStreamSynchronize": (Handle,),
    "cuStreamWaitEvent": (Handle, Handle, c_uint),
    # memory
    "cuMemGetInfo_v2": (Result, Result),
    "cuMemAlloc_v2": (Result, c_size_t),
    "cuMemFree_v2": (Address,),
    "cuMemHostAlloc": (Result, c_size_t, c_uint),
    "cuMemFreeHost": (Handle,),
    "cuMemcpyHtoD_v2": (Address, Handle, c_size_t),
    "cuMemcpyHtoDAsync_v2": (Address, Handle, c_size_t, Handle),
    "cuMemcpyDtoH_v2": (Handle, Address, c_size_t),
    "cuMemcpyDtoHAsync_v2": (Handle, Address, c_size_t, Handle),
    "cuMemcpyDtoDAsync_v2": (Address, Address, c_size_t, Handle),
    "cuMemcpyPeerAsync": (Address, Handle, Address, Handle, c_size_t, Handle),
    "cuMemsetD8Async": (Address, c_ubyte, c_size_t, Handle),
    "cuMemsetD16Async": (Address, c_ushort, c_size_t, Handle),
    "cuMemsetD32Async": (Address, c_uint, c_size_t, Handle),
    "cuPointerGetAttribute": (Result, c_int, Address),
    # kernels
    "cuModuleLoadDataEx": (Result, c_char_p, c_uint, Handle, Handle),
    "cuModuleUnload": (Handle,),
    "cuModuleGetFunction": (Result, Handle, c_char_p),
    "cuFuncGetAttribute": (Result, c_int, Handle),
    "cuFuncSetAttribute": (Handle, c_int, c_int),
    "cuLaunchKernel": (Handle, *[c_uint] * 7, Handle, Handle, Handle),
    "cuTensorMapEncodeTiled": (
        Handle,
        c_int,
        c_uint,
        Address,
        POINTER(c_uint64),
        POINTER(c_uint64),
        POINTER(c_uint),
        POINTER(c_uint),
        c_int,
        c_int,
        c_int,
        c_int,
    ),
    # time
    "cuEventCreate": (Result, c_uint),
    "cuEventDestroy_v2": (Handle,),
    "cuEventRecord": (Handle, Handle),
    "cuEventQuery": (Handle,),
    "cuEventSynchronize": (Handle,),
    "cuEventElapsedTime": (POINTER(c_float), Handle, Handle),
    # graphs
    "cuGraphCreate": (Result, c_uint),
    "cuGraphAddKernelNode": (Result, Handle, Handle, c_size_t, POINTER(KernelNode)),
    "cuGraphInstantiateWithFlags": (Result, Handle, c_uint64),
    "cuGraphExecKernelNodeSetParams": (Handle, Handle, POINTER(KernelNode)),
    "cuGraphLaunch": (Handle, Handle),
    "cuGraphExecDestroy": (Handle,),
    "cuGraphDestroy": (Handle,),
}
