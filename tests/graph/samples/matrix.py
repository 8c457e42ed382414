"""Samples of products of matrices."""

from itertools import product

from tests.graph.samples.sample import Sample, uniform

FLOATING = ("float32", "float16")
BOTH = list(product((False, True), repeat=2))


def _product(a: tuple[int, ...], b: tuple[int, ...], **attributes: object) -> Sample:
    return Sample([uniform(*a), uniform(*b, seed=1)], attributes, dtypes=FLOATING)


def _dot(rows: tuple[int, ...], columns: tuple[int, ...]) -> list[Sample]:
    return [
        _product(
            (3, *rows) if a else (*rows, 3),
            (*columns, 3) if b else (3, *columns),
            transpose_a=a,
            transpose_b=b,
        )
        for a, b in BOTH
    ]


SAMPLES = {
    "dot": [
        *_dot((2,), (4,)),
        *_dot((2, 5), (4,)),
        *_dot((2,), (4, 5)),
        *_dot((2, 2), (2, 2)),
        *_dot((0,), (4,)),
        _product((3,), (3,)),
        _product((3,), (3, 2)),
        _product((2, 3), (3,)),
        _product((2, 0), (0, 4)),
    ],
    "batch_dot": [
        _product(
            (*batch, 3, 2) if a else (*batch, 2, 3),
            (*batch, 4, 3) if b else (*batch, 3, 4),
            transpose_a=a,
            transpose_b=b,
        )
        for batch in ((2,), (2, 1))
        for a, b in BOTH
    ],
    "khatri_rao": [Sample([uniform(2, 3), uniform(4, 3, seed=1)], dtypes=FLOATING)],
}
