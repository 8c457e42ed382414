"""Samples of NumPy's operators that compute: more functions of numbers, products, moments, linear algebra."""

from typing import Any

import numpy as np

from gluonic.graph.ops.numpy.more_ufuncs import ROWS
from tests.graph.samples.sample import Sample, uniform

X = uniform(2, 3, 4)
NUMBERS = ("float32", "float16", "int32", "bool")
WHOLE = np.array([[1, 2, 6], [12, 7, 5]], "int32")
TRUTH = np.array([[True, False, True]])
ODD = np.array([[np.nan, np.inf], [-np.inf, 2.5]])
SQUARE = uniform(2, 3, 3) + 3 * np.eye(3)
SYMMETRIC = SQUARE + SQUARE.swapaxes(1, 2)
CUBE = uniform(2, 3, 6) + 4 * np.eye(6).reshape(2, 3, 6)
WIDE = np.array([[[3.0, 0.5, 0.2], [0.1, 1.0, 0.4]]])


def one(*arrays: np.ndarray, **attributes: Any) -> Sample:
    return Sample(list(arrays), attributes)


def without_gradient(*arrays: np.ndarray, **attributes: Any) -> Sample:
    return Sample(list(arrays), attributes, ())


def once(*arrays: np.ndarray, **attributes: Any) -> Sample:
    return Sample(list(arrays), attributes, orders=1)


AXES = ({"axis": 1}, {"axis": -1, "keepdims": True})
PAIR = [uniform(2, 3, low=0.5, high=2.0), uniform(3, low=0.5, high=2.0, seed=1)]
SAMPLES = (
    {
        row.broadcasting[0]: [
            Sample(PAIR, {}, (0,) if "copysign" in row.broadcasting[0] else None),
            Sample(
                [np.array(1.5), np.array(0.5)],
                {},
                (0,) if "copysign" in row.broadcasting[0] else None,
            ),
        ]
        for row in ROWS
    }
    | {row.scalar[0]: [one(PAIR[0], scalar=1.5)] for row in ROWS}
    | {
        row.reversed_scalar[0]: [
            Sample([PAIR[0]], {"scalar": 1.5}, () if "copysign" in row.scalar[0] else None)
        ]
        for row in ROWS
    }
    | {
        f"_npi_{name}": [without_gradient(WHOLE, WHOLE[1]), without_gradient(TRUTH, TRUTH)]
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    }
    | {
        f"_npi_{name}_scalar": [without_gradient(WHOLE, scalar=6.0)]
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm")
    }
    | {
        f"_npi_{name}": [without_gradient(ODD), without_gradient(WHOLE)]
        for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf")
    }
    | {
        "_npi_lcm": [without_gradient(WHOLE, WHOLE[1])],
        "_npi_bitwise_not": [without_gradient(WHOLE), without_gradient(TRUTH)],
        "_npi_around": [
            one(uniform(3, 4, low=-9, high=9)),
            one(uniform(3, 4, low=-9, high=9), decimals=1),
            one(uniform(3, 4, low=-90, high=90), decimals=-1),
        ],
        "_npi_nan_to_num": [
            Sample([uniform(3, 4)], dtypes=NUMBERS),
            without_gradient(ODD, nan=1.0, posinf=5.0, neginf=-5.0),
        ],
        "_np_dot": [
            one(uniform(2, 3), uniform(3, 4)),
            one(uniform(3), uniform(3)),
            one(uniform(2, 3, 4), uniform(2, 4, 3)),
            one(uniform(2, 3), uniform(3)),
            one(np.array(1.5), uniform(2, 2)),
        ],
        "_npi_matmul": [
            one(uniform(2, 3), uniform(3, 4)),
            one(uniform(3), uniform(3)),
            one(uniform(2, 2, 3), uniform(2, 3, 2)),
            one(uniform(2, 1, 2, 3), uniform(3, 3, 2)),
            one(uniform(3), uniform(2, 3, 2)),
        ],
        "_npi_tensordot": [
            one(X, uniform(4, 3, 2), a_axes_summed=(1, 2), b_axes_summed=(1, 0)),
            one(X, uniform(3, 2), a_axes_summed=(1,), b_axes_summed=(0,)),
        ],
        "_npi_tensordot_int_axes": [
            one(uniform(2, 3), uniform(3, 2), axes=1),
            one(uniform(2), uniform(3), axes=0),
            one(X, uniform(3, 4, 2), axes=2),
        ],
        "_npi_einsum": [
            one(uniform(2, 3), uniform(3, 4), subscripts="ij,jk->ik"),
            one(uniform(3, 3), subscripts="ii"),
            one(X, uniform(4, 2), uniform(3), subscripts="aij,jk,i->ak"),
            one(uniform(2, 1, 3), uniform(4, 3), subscripts="...i,...i->..."),
            one(uniform(2, 3), subscripts="ij->j"),
        ],
        "_npi_var": [one(X), one(X, axis=(0, 2)), one(X, axis=1, ddof=1, keepdims=True)],
        "_npi_std": [one(X), one(X, axis=(0, 2)), one(X, axis=1, ddof=1, keepdims=True)],
        "_npi_percentile": [
            without_gradient(X, q_scalar=30.0),
            without_gradient(X, np.array([20.0, 70.0]), axis=1, interpolation="lower"),
            without_gradient(
                X, q_scalar=50.0, axis=(0, 2), keepdims=True, interpolation="midpoint"
            ),
        ],
        "_npi_bincount": [
            without_gradient(np.array([1, 3, 1])),
            without_gradient(np.array([1, 3, 1]), uniform(3), has_weights=True, minlength=6),
        ],
        "_npi_diff": [one(X), one(X, n=2, axis=1), one(uniform(2), n=3)],
        "_npi_ediff1d": [
            one(X),
            one(uniform(4), to_begin_scalar=2.0, to_end_scalar=-1.0),
            one(X, uniform(2), uniform(2, 3), to_begin_arr_given=True, to_end_arr_given=True),
            one(X, uniform(2), to_begin_scalar=3.0, to_end_arr_given=True),
        ],
        "_npi_average": [
            one(X, weighted=False),
            one(X, weighted=False, axis=(0, -1), returned=True),
            one(X, uniform(2, 3, 4, low=0.5, high=2), axis=1),
            one(X, uniform(2, 3, 4, low=0.5, high=2), axis=(), returned=True),
            one(X, uniform(3, low=0.5, high=2), axis=-2, returned=True),
            one(uniform(3), uniform(3, low=0.5, high=2)),
        ],
        "_weights_beside": [
            one(uniform(2, 3, 4), X),
            one(uniform(3), X, axis=-2),
        ],
        "_npi_norm": [
            one(X, flag=-2, keepdims=True),
            one(X, axis=1, flag=-1),
            one(X, axis=(0, 2), flag=1, keepdims=True),
            one(X, axis=-1, ord=3.0, flag=-1),
            one(X, axis=0, ord=1.0, flag=-1, keepdims=True),
            one(X, axis=2, ord=0.0, flag=-1),
            one(X, axis=(0, 1), ord=-np.inf, flag=-1),
            one(X, axis=(1, 2), flag=2),
            one(X, axis=(-2, -1), ord=-2.0, keepdims=True),
            Sample([uniform(3)], {"ord": 3.0}, orders=1),
            Sample([X], {"ord": 1.0, "keepdims": True}, orders=1),
        ],
        "_npi_resize": [
            one(X, new_shape=(7,)),
            one(uniform(2, 3), new_shape=(3, 5)),
            one(uniform(3), new_shape=()),
        ],
        "_npi_polyval": [once(uniform(3), uniform(2, 2))],
        "_npi_det": [one(SQUARE), one(SQUARE[0])],
        "_npi_slogdet": [one(SQUARE), one(SQUARE[0])],
        "_npi_cholesky": [without_gradient(SYMMETRIC + 3 * np.eye(3))],
        "_npi_eigvals": [without_gradient(SYMMETRIC)],
        "_npi_eigvalsh": [without_gradient(SYMMETRIC), without_gradient(SYMMETRIC, UPLO="U")],
        "_npi_eig": [without_gradient(SYMMETRIC[0])],
        "_npi_eigh": [without_gradient(SYMMETRIC)],
        "_npi_pinv": [without_gradient(uniform(2, 3), np.array(0.1))],
        "_npi_pinv_scalar_rcond": [without_gradient(uniform(2, 3), rcond=0.1)],
        "_npi_svd": [once(WIDE)],
        "_npi_solve": [once(SQUARE, uniform(2, 3, 2)), once(SQUARE[0], uniform(3))],
        "_npi_tensorinv": [once(SQUARE[0].reshape(3, 1, 3), ind=2), once(SQUARE[0], ind=1)],
        "_npi_tensorsolve": [
            once(SQUARE[0].reshape(3, 3), uniform(3)),
            once(CUBE, uniform(2, 3)),
            once(
                (uniform(6, 6) + 4 * np.eye(6)).reshape(2, 3, 6).transpose(0, 2, 1),
                uniform(2, 3),
                a_axes=(1,),
            ),
        ],
        "_npi_zeros": [one(shape=(2, 3)), one(shape=()), one(shape=(2,), dtype="bool")],
        "_npi_ones": [one(shape=(2, 3)), one(shape=()), one(shape=(0, 2), dtype="int32")],
        "_npi_full": [one(shape=(2, 3), value=1.5), one(shape=(), value=2.0, dtype="int32")],
        "_npi_linspace": [
            one(start=0.0, stop=1.0, num=4),
            one(start=2.0, stop=1.0, num=3, endpoint=False),
        ],
        "_npi_identity": [one(shape=(3, 3))],
        "_npi_eye": [one(N=2, M=3, k=1), one(N=2)],
        "_npi_arange": [
            one(start=4.0),
            one(start=1.0, stop=2.0, step=0.3),
            one(start=5.0, stop=2.0),
        ],
        "_npi_logspace": [
            one(start=0.0, stop=2.0, num=5),
            one(start=0.0, stop=3.0, num=3, base=2.0, endpoint=False),
        ],
        "_npi_indices": [one(dimensions=(2, 3)), one(dimensions=(2,), dtype="float32")],
        "_npi_full_like": [one(X, fill_value=2.5), one(X, fill_value=2.5, dtype="int32")],
        "_npi_blackman": [one(M=5)],
        "_npi_hamming": [one(M=5)],
        "_npi_hanning": [one(M=5)],
    }
    | {
        name: [
            Sample([uniform(2, 3)], dtypes=NUMBERS),
            one(X, axis=(0, 2), keepdims=True),
            one(uniform(0, 2), axis=0),
        ]
        for name in ("_np_any", "_np_all")
    }
    | {
        name: [Sample([uniform(2, 3)], dtypes=NUMBERS), *[one(X, **axes) for axes in AXES]]
        for name in ("_npi_argmax", "_npi_argmin")
    }
)
