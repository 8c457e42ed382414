"""Windows along the depth of volumes that are treated as images: operators and steps.

An image with the channels of adjacent images above and below lets two-dimensional filters compute a
three-dimensional convolution. Images may have channels in planes or in blocks: their bytes are moved unchanged.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.convolution.steps import BlockStep
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.convolution import ALONG_DEPTH
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.codegen.writers.writer import Writer
from gluonic.graph import Array
from gluonic.graph.ops.windows import Windows
from gluonic.graph.view import NodeView, complete


def _along_depth(kernel: int, stride: int, dilate: int, pad: int) -> Windows:
    return Windows((kernel,), (stride,), (dilate,), (pad,), channels_last=False)


def _count(n: Any) -> int:
    """The number of windows in a volume."""
    return _along_depth(n.kernel, n.stride, n.dilate, n.pad).counts((n.depth,))[0]


def _padded(volumes: Array, pad: int) -> Array:
    return np.pad(volumes, [(0, 0), (pad, pad), *[(0, 0)] * (volumes.ndim - 2)])


@inner_operator("_depth_windows")
def depth_windows(
    data: Array, *, depth: int, kernel: int, stride: int, dilate: int, pad: int
) -> Any:
    """Concatenate the channels of each window's images; `data` has `depth` images per volume, zero-padded."""
    windows = _along_depth(kernel, stride, dilate, pad)
    volumes = _padded(data.reshape(-1, depth, *data.shape[1:]), pad)
    taps = [volumes[:, positions] for _, (positions,) in windows.taps(windows.counts((depth,)))]
    joined = np.concatenate(taps, axis=2)
    return joined.reshape(-1, *joined.shape[2:])


@depth_windows.infer_shape
def _(n: NodeView) -> None:
    images, channels, *spatial = complete(n.data)
    n.output = (images // n.depth * _count(n), n.kernel * channels, *spatial)


@inner_operator("_sum_depth_windows")
def sum_depth_windows(
    data: Array, *, depth: int, kernel: int, stride: int, dilate: int, pad: int
) -> Any:
    """Sum windows into the images that `depth_windows` took them from: its gradient."""
    windows = _along_depth(kernel, stride, dilate, pad)
    (count,) = windows.counts((depth,))
    joined = data.reshape(-1, count, kernel, data.shape[1] // kernel, *data.shape[2:])
    volumes = np.zeros((len(joined), depth + 2 * pad, *joined.shape[3:]), data.dtype)
    for (tap,), (positions,) in windows.taps((count,)):
        volumes[:, positions] += joined[:, :, tap]
    return volumes[:, pad : pad + depth].reshape(-1, *joined.shape[3:])


@sum_depth_windows.infer_shape
def _(n: NodeView) -> None:
    images, channels, *spatial = complete(n.data)
    n.output = (images // _count(n) * n.depth, channels // n.kernel, *spatial)


def emit_depth_windows(module: LLVMModule, name: str) -> None:
    """Write the function that copies images to the positions of windows."""
    w = Writer(module, name)
    elements, depth, count, kernel, stride, dilate, pad = (w.number(i) for i in range(7))
    source, goal, size = w.operand(0), w.operand(1), w.times(elements, 4)
    with w.f.loop("%begin", "%end") as unit:
        window, tap = w.divided(unit, kernel)
        volume, first = w.divided(window, count)
        position = w.minus(w.plus(w.times(first, stride), w.times(tap, dilate)), pad)
        there = w.moved(goal, unit, size)
        here = w.moved(source, w.plus(w.times(volume, depth), position), size)
        w.either(
            w.f.compare("ult", position, depth),  # unsigned, a negative one is large
            lambda: w.f.copy(there, here, size),
            lambda: w.clear(there, size),
        )
    w.f.finish()


def emit_sum_depth_windows(module: LLVMModule, name: str) -> None:
    """Write the function that adds up the entries of windows that come from the same image."""
    w = ElementWriter(module, name, FLOAT32)
    elements, depth, count, kernel, stride, dilate, pad = (w.number(i) for i in range(7))
    source, goal, size = w.operand(0), w.operand(1), w.times(elements, 4)
    with w.f.loop("%begin", "%end") as unit:
        volume, position = w.divided(unit, depth)
        there = w.moved(goal, unit, size)
        w.clear(there, size)
        with w.f.loop("0", kernel) as tap:
            distance = w.minus(w.plus(position, pad), w.times(tap, dilate))
            window, beyond = w.divided(distance, stride)
            is_one = w.f.compare("eq", beyond, 0)
            is_inside = w.f.compare("ult", window, count)  # unsigned, a negative one is large
            with w.f.when(w.f.both(is_one, is_inside)):
                number = w.plus(w.times(w.plus(w.times(volume, count), window), kernel), tap)
                here = w.moved(source, number, size)

                def add(index: str, lanes: int) -> None:
                    goal, term = w.at(there, index), w.element(w.at(here, index), lanes)
                    w.put(w.element(goal, lanes) + term, goal, lanes)

                w.spans("0", elements, add)
    w.f.finish()


class _DepthStep(BlockStep):
    """The base of these steps: sizes and windows are run-time numbers, so one function serves all.

    Attributes
    ----------
    narrow : the operand whose images have the channels of one position of a window
    """

    narrow: int

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The elements of an image, the images and windows in a volume, and the windows' geometry."""
        n, elements = self.n, prod(self.shape(facts, self.narrow)[1:])
        return elements, n.depth, _count(n), n.kernel, n.stride, n.dilate, n.pad


class DepthWindowsStep(_DepthStep):
    """Images to windows."""

    narrow = 0
    code = (emit_depth_windows,)

    def units(self, facts: Facts) -> int:
        """One unit per position in each window."""
        return self.shape(facts, 1)[0] * int(self.n.kernel)


class SumDepthWindowsStep(_DepthStep):
    """Windows back to images."""

    narrow = 1
    code = (emit_sum_depth_windows,)

    def units(self, facts: Facts) -> int:
        """One unit per image."""
        return self.shape(facts, 1)[0]


lower(depth_windows, step=DepthWindowsStep, layout=ALONG_DEPTH)
lower(sum_depth_windows, step=SumDepthWindowsStep, layout=ALONG_DEPTH)
