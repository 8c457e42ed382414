"""The ways to compute some products, each timed: what the model that chooses among them is judged by."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.products.form import (
    COPIED,
    DOUBLES,
    LOADED,
    TENSOR,
    WARPGROUPS,
    WARPGROUPS_ROUNDED,
    BlockTile,
)
from gluonic.codegen.cuda.products.plan import (
    choice_for,
    choices,
    fitting,
    launches_by,
    workspace_by,
)
from gluonic.codegen.cuda.products.steps import TiledStep
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.codegen.shapes.facts import find_facts
from gluonic.device import Device, DeviceArray
from gluonic.device.devices import device
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.builder import F
from tests.gpu.arrays import are_there
from tests.gpu.report import Report

Array = npt.NDArray[Any]


class Tried(NamedTuple):
    """A product.

    Attributes
    ----------
    make : the operator
    shapes : those of its inputs
    height : the number of rows of the result
    rows : from the inputs and some numbers of rows, those rows of the result; None if they are not checked
    dtype : that of the inputs
    tiles : those that are tried
    """

    make: Callable[..., Entry]
    shapes: Sequence[tuple[int, ...]]
    height: int = 0
    rows: Callable[[Array, Array, Array], Array] | None = None
    dtype: str = "float32"
    tiles: Sequence[BlockTile] = (*COPIED[FLOAT32], *LOADED[FLOAT32])


def _dense(rows: int, columns: int, inner: int) -> Tried:
    return Tried(
        lambda x, w: F.FullyConnected(x, w, num_hidden=columns, no_bias=True),
        [(rows, inner), (columns, inner)],
        rows,
        lambda x, w, some: x[some] @ w.T,
    )


def _dot(
    rows: int, columns: int, inner: int, turn_left: bool, turn_right: bool, **more: Any
) -> Tried:
    turns = {"transpose_a": turn_left, "transpose_b": turn_right}
    left, right = (rows, inner), (inner, columns)
    return Tried(
        lambda x, y: F.dot(x, y, **turns),
        [left[::-1] if turn_left else left, right[::-1] if turn_right else right],
        rows,
        lambda x, y, some: (x.T if turn_left else x)[some] @ (y.T if turn_right else y),
        **more,
    )


def _images(batch: int, filters: int, channels: int, size: int, kernel: int, **more: Any) -> Tried:
    attributes = {"kernel": (kernel,) * 2, "pad": (kernel // 2,) * 2, "num_filter": filters}
    return Tried(
        lambda x, w: F.Convolution(x, w, no_bias=True, **attributes),
        [(batch, channels, size, size), (filters, channels, kernel, kernel)],
        **more,
    )


_LARGE = 1 << 32
"""Products of more elements are not divided into parts."""
_TILES_OF_128 = (
    LOADED[FLOAT32][0],
    BlockTile(128, 128, 8, 8, 16, 2),
    BlockTile(128, 128, 8, 16, 8, 2),
    BlockTile(128, 128, 8, 16, 8, 2, pairs=False),
    COPIED[FLOAT32][0],
)
_SINGLES: dict[str, Any] = {"tiles": _TILES_OF_128}
_HALVES: dict[str, Any] = {"dtype": "float16", "tiles": WARPGROUPS}
_ROUNDED: dict[str, Any] = {"tiles": WARPGROUPS_ROUNDED}
_DOUBLES: dict[str, Any] = {"dtype": "float64", "tiles": (*DOUBLES, *COPIED[FLOAT64])}
_TRIED = {
    "4096x4096x4096 nn": _dot(4096, 4096, 4096, False, False, **_SINGLES),
    "4096x4096x4096 tn": _dot(4096, 4096, 4096, True, False, **_SINGLES),
    "4096x4096x4096 nt float16": _dot(4096, 4096, 4096, False, True, **_HALVES),
    "4096x4096x4096 nn float16": _dot(4096, 4096, 4096, False, False, **_HALVES),
    "4096x4096x4096 nt tf32": _dot(4096, 4096, 4096, False, True, **_ROUNDED),
    "4096x4096x4096 nn tf32": _dot(4096, 4096, 4096, False, False, **_ROUNDED),
    "40x 128->128 28 3x3": _images(
        40, 128, 128, 28, 3, tiles=(*COPIED[FLOAT32][:2], *LOADED[FLOAT32][:2])
    ),
    "40x 128->128 28 3x3 tf32": _images(
        40, 128, 128, 28, 3, tiles=(TENSOR[0], *WARPGROUPS_ROUNDED)
    ),
    "1024x1024x1024 nn float64": _dot(1024, 1024, 1024, False, False, **_DOUBLES),
    "1024x1024x1024 nn": _dot(1024, 1024, 1024, False, False),
    "1000x999x1001 nn": _dot(1000, 999, 1001, False, False),
    "1024x3072x768": _dense(1024, 3072, 768),
    "256x256x256": _dense(256, 256, 256),
    "1x1000x2048": _dense(1, 1000, 2048),
    "512x512x512 nt float16": _dot(512, 512, 512, False, True, **_HALVES),
    "1000x999x1001 nn float16": _dot(1000, 999, 1001, False, False, **_HALVES),
    "1024x1024x1024 nt tf32": _dot(1024, 1024, 1024, False, True, **_ROUNDED),
    "32x 256->256 14 3x3": _images(32, 256, 256, 14, 3),
}
_MOST = {"float16": 2e-3, "float32": 1e-3, "float64": 1e-5}
"""The largest difference, as a part of the largest number; that of TF32 for float32."""


def _times(there: Device, tried: Tried) -> tuple[dict[str, Any], float]:
    """The time of each choice, in microseconds, and the largest difference of any from the host's numbers."""
    generator = np.random.default_rng(0)
    some = generator.standard_normal(1_000_003, np.float32).astype(tried.dtype)
    arrays = [np.resize(some, shape) for shape in tried.shapes]
    nodes = [Node(None, f"x{number}") for number in range(len(arrays))]
    entry = tried.make(*[node.entry() for node in nodes])
    facts = find_facts(Graph([entry]), nodes, arrays)
    step = STEPS[entry.node.operator_name](entry.node, facts, there.processor)
    assert isinstance(step, TiledStep)
    (layout,) = step.layouts(facts)
    form = layout.form(step.dtype)
    given = dict(zip([node.entry() for node in nodes], arrays, strict=True))
    operands = [DeviceArray.of_host(there, given[e]) for e in step.operands[:-1]]
    result = DeviceArray.empty(there, facts.shapes[entry], step.dtype)
    addresses = [*[array.address for array in operands], result.address]
    sizes = layout.rows, layout.columns, layout.inner
    some, expected = _expected(tried, arrays)
    model = choice_for(layout, form, there.processor)
    found: dict[str, float] = {}
    most = 0.0
    is_large = prod(sizes) > _LARGE
    tiles = [t for t in tried.tiles if t.shared_bytes <= there.processor.shared_bytes]
    usable = fitting(tiles, layout)
    for choice in choices(*sizes, layout.batch * layout.heads, usable):
        if is_large and choice.parts > 1:
            continue
        room = workspace_by(choice, layout, form)
        workspace = DeviceArray.empty(there, (max(room, 1),), np.dtype(np.uint8))
        launches = launches_by(choice, layout, form, range(len(operands) + 2))
        places = [*addresses, workspace.address]
        calls = [
            (
                loaded(launch.code, there),
                launch.grid,
                launch.block,
                _arguments(there, launch, places),
                launch.shared_bytes,
            )
            for launch in launches
        ]
        name = f"{_name_of(choice.tile)}/{choice.parts}" + "*" * (choice == model)
        found[name] = _microseconds(there, calls)
        local = getattr(calls[0][0], "local_bytes", 0)
        if local:
            found[f"{name} local bytes"] = local
        if expected is not None:
            ours = result.to_host()[some].astype(np.float32)
            most = max(most, float(np.abs(ours - expected).max() / np.abs(expected).max()))
    best = min((name for name in found if " " not in name), key=found.__getitem__)
    return {"best": best, **found}, most


def _arguments(there: Device, launch: KernelLaunch, places: Sequence[int]) -> list[int]:
    """What a kernel gets, with the addresses of all operands."""
    own = [places[i] for i in launch.operands]
    described = launch.descriptions([(None, place) for place in own], there)
    return [*own, *launch.numbers, *[number for _, number in described]]


def _expected(tried: Tried, arrays: Sequence[Array]) -> tuple[Array, Array | None]:
    """The numbers of some rows, and those rows of the result."""
    if tried.rows is None:
        return np.arange(0), None
    left, right = (array.astype(np.float32) for array in arrays)
    some = np.unique(np.random.default_rng(1).integers(0, tried.height, 16))
    return some, tried.rows(left, right, some)


def _name_of(tile: BlockTile) -> str:
    part = {"ordinary": "w" * (tile.wide > 8) + "+" * tile.is_copied, "tf32": "t"}
    part |= {"matrices": f"x{tile.columns}m", "float64": f"x{tile.columns}f"}
    part |= {"warpgroups": f"x{tile.columns}g" + "p" * bool(tile.producers)}
    deep = "" if tile.is_swizzled else f"d{tile.depth}{'p' * tile.pairs}"
    return f"{tile.rows}{part[tile.units]}{deep}"


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
    """Time them; rows of the tile / parts; * for the model's choice.

    After the rows: w for wide, + for copies, t for TF32, m for mma.sync and g for wgmma on float16,
    p for the copy engine, f for tensor cores on float64.
    """
    if report.small or not are_there(report):
        return
    for name, tried in _TRIED.items():
        with report.going_on(name):
            times, most = _times(device(0), tried)
            right = most < _MOST[tried.dtype]
            report.require(name, right, f"off by {most}", difference=most, **times)
