"""The launches of a product: the tile and the number of parts that a model of the processor finds fastest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from gluonic.codegen.cuda.products.form import (
    COPIED,
    DOUBLES,
    LOADED,
    MATRICES,
    ROW,
    TENSOR,
    WARPGROUPS,
    WARPGROUPS_ROUNDED,
    BlockTile,
    TiledForm,
    Units,
)
from gluonic.codegen.cuda.products.kernel import write_product
from gluonic.codegen.cuda.products.layout import ProductLayout
from gluonic.codegen.cuda.products.packing import is_packable, packed, packed_bytes
from gluonic.codegen.cuda.products.results import THREADS, write_sums
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype
from gluonic.device.processors import Processor, number_of
from gluonic.support.record import record

_MOST_PARTS, _MOST_SUMS = 64, 1 << 26
"""The largest number of parts, and of elements that the sums of all parts may have."""
_USES_UNTRIED = False
"""Whether products use what is right on the emulated GPU and waits for a real one: the copy engine, and tensor
cores for float64."""
_FIRST_WITH_DOUBLES = 90
"""The first processor whose tensor cores multiply 16 rows of float64 at once."""
_FIRST_TO_COPY = 80
"""The first processor with asynchronous copies to shared memory, and with TF32: sm_80."""
_PER_CYCLE: Mapping[Units, int] = {
    "ordinary": 128,
    "tf32": 512,
    "float64": 256,
    "matrices": 1024,
    "warpgroups": 2048,
}
"""The products that a multiprocessor computes in a cycle; half as many in float64, and of `wgmma` in TF32."""
_SUMS = 128
"""How many sums the threads of a warp's lane need together to compute at half of that speed."""
_LATENCY = 1000
"""The cycles from a load to its use: a round of the main loop takes at least its part of them."""
_BY_ELEMENTS = 3
"""How much slower tensor cores are where factors are brought element by element."""
_OF_A_NUMBER = 0.15
"""The cycles in which a multiprocessor brings a number of a window: about 19 instructions of a thread."""
_LAUNCH, _BYTES_PER_CYCLE = 14000, 2000
"""The cycles of another launch, and the bytes that memory moves in a cycle."""


@record
class ProductChoice:
    """A way to compute a product.

    Attributes
    ----------
    tile : what a block computes
    parts, part : the number of parts of the sums, and the length of each
    """

    tile: BlockTile
    parts: int
    part: int


@cache
def choose(
    rows: int,
    columns: int,
    inner: int,
    count: int,
    tiles: Sequence[BlockTile],
    dtype: Dtype,
    multiprocessors: int,
    to_pack: Sequence[int] = (),
    windows: tuple[bool, bool] = (False, False),
) -> ProductChoice:
    """The fastest way to compute `count` products, by the model.

    Parameters
    ----------
    dtype : that of sums
    to_pack : the bytes of each factor that is written anew if boxes are copied
    windows : whether the left and the right factor are windows of images
    """
    return min(
        choices(rows, columns, inner, count, tiles),
        key=lambda choice: cycles(
            rows, columns, count, dtype, multiprocessors, choice, to_pack, windows
        ),
    )


def choices(
    rows: int, columns: int, inner: int, count: int, tiles: Sequence[BlockTile]
) -> Iterator[ProductChoice]:
    """The ways to compute `count` products."""
    for tile in tiles:
        rounds = max(-(-inner // tile.depth), 1)
        parts = 1
        while parts == 1 or (
            parts <= min(_MOST_PARTS, rounds) and parts * count * rows * columns <= _MOST_SUMS
        ):
            part = -(-rounds // parts)
            yield ProductChoice(tile, -(-rounds // part), part * tile.depth)
            parts += max(parts // 2, 1)


def cycles(
    rows: int,
    columns: int,
    count: int,
    dtype: Dtype,
    multiprocessors: int,
    choice: ProductChoice,
    to_pack: Sequence[int] = (),
    windows: tuple[bool, bool] = (False, False),
) -> float:
    """An estimate of the time: busy multiprocessors compute, idle ones wait for memory."""
    tile, parts = choice.tile, choice.parts
    blocks = -(-rows // tile.rows) * -(-columns // tile.columns) * count * parts
    each: float = -(-blocks // multiprocessors)
    together = min(each, tile.blocks)
    if each > together:  # a multiprocessor that has finished takes the next block
        each = blocks / multiprocessors
    warps = together * tile.multiplying / 32
    # more sums at once hide more latency, and a thread with a larger part loads less for each of them
    own = tile.high * tile.wide
    share = warps * own / (warps * own + _SUMS) * own / (own + (tile.high + tile.wide) / 2)
    speed = _PER_CYCLE[tile.units] / (2 if dtype == FLOAT64 else 1) * share
    if to_pack and tile.is_swizzled and not tile.producers:
        speed /= _BY_ELEMENTS
    if tile.units == "warpgroups":
        speed *= 2 * tile.depth / ROW  # a row has half as many numbers in TF32
    lead = tile.stages - 1  # how many tiles are on their way at once
    a_round = max(tile.rows * tile.columns * tile.depth * together / speed, _LATENCY / lead)
    if tile.is_swizzled:
        alone = tile.rows * windows[0] + tile.columns * windows[1]
        a_round = max(a_round, alone * tile.depth * together * _OF_A_NUMBER)
    cycles = each / together * a_round * (choice.part / tile.depth)
    if parts > 1:
        moved = 2 * parts * count * rows * columns * dtype.itemsize
        cycles += _LAUNCH + moved / _BYTES_PER_CYCLE
    if tile.producers:
        cycles += sum(_LAUNCH / 2 + 2 * size / _BYTES_PER_CYCLE for size in to_pack)
    return cycles


def uses_tf32() -> bool:
    """Whether products of float32 may round their factors to TF32, 11 bits: ``GLUONIC_TF32=1``."""
    return os.environ.get("GLUONIC_TF32", "0") not in ("", "0")


def tiles_for(
    layout: ProductLayout, form: TiledForm, processor: Processor
) -> tuple[BlockTile, ...]:
    """The tiles that a processor can compute, and that are made for such factors."""
    if number_of(processor.name) < _FIRST_TO_COPY:
        return LOADED[form.sums]
    groups = processor.has("wgmma")
    tiles: tuple[BlockTile, ...]
    if form.dtype == FLOAT32 and uses_tf32():
        tiles = (*WARPGROUPS_ROUNDED, TENSOR[-1]) if groups else TENSOR
    elif form.dtype.itemsize == 2:
        tiles = (*WARPGROUPS, MATRICES[-1]) if groups else MATRICES
    elif form.dtype == FLOAT64 and _has_doubles(processor):
        tiles = DOUBLES
    else:
        # Copies cannot turn vectors, so loads do it; for anything else they are slow.
        turns = "inner" in (form.left.along, form.right.along)
        turns = turns and layout.has_vectors(form.together)
        tiles = (LOADED if turns and form.sums == FLOAT32 else COPIED)[form.sums]
    usable = [tile for tile in tiles if tile.shared_bytes <= processor.shared_bytes]
    if not _USES_UNTRIED:
        usable = [tile for tile in usable if not tile.producers]
    return fitting(usable, layout)


def _has_doubles(processor: Processor) -> bool:
    return _USES_UNTRIED and number_of(processor.name) >= _FIRST_WITH_DOUBLES


def fitting(tiles: Sequence[BlockTile], layout: ProductLayout) -> tuple[BlockTile, ...]:
    """The tiles, without those that need what the factors are not: matrices that boxes can be copied of."""
    return tuple([tile for tile in tiles if not tile.producers or is_packable(layout)])


def choice_for(layout: ProductLayout, form: TiledForm, processor: Processor) -> ProductChoice:
    """The way to compute a product on a processor."""
    count, tiles = layout.batch * layout.heads, tiles_for(layout, form, processor)
    return choose(
        layout.rows,
        layout.columns,
        layout.inner,
        count,
        tiles,
        form.sums,
        processor.multiprocessors,
        _to_pack(layout, form, tiles),
        _windows(form),
    )


def _to_pack(layout: ProductLayout, form: TiledForm, tiles: Sequence[BlockTile]) -> tuple[int, ...]:
    """The bytes of the factors that are written anew where one of these tiles needs boxes."""
    has_boxes = any(tile.producers for tile in tiles)
    return tuple(packed_bytes(layout, form.dtype)) if has_boxes else ()


def cycles_of(layout: ProductLayout, form: TiledForm, processor: Processor) -> float:
    """An estimate of the time of a product."""
    choice, count = choice_for(layout, form, processor), layout.batch * layout.heads
    return cycles(
        layout.rows,
        layout.columns,
        count,
        form.sums,
        processor.multiprocessors,
        choice,
        _to_pack(layout, form, tiles_for(layout, form, processor)),
        _windows(form),
    )


def _windows(form: TiledForm) -> tuple[bool, bool]:
    return form.left.axes > 0, form.right.axes > 0


def workspace_of(layout: ProductLayout, form: TiledForm, processor: Processor) -> int:
    """The memory, in bytes, for sums of parts and packed factors."""
    if not layout.batch * layout.heads * layout.rows * layout.columns:
        return 0
    return workspace_by(choice_for(layout, form, processor), layout, form)


def workspace_by(choice: ProductChoice, layout: ProductLayout, form: TiledForm) -> int:
    """As `workspace_of`, for a product that is computed in a given way."""
    to_pack = _to_pack(layout, form, [choice.tile])
    return _bytes_of_parts(layout, form, choice.parts) + sum(to_pack)


def _bytes_of_parts(layout: ProductLayout, form: TiledForm, parts: int) -> int:
    """The memory for sums of parts, a multiple of 256 bytes."""
    count = layout.batch * layout.heads * layout.rows * layout.columns
    return -(-parts * count * form.sums.itemsize // 256) * 256 if parts > 1 else 0


def launches_of(
    layout: ProductLayout, form: TiledForm, processor: Processor, operands: Sequence[int]
) -> list[KernelLaunch]:
    """The launches of a product.

    Parameters
    ----------
    operands : the indices of the factors, those of the tail, and the workspace
    """
    if not layout.batch * layout.heads * layout.rows * layout.columns:
        return []
    return launches_by(choice_for(layout, form, processor), layout, form, operands)


def launches_by(
    choice: ProductChoice, layout: ProductLayout, form: TiledForm, operands: Sequence[int]
) -> list[KernelLaunch]:
    """The launches of a product that is computed in a given way; operands as for `launches_of`."""
    count = layout.batch * layout.heads
    tile, parts, part = choice.tile, choice.parts, choice.part
    packing: list[KernelLaunch] = []
    if tile.producers:
        start = _bytes_of_parts(layout, form, parts)
        packing, layout, form, operands = packed(layout, form, operands, start)
    *given, workspace = operands
    tiles = -(-layout.rows // tile.rows) * -(-layout.columns // tile.columns)
    grid, block = (tiles * count * parts, 1, 1), (tile.threads, 1, 1)
    shared = tile.shared_bytes
    tensors = layout.tensors(form.dtype, tile) if tile.producers else ()
    if parts == 1:
        numbers = layout.numbers(form, 1, part)
        code = write_product, form, tile
        return [*packing, KernelLaunch(code, tuple(given), numbers, grid, block, shared, tensors)]
    first, apart = form.of_parts, layout.in_parts()
    own, numbers = (given[0], given[1], workspace), apart.numbers(first, parts, part)
    code = write_product, first, tile
    return [
        *packing,
        KernelLaunch(code, own, numbers, grid, block, shared, tensors),
        added_up(layout, form, parts, (workspace, *given[2:])),
    ]


def added_up(
    layout: ProductLayout, form: TiledForm, parts: int, operands: Sequence[int]
) -> KernelLaunch:
    """The launch that adds up sums of parts; operands are these, and those of the tail."""
    elements = layout.batch * layout.heads * layout.rows * layout.columns
    numbers = layout.numbers(form, parts, layout.inner)
    blocks = -(-elements // THREADS)
    code = write_sums, form
    return KernelLaunch(code, tuple(operands), numbers, (blocks, 1, 1), (THREADS, 1, 1))
