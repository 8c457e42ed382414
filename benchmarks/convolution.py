"""Speed of the convolution kernels alone, shape by shape, on one thread.

usage: python -m benchmarks.convolution [--target LEVEL]
"""

import argparse
import ctypes
import time
from collections.abc import Sequence

import numpy as np

from gluonic.codegen.convolution.filter_gradient import emit_filter_gradient
from gluonic.codegen.convolution.filters import Filters, blocks_of, lanes_of
from gluonic.codegen.convolution.form import ConvolutionForm, numbers_of
from gluonic.codegen.convolution.forward import emit_convolution
from gluonic.codegen.convolution.geometry import Geometry, Strides
from gluonic.codegen.convolution.gradient_form import (
    GradientForm,
    gradient_numbers,
    gradient_units,
    specialized_extents,
)
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target, cross, host
from gluonic.graph import Array

# Channels, filters, rows and columns of the output, size of the kernel, stride, batch.
SHAPES = [
    (1, 20, 24, 5, 1, 64),
    (20, 50, 8, 5, 1, 64),
    (3, 64, 112, 7, 2, 1),
    (64, 64, 56, 3, 1, 1),
    (128, 128, 28, 3, 1, 1),
    (256, 256, 14, 3, 1, 1),
    (512, 512, 7, 3, 1, 1),
    (256, 512, 7, 3, 2, 1),
    (64, 256, 56, 1, 1, 1),
    (256, 64, 56, 1, 1, 1),
    (512, 128, 28, 1, 1, 1),
    (1024, 256, 14, 1, 1, 1),
    (2048, 512, 7, 1, 1, 1),
    (64, 64, 16, 3, 1, 8),
    (512, 512, 2, 3, 1, 8),
]


def _memory(*shape: int) -> Array:
    """Aligned memory with random numbers."""
    size = int(np.prod(shape))
    raw = np.random.default_rng(0).standard_normal(size + 16).astype(np.float32)
    start = -raw.ctypes.data // 4 % 16
    return raw[start : start + size].reshape(shape)


def _seconds(
    target: Target, module: LLVMModule, arrays: Sequence[Array], numbers: list[int], units: int
) -> float:
    """The shortest time of a call of the module's function."""
    library = jit.load(module.text(), ["function"], (), target)
    pointers = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
    call = ctypes.CFUNCTYPE(None, *pointers)(library["function"])
    operands = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    table = np.array(numbers, np.int64)
    shortest, end = float("inf"), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.perf_counter()
        call(ctypes.addressof(operands), table.ctypes.data, 0, units)
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def measure(shape: tuple[int, ...], target: Target) -> tuple[float, float]:
    """GFLOP/s of a convolution and of the gradient of its filters."""
    channels, count, size, kernel, stride, batch = shape
    lanes = lanes_of(target)
    filters = Filters(
        channels, count, 1, (kernel, kernel), (stride, stride), planar=channels < lanes // 2
    )
    tiling = tiling_of(filters, size, size, target)
    extent, block = (size - 1) * stride + kernel, filters.block(lanes)
    depth, height = blocks_of(channels, block), blocks_of(count, lanes)
    data, output = (
        _memory(batch, depth, extent, extent, block),
        _memory(batch, height, size, size, lanes),
    )
    weights = _memory(filters.packed_size(lanes))
    lies = Strides.of(depth, extent, extent, block), Strides.of(height, size, size, lanes)
    geometry = Geometry(batch, size, size, *lies)
    forward, back = LLVMModule(target), LLVMModule(target)
    emit_convolution(forward, "function", ConvolutionForm.of(filters, tiling, lanes))
    emit_filter_gradient(
        back, "function", GradientForm.of(filters, target, specialized_extents(size, size))
    )
    inside = 0, extent  # no row is padding
    forward_seconds = _seconds(
        target,
        forward,
        [data, weights, output],
        numbers_of(filters, tiling, geometry, lanes, inside),
        geometry.units(filters, tiling, lanes),
    )
    back_seconds = _seconds(
        target,
        back,
        [data, output, weights],
        gradient_numbers(filters, geometry, lanes, inside),
        gradient_units(filters, target),
    )
    work = 2 * batch * size * size * count * filters.depth / 1e9
    return work / forward_seconds, work / back_seconds


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="", help="a level such as x86-64-v3")
    level = parser.parse_args().target
    target = cross(host().triple, level) if level else host()
    print("channels filters extents kernel stride batch  forward  filters' gradient  (GFLOP/s)")
    for shape in SHAPES:
        forward, back = measure(shape, target)
        print("{:8}{:8}{:7}{:7}{:7}{:6}".format(*shape), f"{forward:8.1f} {back:18.1f}")


if __name__ == "__main__":
    main()
