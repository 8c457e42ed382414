"""The ways to compute some products, each timed: what the model that chooses among them is judged by."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.products.form import COPIED, LOADED, TENSOR, BlockTile
from gluonic.codegen.cuda.products.plan import choice_for, choices, launches_by
from gluonic.codegen.cuda.products.steps import TiledStep
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.shapes.facts import find_facts
from gluonic.device import Device, DeviceArray
from gluonic.device.devices import device
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.builder import F
from tests.gpu.arrays import are_there
from tests.gpu.report import Report

Make = Callable[..., Entry]


def _dense(rows: int, columns: int, inner: int) -> tuple[Make, list[tuple[int, ...]]]:
    return (
        lambda x, w: F.FullyConnected(x, w, num_hidden=columns, no_bias=True),
        [(rows, inner), (columns, inner)],
    )


def _square(
    size: int, transpose_a: bool, transpose_b: bool
) -> tuple[Make, list[tuple[int, ...]]]:
    turns = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return lambda x, y: F.dot(x, y, **turns), [(size, size)] * 2


def _images(
    batch: int, filters: int, channels: int, size: int, kernel: int
) -> tuple[Make, list[tuple[int, ...]]]:
    attributes = {"kernel": (kernel,) * 2, "pad": (kernel // 2,) * 2, "num_filter": filters}
    return (
        lambda x, w: F.Convolution(x, w, no_bias=True, **attributes),
        [(batch, channels, size, size), (filters, channels, kernel, kernel)],
    )


_LARGE = 1 << 32
"""Products of more elements are not divided into parts."""
_TRIED = {
    "64x512x784": _dense(64, 512, 784),
    "1024x3072x768": _dense(1024, 3072, 768),
    "1x1000x2048": _dense(1, 1000, 2048),
    "256x256x256": _dense(256, 256, 256),
    "2048x2048x2048": _dense(2048, 2048, 2048),
    "4096x4096x4096 nn": _square(4096, False, False),
    "4096x4096x4096 nt": _square(4096, False, True),
    "4096x4096x4096 tn": _square(4096, True, False),
    "1x 64->64 56 3x3": _images(1, 64, 64, 56, 3),
    "1x 512->512 7 3x3": _images(1, 512, 512, 7, 3),
    "1x 256->1024 14 1x1": _images(1, 1024, 256, 14, 1),
    "32x 256->256 14 3x3": _images(32, 256, 256, 14, 3),
}


def _times(there: Device, make: Make, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    nodes = [Node(None, f"x{number}") for number in range(len(shapes))]
    entry = make(*[node.entry() for node in nodes])
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    facts = find_facts(Graph([entry]), nodes, arrays)
    step = STEPS[entry.node.operator_name](entry.node, facts, there.processor)
    assert isinstance(step, TiledStep)
    layout = step.layout(facts)
    form = layout.form(FLOAT32)
    given = dict(zip([node.entry() for node in nodes], arrays, strict=True))
    operands = [DeviceArray.of_host(there, given[e]) for e in step.operands[:-1]]
    operands.append(DeviceArray.empty(there, facts.shapes[entry], FLOAT32))
    sizes = layout.rows, layout.columns, layout.inner
    model = choice_for(layout, form, there.processor)
    found: dict[str, float] = {}
    is_large = prod(sizes) > _LARGE
    tiles = (*COPIED[FLOAT32], *LOADED[FLOAT32], *TENSOR)
    for choice in choices(*sizes, layout.batch * layout.heads, tiles):
        if is_large and choice.parts > 1:
            continue
        room = prod(facts.shapes[entry]) * choice.parts
        addresses = [array.address for array in operands]
        workspace = DeviceArray.empty(there, (room,), FLOAT32)
        launches = launches_by(choice, layout, form, range(len(operands) + 1))
        calls = [
            (
                loaded(launch.code, there),
                launch.grid,
                launch.block,
                [*[[*addresses, workspace.address][i] for i in launch.operands], *launch.numbers],
            )
            for launch in launches
        ]
        name = f"{_name_of(choice.tile)}/{choice.parts}" + "*" * (choice == model)
        found[name] = _microseconds(there, calls)
    best = min(found, key=found.__getitem__)
    return {"best": best, **found}


def _name_of(tile: BlockTile) -> str:
    part = "w" if tile.wide > 8 else ""
    return f"{tile.rows}{part}{'t' if tile.on_tensor_cores else '+' * tile.is_copied}"


def _microseconds(there: Device, calls: Sequence[tuple[Any, ...]]) -> float:
    number = 10
    for _ in range(2):
        start = time.perf_counter()
        for _ in range(number):
            for call in calls:
                there.launch(*call)
        there.synchronize()
    return round((time.perf_counter() - start) / number * 1e6, 1)


def whole(report: Report) -> None:
    """Time them; rows of the tile / parts; w for wide, + for copies, t for TF32, * for the model's choice."""
    if report.small or not are_there(report):
        return
    for name, (make, shapes) in _TRIED.items():
        with report.going_on(name):
            report.add(name, **_times(device(0), make, shapes))
