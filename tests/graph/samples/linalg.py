"""Samples of linear algebra.

Where the kernel reads one triangle of a symmetric matrix, the gradient is tested in test_linalg.py.
"""

from itertools import product
from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

BATCHES: list[tuple[int, ...]] = [(), (2,), (2, 1)]
FLAGS = (False, True)


def _general(*shape: int) -> Any:
    """Well-conditioned matrices."""
    return uniform(*shape) + 2 * np.eye(shape[-2], shape[-1])


def _symmetric(*shape: int) -> Any:
    return uniform(*shape) @ uniform(*shape).swapaxes(-1, -2) + np.eye(shape[-1])


def _of(matrices: Any, differentiable: tuple[int, ...] | None = None, **attributes: Any) -> Sample:
    return Sample([matrices], attributes, differentiable=differentiable)


def _product(batch: tuple[int, ...], a: bool, b: bool, *, add: bool) -> Sample:
    factors = [
        uniform(*batch, *((3, 2) if a else (2, 3))),
        uniform(*batch, *((4, 3) if b else (3, 4)), seed=1),
    ]
    more = [uniform(*batch, 2, 4, seed=2)] if add else []
    attributes = {"transpose_a": a, "transpose_b": b, "alpha": 1.5}
    return Sample(factors + more, attributes | ({"beta": 0.5} if add else {}))


PRODUCTS = list(product(BATCHES, FLAGS, FLAGS))
SAMPLES = {
    "_linalg_gemm2": [
        *[_product(batch, a, b, add=False) for batch, a, b in PRODUCTS],
        Sample([uniform(2, 5, 3), uniform(3, 5, 4, seed=1)], {"axis": 0}),
        Sample([uniform(2, 0), uniform(0, 3)]),
    ],
    "_linalg_gemm": [
        *[_product(batch, a, b, add=True) for batch, a, b in PRODUCTS],
        Sample([uniform(2, 5, 3), uniform(3, 5, 4), uniform(2, 5, 4, seed=1)], {"axis": -3}),
    ],
    "_linalg_syrk": [
        _of(uniform(*batch, 2, 3), transpose=turned, alpha=0.7)
        for batch, turned in product(BATCHES, FLAGS)
    ],
    **{
        name: [
            Sample(
                [_general(*batch, 3, 3), uniform(*batch, *((2, 3) if right else (3, 2)), seed=1)],
                {"transpose": turned, "rightside": right, "lower": lower, "alpha": 1.3},
            )
            for batch, turned, right, lower in product(BATCHES[:2], FLAGS, FLAGS, FLAGS)
        ]
        for name in ("_linalg_trmm", "_linalg_trsm")
    },
    "_linalg_triangle": [
        _of(uniform(2, 3, 3), lower=lower, diagonal=diagonal)
        for lower, diagonal in product(FLAGS, (0.0, 0.5, 1.0))
    ],
    "_linalg_potrf": [
        _of(_symmetric(*batch, 3, 3), differentiable=(), lower=lower)
        for batch, lower in product(BATCHES, FLAGS)
    ],
    "_linalg_potri": [
        _of(_general(*batch, 3, 3), lower=lower) for batch, lower in product(BATCHES, FLAGS)
    ],
    "_linalg_gelqf": [_of(_general(*batch, 2, 3)) for batch in BATCHES] + [_of(_general(3, 3))],
    "_linalg_syevd": [_of(_symmetric(*batch, 3, 3), differentiable=()) for batch in BATCHES],
    **{
        name: [_of(_general(*batch, 3, 3)) for batch in BATCHES]
        for name in (
            "_linalg_inverse", "_linalg_det", "_linalg_slogdet", "_linalg_sumlogdiag"
        )
    },
    "_linalg_extractdiag": [_of(uniform(2, 3, 3), offset=offset) for offset in (0, 1, -2)],
    "_linalg_makediag": [_of(uniform(2, 3), offset=offset) for offset in (0, 1, -2)],
    "_linalg_extracttrian": [
        _of(uniform(2, 3, 3), offset=offset, lower=lower)
        for offset, lower in product((0, 1, -1), FLAGS)
    ],
    "_linalg_maketrian": [
        _of(uniform(2, 6), offset=offset, lower=lower)
        for offset, lower in product((0, 1, -1), FLAGS)
    ],
}  # fmt: skip
