"""Sums over ranks: their bits, and the messages between ranks."""

import numpy as np
import pytest

from gluonic.distributed import RanksDisagreeError, world
from gluonic.distributed.buckets import Buckets
from gluonic.distributed.reduction import AllReduce, reduce
from tests.distributed.ranks import ranks

DTYPES = ("float16", "float32", "float64", "int8", "int32", "int64")
LENGTHS = (0, 1, 2, 7, 1000, 1024, 1025, 50_003)  # short ones are sent whole


def of_all_ranks(length: int, dtype: str) -> list[np.ndarray]:
    """What each rank brings: all know all of it."""
    random = np.random.default_rng([length, len(dtype)])
    return [(random.standard_normal(length) * 100).astype(dtype) for _ in range(world().group.size)]


def in_order(parts: list[np.ndarray], combine: np.ufunc) -> np.ndarray:
    """((x₀ + x₁) + x₂) + …, in float32 where it is float16."""
    total = parts[0].astype(np.float32) if parts[0].dtype == np.float16 else parts[0].copy()
    for part in parts[1:]:
        total = combine(total, part)
    return total.astype(parts[0].dtype)


@ranks(3, together=True)
def test_sums_are_those_in_the_order_of_the_ranks_to_the_bit() -> None:
    group = world().group
    for dtype in DTYPES:
        for length in LENGTHS:
            parts = of_all_ranks(length, dtype)
            found = parts[group.rank].copy()
            reduce(group, found, lambda: "x")
            assert found.tobytes() == in_order(parts, np.add).tobytes(), (dtype, length)


@ranks(2)
def test_minima_maxima_and_products_are_reduced() -> None:
    group = world().group
    named = {"min": np.minimum, "max": np.maximum, "product": np.multiply}
    for operation, combine in named.items():
        for length in (5, 5000):
            parts = of_all_ranks(length, "float32")
            found = parts[group.rank].copy()
            reduce(group, found, lambda: "x", operation)
            assert (found == in_order(parts, combine)).all()


@ranks(2)
def test_reductions_that_overlap_do_not_mix_up() -> None:
    group = world().group
    parts = [of_all_ranks(length, "float32") for length in (3, 4000, 5, 70_000)]
    found = [part[group.rank].copy() for part in parts]
    running = [AllReduce(group, values, lambda: "x") for values in found]
    for reduction in reversed(running):
        reduction.finish()
    for values, part in zip(found, parts, strict=True):
        assert (values == in_order(part, np.add)).all()


KINDS: list[tuple[tuple[int, ...], np.dtype]] = [
    ((3, 5), np.dtype("f4")),
    ((300, 200), np.dtype("f4")),  # sent from where it lies
    ((), np.dtype("f8")),
    ((1000,), np.dtype("f4")),
    ((0, 2), np.dtype("f4")),
    ((100_000,), np.dtype("i4")),
]


@ranks(3, together=True)
def test_buckets_sum_up_arrays_of_all_shapes_dtypes_and_contexts() -> None:
    group = world().group
    buckets = Buckets([f"x{i}" for i in range(len(KINDS))], KINDS, limit=2048)
    for contexts in (1, 3, 1):  # memory is used again
        for in_place in (False, True):
            sources = [
                [np.full(shape, (i + 1) * (1 + c + group.rank), dtype) for c in range(contexts)]
                for i, (shape, dtype) in enumerate(KINDS)
            ]
            kept = [arrays[0].copy() for arrays in sources]
            sums = buckets.reduce(group, sources, in_place)
            total = sum(1 + c + rank for c in range(contexts) for rank in range(3))
            for i, (found, (shape, dtype)) in enumerate(zip(sums, KINDS, strict=True)):
                assert (found.shape, found.dtype) == (shape, dtype)
                assert (found == (i + 1) * total).all()
                assert (found is sources[i][0]) == in_place
                assert in_place or (sources[i][0] == kept[i]).all()


@ranks(3, together=True)
def test_what_ranks_gather_and_scatter_may_differ_in_length() -> None:
    group = world().group
    rank = group.rank
    gathered = group.gather(np.full((rank, 2), rank), lambda: "x")
    assert [part.tolist() for part in gathered] == [[[r, r]] * r for r in range(3)]
    lengths = [(rank + r) % 3 for r in range(3)]
    values = np.concatenate([np.full(n, 10 * rank + r) for r, n in enumerate(lengths)])
    scattered = group.scatter(values, lengths, lambda: "x")
    assert [part.tolist() for part in scattered] == [
        [10 * r + rank] * ((rank + r) % 3) for r in range(3)
    ]
    group.broadcast(values := np.full(3000, rank), 2, lambda: "x")
    assert (values == 2).all()


@ranks(3, together=True)
def test_all_ranks_name_those_that_disagree_and_continue() -> None:
    group = world().group
    for length in (10, 2000):
        answer = ("other" if group.rank == 2 else "usual") * length
        with pytest.raises(
            RanksDisagreeError, match="rank 2 disagrees with rank 0 about the weather"
        ) as error:
            group.agree(answer, lambda: "the weather")
        assert "rank 2: other" in str(error.value)
    group.agree("the same", lambda: "what comes next")


@ranks(3, together=True)
def test_some_ranks_form_a_group() -> None:
    group = world().split([0, 2])
    if world().group.rank == 1:
        assert group is None
    else:
        assert group is not None
        values = np.array([world().group.rank])
        reduce(group, values, lambda: "x")
        assert (group.size, values[0]) == (2, 2)
