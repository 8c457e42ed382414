"""Samples of operators that keep the elements and change the shape."""

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")


def _reshape(*shape: int, **attributes: object) -> Sample:
    return Sample([uniform(*shape)], attributes, dtypes=ALL)


SAMPLES = {
    "Reshape": [
        _reshape(2, 3, 4, shape=(4, -1)),
        _reshape(2, 3, 4, shape=(0, -1)),
        _reshape(2, 3, 4, shape=(-3, 0)),
        _reshape(2, 3, 4, shape=(-2, 1)),
        _reshape(2, 3, 4, shape=(0, 0, -4, 2, -1)),
        _reshape(8, 3, 3, shape=(-1, 0), reverse=True),
        _reshape(2, 3, 4, target_shape=(0, 6)),
        _reshape(2, 3, 4, target_shape=(0, 0), keep_highest=True),
        _reshape(0, 3, 4, shape=(0, -1)),
    ],
    "reshape_like": [
        Sample([uniform(2, 6), uniform(3, 4)], differentiable=(0,), dtypes=ALL),
        Sample(
            [uniform(6, 7), uniform(3, 2, 5)],
            {"lhs_end": 1, "rhs_begin": 0, "rhs_end": -1},
            differentiable=(0,),
        ),
    ],
    "_identity_with_attr_like_rhs": [
        Sample([uniform(2, 3), uniform(2, 3, seed=1)], differentiable=(0,))
    ],
    "_copyto": [_reshape(2, 3)],
    "Flatten": [_reshape(2, 3, 4), _reshape(3), _reshape(2, 0, 4)],
    "expand_dims": [_reshape(2, 3, axis=axis) for axis in (0, 2, -1, -3)],
    "squeeze": [
        _reshape(1, 3, 1),
        _reshape(1, 3, 1, axis=0),
        _reshape(1, 3, 1, axis=(-1, 0)),
        _reshape(1, 1),
        _reshape(1, 1, axis=(0, 1)),
    ],
}
