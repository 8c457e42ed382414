"""Samples of operators that join and cut arrays."""

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")


def _join(*shapes: tuple[int, ...], **attributes: object) -> Sample:
    arrays = [uniform(*shape, seed=i) for i, shape in enumerate(shapes)]
    return Sample(arrays, attributes, dtypes=ALL)


SAMPLES = {
    "Concat": [
        _join((2, 3), (2, 1), (2, 4)),
        _join((2, 3), (1, 3), dim=-2),
        _join((2, 3)),
        _join((3,), (0,), dim=0),
    ],
    "_rnn_param_concat": [_join((3,), (4,), (2,), dim=0)],
    "stack": [_join((2, 3), (2, 3), axis=axis) for axis in (0, 1, -1)] + [_join((3,))],
    "SliceChannel": [
        _join((2, 4, 3), num_outputs=2),
        _join((2, 4, 3), num_outputs=3, axis=-1, squeeze_axis=True),
        _join((2, 3), num_outputs=1),
    ],
    "_split_v2": [
        _join((2, 5), indices=(0, 1, 3)),
        _join((2, 5), indices=(1, 3)),
        _join((2, 5), indices=(), sections=3, axis=-1),
        _join((2, 3), indices=(0, 1), axis=0, squeeze_axis=True),
        _join((2, 3), indices=(0,)),
    ],
}
