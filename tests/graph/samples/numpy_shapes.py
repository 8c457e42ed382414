"""Samples of NumPy's operators that move, join and choose elements."""

import numpy as np

from tests.graph.samples.sample import Sample, uniform

X = uniform(2, 3, 4)
NUMBERS = ("float32", "int32", "bool")
INT = ("int64", "int32")
UNIQUE = ("return_index", "return_inverse", "return_counts")
MASK = np.array([[1, 0, 1], [0, 1, 0]], "int32")


def one(*arrays: np.ndarray, **attributes: object) -> Sample:
    return Sample(list(arrays), dict(attributes), dtypes=NUMBERS)


SAMPLES = {
    "_np_reshape": [
        one(X, newshape=(4, -1)),
        one(X, newshape=(24,)),
        one(np.array(1.5), newshape=(1,)),
    ],
    "_npx_reshape": [
        one(X, newshape=(-2, -1)),
        one(X, newshape=(-5, -6, 2, -1)),
        one(uniform(2, 1, 3), newshape=(-2, -3, -4)),
        one(X, newshape=(-1, -2), reverse=True),
    ],
    "_np_squeeze": [one(uniform(1, 3, 1)), one(uniform(1, 3, 1), axis=0), one(uniform(1, 1))],
    "_np_atleast_1d": [one(np.array(0.5), uniform(2))],
    "_np_atleast_2d": [one(np.array(0.5), uniform(2), uniform(2, 3))],
    "_np_atleast_3d": [one(np.array(0.5), uniform(2), uniform(2, 3), X)],
    "_np_transpose": [one(X), one(X, axes=(1, 0, 2)), one(np.array(0.5))],
    "_npi_flip": [one(X, axis=(1,)), one(X, axis=(0, 2))],
    "_np_diag": [one(uniform(3)), one(uniform(3, 4), k=1)],
    "_np_moveaxis": [
        one(X, source=(0,), destination=(-1,)),
        one(X, source=(0, 1), destination=(1, 2)),
    ],
    "_np_roll": [
        one(X, shift=1),
        one(X, shift=(1, -2), axis=(0, 2)),
        one(X, shift=(5,), axis=(2,)),
    ],
    "_npi_rot90": [one(X, axes=(0, 1)), one(X, k=2, axes=(1, 2)), one(X, k=3, axes=(2, 0))],
    "_npi_pad": [
        one(X, pad_width=((1, 0), (0, 2), (1, 1)), constant_value=2.0),
        one(uniform(3, 2), pad_width=((1, 2), (1, 1)), mode="reflect"),
        one(uniform(3, 2), pad_width=((1, 2), (1, 1)), mode="symmetric"),
        one(uniform(3, 2), pad_width=((1, 2), (1, 1)), mode="edge"),
        Sample([uniform(3, 2)], {"pad_width": ((1, 2), (1, 1)), "mode": "maximum"}, ()),
    ],
    "_npi_broadcast_to": [one(uniform(3, 1), shape=(2, 3, 4)), one(np.array(0.5), shape=(2,))],
    "_np_diagonal": [one(X), one(X, offset=1, axis1=2, axis2=0)],
    "_np_trace": [Sample([X]), Sample([uniform(3, 4)], {"offset": -1})],
    "_np_diagflat": [one(uniform(2, 2)), one(uniform(3), k=-1)],
    "_npi_tril": [Sample([uniform(3, 4)]), Sample([X], {"k": -1}), Sample([uniform(3)])],
    "_npi_concatenate": [one(X, uniform(2, 1, 4), axis=1), one(X, uniform(3), axis=None)],
    "_npi_stack": [one(X, X + 1, axis=-1)],
    "_npi_vstack": [one(uniform(3), uniform(2, 3)), one(np.array(1.0), np.array(2.0))],
    "_npi_hstack": [one(X, uniform(2, 1, 4)), one(uniform(2), uniform(3))],
    "_npi_dstack": [one(uniform(3), uniform(3)), one(X, uniform(2, 3, 1))],
    "_npi_column_stack": [one(uniform(3), uniform(3, 2))],
    "_npi_hsplit": [one(X, indices=(0, 1)), one(uniform(4), indices=(), sections=2)],
    "_npi_dsplit": [one(X, indices=(0, 1), axis=2)],
    "_npi_where": [
        Sample([MASK, uniform(2, 3), uniform(3)], dtypes=NUMBERS),
        Sample([MASK[0], uniform(2, 1), uniform(1, 3)]),
    ],
    "_npi_where_lscalar": [Sample([MASK, uniform(3)], {"scalar": 2.0}, dtypes=NUMBERS)],
    "_npi_where_rscalar": [Sample([MASK, uniform(3)], {"scalar": 2.0}, dtypes=NUMBERS)],
    "_npi_where_scalar2": [Sample([MASK], {"x": 1.5, "y": -1.0})],
    "_npx_nonzero": [Sample([MASK])],
    "_npi_unique": [
        Sample([np.array([2.0, 1.0, 2.0])], dict.fromkeys(UNIQUE, True), ()),
        Sample([MASK], {"axis": 1}),
    ],
    "_npx_constraint_check": [Sample([MASK >= 0])],
    "_npi_diag_indices_from": [Sample([uniform(3, 3)])],
    "_npi_share_memory": [Sample([uniform(3), uniform(2)])],
    "_npi_boolean_mask_assign_scalar": [
        Sample([uniform(2, 3), MASK.astype(bool)], {"value": 2.0, "start_axis": 0}),
        Sample([uniform(4, 2, 3), MASK.astype(bool)], {"value": 2.0, "start_axis": 1}),
    ],
    "_npi_boolean_mask_assign_tensor": [
        Sample([uniform(2, 3), MASK.astype(bool), uniform(3)], {"start_axis": 0}, ())
    ],
    "_npi_delete": [
        Sample([uniform(5)], {"int_ind": 1}),
        Sample([X], {"start": 0, "stop": 2, "step": 1, "axis": 1}),
        Sample([X, np.array([0, 2])], {"axis": 2}),
    ],
    "_npi_insert_scalar": [
        Sample([uniform(5), uniform(1)], {"int_ind": 1}),
        Sample([X], {"int_ind": -1, "axis": 1, "val": 2.0}),
    ],
    "_npi_insert_slice": [Sample([uniform(5)], {"start": 0, "stop": 4, "step": 2, "val": 2.0})],
    "_npi_insert_tensor": [Sample([uniform(5), uniform(2), np.array([0, 3])])],
}
